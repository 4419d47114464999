/** Steps of people on the page of a hosted flow, and the API calls of the app's server. */
import type { FrameLocator, Page } from 'playwright-core';
import type { TestDaemon } from '../support/daemon.ts';
import { aReadyUser, KYC } from '../support/builders.ts';
import { ask } from '../support/example-world.ts';

/** The page, or the frame of an app that shows it. */
type Shown = Page | FrameLocator;
type Values = Readonly<Record<string, unknown>>;

export async function aSession(
  daemon: TestDaemon,
  body: Values = {},
): Promise<{ token: string; link: string }> {
  const { token, link } = await ask(daemon, 'POST', '/onboarding/session', { key: KYC, ...body });
  return { token: String(token), link: String(link) };
}

/** Makes a playbook of kind kyc, unless it is of another, and returns its key. */
export async function aPlaybook(daemon: TestDaemon, playbook: object): Promise<string> {
  const body = { name: 'Of a test', kind: 'kyc', ...playbook };
  return String((await ask(daemon, 'POST', '/_kyclone/playbooks', body))['key']);
}

/** Makes a playbook, and returns the link of a session on it. */
export async function aLinkOn(daemon: TestDaemon, playbook: object, session: object = {}): Promise<string> {
  return (await aSession(daemon, { key: await aPlaybook(daemon, playbook), ...session })).link;
}

/** The link that a user gets whose run needs more of them. */
export async function stepUpLink(daemon: TestDaemon): Promise<string> {
  const { id } = await ask(daemon, 'POST', '/users', aReadyUser());
  const stepUp = { key: KYC, fixture_result: 'step_up', generate_link_on_stepup: true };
  const run = await ask(daemon, 'POST', `/users/${id}/kyc`, stepUp);
  return (run['in_progress_link'] as { link: string }).link;
}

/** Finds the user by an e-mail address or phone number, and returns these fields of its vault. */
export async function storedOf(daemon: TestDaemon, search: string, fields: string[]): Promise<Values> {
  const { data } = await ask(daemon, 'POST', '/users/search', { search });
  const [user] = data as { id: string }[];
  return ask(daemon, 'POST', `/users/${user?.id ?? ''}/vault/decrypt`, { fields, reason: 'a test' });
}

/** Turns the page's timers off. It then learns that its flow is over only from the response to what it sends. */
export async function withoutWatch(page: Page): Promise<void> {
  await page.addInitScript('window.setTimeout = () => 0');
}

export async function heading(page: Shown, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

export async function proceed(page: Shown, name = 'Continue'): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

export async function identify(page: Shown, email: string): Promise<void> {
  await heading(page, 'Let’s begin');
  await page.getByLabel('E-mail address').fill(email);
  await proceed(page);
  await giveCode(page);
}

export async function giveCode(page: Shown, code = '000000'): Promise<void> {
  await heading(page, 'Enter the code');
  await page.getByLabel('One-time code').fill(code);
  await proceed(page);
}

/** The screens of the default kyc playbook, each with the steps of a person on it. */
export const KYC_SCREENS: readonly (readonly [title: string, act: (page: Page) => Promise<void>])[] = [
  [
    'What is your name?',
    async (page) => {
      await page.getByLabel('First name').fill('Wilhelmina');
      await page.getByLabel('Last name').fill('Oyelaran');
    },
  ],
  ['When were you born?', async (page) => page.getByLabel('Date of birth').fill('12/30/1988')],
  [
    'Where do you live?',
    async (page) => {
      await page.getByLabel('Country').selectOption('US');
      await page.getByLabel('Street address').fill('742 Evergreen Terrace');
      await page.getByLabel('City').fill('Enclave');
      await page.getByLabel('State').selectOption('CA');
      await page.getByLabel('Postal code').fill('94117');
    },
  ],
  ['Your tax number', async (page) => page.getByLabel('Social security number').fill('121-12-1212')],
];

export async function giveData(page: Page): Promise<void> {
  for (const [title, act] of KYC_SCREENS) {
    await heading(page, title);
    await act(page);
    await proceed(page);
  }
}

export async function agree(page: Shown): Promise<void> {
  await heading(page, 'Is everything right?');
  await page.getByRole('checkbox').check();
  await proceed(page, 'Agree and continue');
}

export async function finish(page: Shown, outcome = 'As configured'): Promise<void> {
  await heading(page, 'Choose an outcome');
  await page.getByRole('radio', { name: outcome }).check();
  await proceed(page, 'Finish');
}

/** Goes to the choice of an outcome, on a playbook that requires a first name alone. */
export async function giveNameAndAgree(page: Shown, email: string): Promise<void> {
  await identify(page, email);
  await page.getByLabel('First name').fill('Wilhelmina');
  await proceed(page);
  await agree(page);
}

/** Gives the person 60 per cent, and fills in a second owner. */
export async function addOwner(page: Page, first: string, last: string, email: string, share: string) {
  await page.getByLabel('Your share in per cent').fill('60');
  await page.getByRole('button', { name: 'Add an owner' }).click();
  const second = page.getByRole('group', { name: 'Owner 2' });
  await second.getByLabel('First name').fill(first);
  await second.getByLabel('Last name').fill(last);
  await second.getByLabel('E-mail address').fill(email);
  await second.getByLabel('Share in per cent').fill(share);
  return second;
}
