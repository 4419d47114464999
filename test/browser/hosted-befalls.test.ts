/** What can happen to a hosted onboarding while its page is open (contract §14). */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { aPng } from '../support/builders.ts';
import { startDaemon } from '../support/daemon.ts';
import { ask } from '../support/example-world.ts';
import { tempDir } from '../support/temp-dir.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import {
  addOwner,
  aLinkOn,
  aPlaybook,
  agree,
  aSession,
  finish,
  heading,
  identify,
  proceed,
  storedOf,
} from './hosted.ts';
import { errorOf } from './on-page.ts';

const NAME = { kind: 'kyc', requirements: [['id.first_name']] };

/** Starts an upload and closes the connection in the middle of it. */
async function breakOff(url: string, token: string): Promise<void> {
  const headers = { 'x-fp-authorization': token, 'content-type': 'image/png', 'content-length': '100000' };
  const sending = request(url, { method: 'POST', headers });
  sending.on('error', () => undefined);
  await new Promise<void>((resolve) => sending.write(aPng(), () => resolve()));
  sending.destroy();
}

describe.skipIf(skipsBrowser)('hosted onboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  const linkOn = (playbook: object, session?: object) => aLinkOn(daemon(), playbook, session);

  const open = (link: string) => browser.open(link);

  /** Returns the state of the flow, by the same call that its page makes. */
  const flowOf = async (link: string) => {
    const token = link.split('#')[1] ?? '';
    const response = await fetch(`${daemon().url}/hosted/session`, {
      headers: { 'x-fp-authorization': token },
    });
    return (await response.json()) as { document: { given: string[] } | null; step: string };
  };

  test('no response: typed text stays, and is sent when the service is available again', async () => {
    const page = await open(await linkOn(NAME));
    await identify(page, 'offline@hosted.example');
    await heading(page, 'What is your name?');
    await page.getByLabel('First name').fill('Wilhelmina');
    await page.context().setOffline(true);
    await proceed(page);
    await page.getByText('What you typed is still here').waitFor();
    await expectAccessible(page);
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Wilhelmina');
    await page.context().setOffline(false);
    await proceed(page);
    await heading(page, 'Is everything right?');
  });

  test('restart: the restarted daemon has the data given, and the open page continues', async () => {
    using home = tempDir();
    await using before = await startDaemon({ home: home.path, isDurable: true });
    const { port } = new URL(before.url);
    const page = await open((await aSession(before)).link);
    await identify(page, 'restart@hosted.example');
    await page.getByLabel('First name').fill('Wilhelmina');
    await page.getByLabel('Last name').fill('Oyelaran');
    await proceed(page);
    await heading(page, 'When were you born?');
    await page.getByLabel('Date of birth').fill('12/30/1988');
    await before[Symbol.asyncDispose]();
    await proceed(page);
    await page.getByText('What you typed is still here').waitFor();

    await using _after = await startDaemon({ home: home.path, isDurable: true, options: ['--port', port] });
    await proceed(page);
    await heading(page, 'Where do you live?');
    await page.reload();
    await heading(page, 'Where do you live?');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(page, 'What is your name?');
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Wilhelmina');
  });

  test('deleted playbook: the link does not work any more, and the page stops asking', async () => {
    const key = await aPlaybook(daemon(), NAME);
    const { link } = await aSession(daemon(), { key });
    const page = await open(link);
    await page.getByLabel('E-mail address').waitFor();
    await ask(daemon(), 'DELETE', `/_kyclone/playbooks/${key}`);
    await heading(page, 'This link does not work');
    let calls = 0;
    page.on('request', () => (calls += 1));
    await page.reload();
    await heading(page, 'This link does not work');
    await page.waitForLoadState('networkidle');
    expect(calls).toBeLessThan(10);
  });

  test('known person: there is no way back from the code to another address; blanks in the code do not matter', async () => {
    const { id } = await ask(daemon(), 'POST', '/users', { 'id.email': 'known.back@hosted.example' });
    const page = await open(await linkOn(NAME, { fp_id: id }));
    await heading(page, 'Enter the code');
    await expect.poll(() => page.getByRole('button', { name: 'Back', exact: true }).count()).toBe(0);
    await page.getByLabel('One-time code').fill('000 000');
    await proceed(page);
    await heading(page, 'What is your name?');
  });

  test('back: going back during a request is not undone by its response', async () => {
    const page = await open((await aSession(daemon())).link);
    await identify(page, 'hasty@hosted.example');
    await page.getByLabel('First name').fill('Wilhelmina');
    await page.getByLabel('Last name').fill('Oyelaran');
    await proceed(page);
    await heading(page, 'When were you born?');
    await page.getByLabel('Date of birth').fill('12/30/1988');
    let answer: () => void = () => undefined;
    const isHeld = new Promise<void>((held) => {
      void page.route('**/hosted/session/data', async (route) => {
        const isAnswered = new Promise<void>((resolve) => (answer = resolve));
        held();
        await isAnswered;
        await route.continue().catch(() => undefined);
      });
    });
    await proceed(page);
    await isHeld;
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(page, 'What is your name?');
    await page.getByLabel('First name').fill('Mina');
    answer();
    await page.unroute('**/hosted/session/data');
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Mina');
    await proceed(page);
    await heading(page, 'When were you born?');
  });

  test('markup: names of owners, of documents and of the playbook are shown as text everywhere', async () => {
    const markup = '<img src=x onerror="document.title=1"><b>bold</b>';
    const page = await open(
      await linkOn({ name: markup, kind: 'kyb', requirements: [['business.name']], collects_owners: true }),
    );
    await identify(page, 'markup@hosted.example');
    await page.getByLabel('Legal name of the business').fill(markup);
    await proceed(page);
    await heading(page, 'Who owns the business?');
    await addOwner(page, markup, 'Lovelace', 'markup.two@hosted.example', '40');
    await proceed(page);
    await heading(page, 'Is everything right?');
    await page.getByText(markup, { exact: false }).first().waitFor();
    await expect.poll(() => page.locator('main img').count()).toBe(0);
    await expect.poll(() => page.locator('main b', { hasText: 'bold' }).count()).toBe(0);
    await expect.poll(() => page.title()).toBe('Is everything right?');
    await expectAccessible(page);
  });

  test('investor profile: lists are check boxes with readable labels, and none may apply', async () => {
    const requirements = ['investment_goals', 'declarations', 'funding_sources', 'annual_income'].map(
      (name) => [`investor_profile.${name}`],
    );
    const page = await open(await linkOn({ kind: 'kyc', requirements }));
    await identify(page, 'investor@hosted.example');
    await heading(page, 'Your investments');
    await page.getByLabel('Annual income').selectOption('$25,000 to $50,000');
    await proceed(page);
    await page.getByText('Choose your investment goals').waitFor();
    await expectAccessible(page);
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('growth');
    const goals = page.getByRole('group', { name: 'Investment goals' });
    await goals.getByRole('checkbox', { name: 'Growth' }).check();
    await goals.getByRole('checkbox', { name: 'Preserve capital' }).check();
    await page.getByRole('group', { name: 'Funding sources' }).getByLabel('Savings').check();
    await proceed(page);
    await heading(page, 'Is everything right?');
    await page.getByText('Growth, Preserve capital').waitFor();
    await page.getByText('None of them').waitFor();
    await page.getByRole('button', { name: 'Change Investment goals' }).click();
    await expect.poll(() => goals.getByRole('checkbox', { name: 'Growth' }).isChecked()).toBe(true);
    await goals.getByRole('checkbox', { name: 'Growth' }).uncheck();
    await proceed(page);
    await agree(page);
    await finish(page);
    await heading(page, 'You are done');
    const stored = await storedOf(daemon(), 'investor@hosted.example', requirements.flat());
    expect(stored).toEqual({
      'investor_profile.investment_goals': ['preserve_capital'],
      'investor_profile.declarations': [],
      'investor_profile.funding_sources': ['savings'],
      'investor_profile.annual_income': 'gt25k_le50k',
    });
  });

  test('upload: a wrong type and too large a file are refused beside the field; an interrupted one leaves nothing', async () => {
    const link = await linkOn({ kind: 'document', documents: ['passport'] });
    const page = await open(link);
    await identify(page, 'upload@hosted.example');
    await page.getByLabel('Country that issued it').selectOption('DE');
    await proceed(page);
    await heading(page, 'The front of your document');
    const picture = page.getByLabel('Picture');
    const send = async (file: { name: string; mimeType: string; buffer: Buffer }) => {
      await picture.setInputFiles(file);
      await proceed(page, 'Send and continue');
    };
    await send({ name: 'a text.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
    await expect.poll(() => errorOf(picture)).toMatch(/\w/);
    await send({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) });
    await expect.poll(() => errorOf(picture)).toMatch(/larger than 10 MB/);
    await expectAccessible(page);

    await breakOff(`${daemon().url}/hosted/session/document/front`, link.split('#')[1] ?? '');
    expect((await flowOf(link)).document?.given).toEqual([]);
    await send({ name: 'a.png', mimeType: 'image/png', buffer: aPng() });
    await heading(page, 'Is everything right?');
  });
});
