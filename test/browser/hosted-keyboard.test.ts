/** A hosted onboarding by keyboard alone, with a phone number in the form in which people type it (contract §14). */
import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { aReadyUser } from '../support/builders.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { aSession, heading, storedOf } from './hosted.ts';

/** Returns the accessible name of the focused element, from its label or its text. */
const FOCUSED = `(() => {
  const { activeElement: at } = document;
  const text = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
  return text.trim();
})()`;

/**
 * Presses Tab until an element whose name begins with `name` has focus. Fails after 20 presses, more than any screen
 * needs.
 */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(FOCUSED)).startsWith(name)) return;
  }
  throw new Error(`No element ${name} was reached by Tab on ${await page.title()}`);
}

/** Presses Tab until the field has focus, and types. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(text);
}

/** Checks that focus is on the heading of the new screen, so that Tab continues from its top. */
async function arrive(page: Page, title: string): Promise<void> {
  await heading(page, title);
  await expect.poll(() => page.evaluate(FOCUSED)).toBe(title);
}

/**
 * Identifies a person by a phone number that no other test of the file uses. The flow asks a known person for nothing
 * that the vault holds.
 */
async function identifyByPhone(page: Page, number: string): Promise<void> {
  await arrive(page, 'Let’s begin');
  await tabTo(page, 'Use a phone number instead');
  await page.keyboard.press('Enter');
  // The new field has focus already.
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await arrive(page, 'Enter the code');
  await page.getByText(`We sent it by text message to ***${number.replace(/\D/g, '').slice(-4)}`).waitFor();
  await type(page, 'One-time code', '000000');
  await page.keyboard.press('Enter');
}

describe.skipIf(skipsBrowser)('hosted onboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  test('keyboard: a person completes the flow without a mouse', async () => {
    const page = await browser.open((await aSession(daemon())).link);
    await identifyByPhone(page, '(415) 555-2678');
    await arrive(page, 'What is your name?');
    await type(page, 'First name', 'Wilhelmina');
    await type(page, 'Last name', 'Oyelaran');
    await page.keyboard.press('Enter');
    await arrive(page, 'When were you born?');
    await type(page, 'Date of birth', 'Dec 30, 1988');
    await page.keyboard.press('Enter');
    await arrive(page, 'Where do you live?');
    await type(page, 'Country', 'United States');
    await type(page, 'Street address', '742 Evergreen Terrace');
    await type(page, 'City', 'Enclave');
    await type(page, 'State', 'CA');
    await type(page, 'Postal code', '94117');
    await tabTo(page, 'Continue');
    await page.keyboard.press('Enter');
    await arrive(page, 'Your tax number');
    await type(page, 'Social security number', '121-12-1212');
    await page.keyboard.press('Enter');
    await arrive(page, 'Is everything right?');
    // The person goes back and forth again. Nothing is lost, and focus is on the heading of the screen.
    await tabTo(page, 'Change Date of birth');
    await page.keyboard.press('Enter');
    await arrive(page, 'When were you born?');
    await tabTo(page, 'Date of birth');
    await page.keyboard.press('Enter');
    await arrive(page, 'Is everything right?');
    await tabTo(page, 'I agree');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await arrive(page, 'Choose an outcome');
    await tabTo(page, 'As configured');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await arrive(page, 'You are done');

    const stored = await storedOf(daemon(), '+14155552678', ['id.phone_number', 'id.dob', 'id.country']);
    expect(stored).toEqual({ 'id.phone_number': '+14155552678', 'id.dob': '1988-12-30', 'id.country': 'US' });
  });

  test('keyboard: an error moves focus to its field, and typing continues there', async () => {
    const page = await browser.open((await aSession(daemon())).link);
    await arrive(page, 'Let’s begin');
    await type(page, 'E-mail address', 'nobody');
    await page.keyboard.press('Enter');
    await page.getByText('Enter an e-mail address such as').waitFor();
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('E-mail address');
    await page.keyboard.press('End');
    await page.keyboard.type('@hosted.example');
    await page.keyboard.press('Enter');
    await arrive(page, 'Enter the code');
    await type(page, 'One-time code', '123456');
    await page.keyboard.press('Enter');
    await page.getByText('You can try 4 more times').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await arrive(page, 'What is your name?');
  });

  test('phone: a user known by number is asked for nothing that the vault has', async () => {
    await ask(daemon(), 'POST', '/users', aReadyUser({ 'id.phone_number': '+14155552671' }));
    const page = await browser.open((await aSession(daemon())).link);
    await identifyByPhone(page, '415-555-2671');
    await arrive(page, 'Is everything right?');
  });
});
