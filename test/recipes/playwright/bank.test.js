import { after, before, beforeEach, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startKyclone } from 'kyclone/testing';
import { startBankApp } from './bank-app.js';

let kyclone, app, browser, page;
before(async () => {
  kyclone = await startKyclone();
  const { id: fp_id } = await kyclone.client.call('POST /users', { body: {} });
  const newIntent = async (redirect_url) => {
    const body = { fp_id, redirect_url };
    return (await kyclone.client.call('POST /_kyclone/bank_link_intents', { body })).intent_token;
  };
  app = await startBankApp({ url: kyclone.url, apiKey: kyclone.apiKey, newIntent });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
});
beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(app.origin);
});
after(async () => {
  await browser.close();
  await app.close();
  await kyclone.close();
});

/** Presses a button of the app, or of the bank's page. */
const press = (where, name) => where.getByRole('button', { name, exact: true }).click();
const appSays = (text) => page.getByRole('status').filter({ hasText: text }).waitFor();

/** Opens the bank's page in that of the app. */
async function open() {
  await press(page, 'Link my bank');
  return page.frameLocator('iframe[title="Link your bank"]');
}

/** `flow` is the bank's page, or the frame that it is in. */
async function choose(flow, bank, persona) {
  await flow.getByLabel('Search for your bank').fill(bank);
  await press(flow, 'Continue');
  await flow.getByRole('radio', { name: persona }).check();
  await press(flow, 'Continue');
}

async function agree(flow) {
  await flow.getByRole('checkbox', { name: 'I agree' }).check();
  await press(flow, 'Agree and link');
}

test('a bank that answers: the app has its name', async () => {
  const flow = await open();
  await choose(flow, 'Example Savings', 'Thin');
  await flow.getByRole('heading', { name: 'Which accounts?' }).waitFor();
  await press(flow, 'Continue');
  await agree(flow);
  await appSays('Example Savings: ');
});

test('a bank that does not answer: the app says so', async () => {
  const flow = await open();
  await choose(flow, 'Example Savings', 'Broken');
  await appSays('The bank does not answer');
  await press(flow, 'Link it anyway');
  await agree(flow);
  await appSays('Example Savings does not answer');
});

test('who closes the page can come back', async () => {
  await open();
  await press(page, 'Close');
  await appSays('You can do it later');
});

test('a page of its own: the app goes on when the person comes back', async () => {
  await press(page, 'Use another page');
  await choose(page, 'Example Savings', 'Broken');
  await press(page, 'Link it anyway');
  await agree(page);
  await appSays('Example Savings does not answer');
});

test('a page of its own: who cancels comes back, too', async () => {
  await press(page, 'Use another page');
  await press(page, 'Cancel');
  await appSays('You can do it later');
});
