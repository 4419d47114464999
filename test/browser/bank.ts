/** Steps of a person on a bank page, and the API calls of the app's server. */
import type { Page } from 'playwright-core';
import type { TestDaemon } from '../support/daemon.ts';
import { ask } from '../support/example-world.ts';
import { heading, proceed } from './hosted.ts';

export interface Intent {
  readonly intent_token: string;
  readonly link: string;
  readonly fp_id: string;
}

/** Creates an intent for a new user, or with the members in `more`. */
export async function anIntent(daemon: TestDaemon, more: Record<string, unknown> = {}): Promise<Intent> {
  const { id } = await ask(daemon, 'POST', '/users', {});
  const body = { fp_id: id, ...more };
  return (await ask(daemon, 'POST', '/_kyclone/bank_link_intents', body)) as unknown as Intent;
}

export async function chooseBank(page: Page, typed: string): Promise<void> {
  await heading(page, 'Which bank do you use?');
  await page.getByLabel('Search for your bank').fill(typed);
  await proceed(page);
}

export async function choosePersona(page: Page, name: string): Promise<void> {
  await heading(page, 'Who are you today?');
  await page.getByRole('radio', { name }).check();
  await proceed(page);
}

/** Chooses the bank and the persona with one account, and all accounts. */
export async function chooseAccounts(page: Page, bank = 'first'): Promise<void> {
  await chooseBank(page, bank);
  await choosePersona(page, 'Thin');
  await heading(page, 'Which accounts?');
  await proceed(page);
}

/** Checks the consent box, found by its name, because the screen before has checkboxes too. */
export async function giveConsent(page: Page, button = 'Agree and link'): Promise<void> {
  await page.getByRole('checkbox', { name: /^I agree/ }).check();
  await proceed(page, button);
}

export async function agreeToLink(page: Page, button?: string): Promise<void> {
  await giveConsent(page, button);
  await heading(page, 'You are done');
}
