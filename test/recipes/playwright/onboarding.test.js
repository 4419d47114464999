import { after, before, beforeEach, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startKyclone } from 'kyclone/testing';
import { startApp } from './app.js';

let kyclone, app, browser, page;
before(async () => {
  kyclone = await startKyclone();
  const body = { name: 'Sign-up', kind: 'kyc', requirements: [['id.first_name'], ['id.dob']] };
  const { key } = await kyclone.client.call('POST /_kyclone/playbooks', { body });
  app = await startApp({ url: kyclone.url, apiKey: kyclone.apiKey, playbook: key });
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

/** The person; `flow` is the page, or the frame that it is in. */
async function goThrough(flow, email, outcome) {
  const next = (name = 'Continue') => flow.getByRole('button', { name, exact: true }).click();
  await flow.getByLabel('E-mail address').fill(email);
  await next();
  await flow.getByLabel('One-time code').fill('000000');
  await next();
  await flow.getByLabel('First name').fill('Jane');
  await next();
  await flow.getByLabel('Date of birth').fill('12/30/1988');
  await next();
  await flow.getByRole('checkbox', { name: 'I agree' }).check();
  await next('Agree and continue');
  await flow.getByRole('radio', { name: outcome, exact: true }).check();
  await next('Finish');
}

const appSays = (text) => page.getByRole('status').filter({ hasText: text }).waitFor();

test('the flow in the app’s own page: who passes has an account', async () => {
  await page.getByRole('button', { name: 'Verify my identity' }).click();
  await goThrough(page.frameLocator('iframe[title="Verify your identity"]'), 'jane@example.com', 'Pass');
  await appSays('Your account is open');
});

test('the flow in the app’s own page: who closes it can come back', async () => {
  await page.getByRole('button', { name: 'Verify my identity' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await appSays('You can do it later');
});

test('a page of its own: who fails comes back without an account', async () => {
  await page.getByRole('link', { name: 'Verify on another page' }).click();
  await goThrough(page, 'joe@example.com', 'Fail');
  await appSays('We could not verify you');
});

test('a page of its own: who cancels comes back, too', async () => {
  await page.getByRole('link', { name: 'Verify on another page' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await appSays('You can do it later');
});

test('an address that somebody made up opens no account', async () => {
  await page.goto(`${app.origin}/back?validation_token=vtok_made_up`);
  await appSays('We could not verify you');
});
