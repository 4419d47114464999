import { after, before, beforeEach, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startKyclone } from 'kyclone/testing';
import { startBankApp } from './bank-app.js';

let kyclone, app, browser, page;
before(async () => {
  kyclone = await startKyclone();
  const { id: fp_id } = await kyclone.client.call('POST /users', { body: {} });
  const newIntent = async () =>
    (await kyclone.client.call('POST /_kyclone/bank_link_intents', { body: { fp_id } })).intent_token;
  app = await startBankApp({ url: kyclone.url, apiKey: kyclone.apiKey, newIntent });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
});
beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(app.origin);
  await page.getByRole('button', { name: 'Link my bank' }).click();
});
after(async () => {
  await browser.close();
  await app.close();
  await kyclone.close();
});

const bankPage = () => page.frameLocator('iframe[title="Link your bank"]');
const next = (name = 'Continue') => bankPage().getByRole('button', { name, exact: true }).click();
const appSays = (text) => page.getByRole('status').filter({ hasText: text }).waitFor();

async function choose(bank, persona) {
  await bankPage().getByLabel('Search for your bank').fill(bank);
  await next();
  await bankPage().getByRole('radio', { name: persona }).check();
  await next();
}

async function agree() {
  await bankPage().getByRole('checkbox', { name: 'I agree' }).check();
  await next('Agree and link');
}

test('a bank that answers: the app has its name', async () => {
  await choose('Example Savings', 'Thin');
  await bankPage().getByRole('heading', { name: 'Which accounts?' }).waitFor();
  await next();
  await agree();
  await appSays('Example Savings: ');
});

test('a bank that does not answer: the app says so', async () => {
  await choose('Example Savings', 'Broken');
  await appSays('The bank does not answer');
  await next('Link it anyway');
  await agree();
  await appSays('Example Savings does not answer');
});

test('who closes the page can come back', async () => {
  await page.getByRole('button', { name: 'Close' }).click();
  await appSays('You can do it later');
});
