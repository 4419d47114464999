/** The page on which a person links a bank, and the bank step of an onboarding, in Chromium (contract §7, §14). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anApp, notesOf, waitUntilNoted } from './app.ts';
import { expectAccessible } from './axe.ts';
import {
  agreeToLink,
  anIntent as newIntent,
  chooseAccounts,
  chooseBank,
  choosePersona,
  type Intent,
} from './bank.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { agree, aPlaybook, aSession, finish, giveCode, heading, identify, proceed } from './hosted.ts';

describe.skipIf(skipsBrowser)('linking a bank', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  const anIntent = (more: Record<string, unknown> = {}) => newIntent(daemon(), more);

  const linked = ({ intent_token }: Pick<Intent, 'intent_token'>) =>
    ask(daemon(), 'POST', '/bank_links', { intent_token });
  const accountsOf = async (link: unknown) =>
    (await ask(daemon(), 'GET', `/bank_links/${String(link)}/accounts`))['accounts'] as { name: string }[];

  /** Checks that the screen is accessible and fits into 320 pixels. */
  async function expectFit(page: Page): Promise<void> {
    await expectAccessible(page);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  }

  test('page: search, persona, accounts, agreement, done; every screen is accessible and fits 320 pixels', async () => {
    const intent = await anIntent();
    const page = await browser.open(intent.link, { viewport: { width: 320, height: 640 } });
    await heading(page, 'Which bank do you use?');
    await expectFit(page);
    await page.getByLabel('Search for your bank').fill('savings');
    await page.getByText('1 bank found').waitFor();
    await expect.poll(() => page.getByRole('radio', { name: 'Example Savings' }).isChecked()).toBe(true);
    await proceed(page);
    await heading(page, 'Who are you today?');
    await expectFit(page);
    await choosePersona(page, 'Joint');
    await heading(page, 'Which accounts?');
    await expectFit(page);
    const boxes = page.getByRole('checkbox');
    const all = await boxes.count();
    for (let index = 0; index < all; index++) await boxes.nth(index).uncheck();
    await proceed(page);
    await page.getByText('Choose at least one').waitFor();
    await boxes.nth(0).check();
    await boxes.nth(all - 1).check();
    await proceed(page);
    await heading(page, 'Link this bank?');
    await expectFit(page);
    await proceed(page, 'Agree and link');
    await page.getByText('Tick the box to go on').waitFor();
    // No link exists before the person agrees.
    expect((await ask(daemon(), 'GET', '/bank_links'))['data']).toEqual([]);
    await agreeToLink(page);
    await expectFit(page);
    await page.reload();
    await heading(page, 'You are done');

    const link = await linked(intent);
    expect(link).toMatchObject({
      institution_name: 'Example Savings',
      state: 'connected',
      fp_id: intent.fp_id,
    });
    expect(await accountsOf(link['id'])).toHaveLength(2);
  });

  test('page: a bank of any name, markup and right-to-left text included; going back loses nothing', async () => {
    const intent = await anIntent();
    const page = await browser.open(intent.link);
    const name = '<img src=x onerror=alert(1)> بنك';
    await chooseBank(page, name);
    await choosePersona(page, 'Thin');
    await heading(page, 'Which accounts?');
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(page, 'Who are you today?');
    await expect.poll(() => page.getByRole('radio', { name: 'Thin' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(page, 'Which bank do you use?');
    await expect.poll(() => page.getByRole('radio', { name }).isChecked()).toBe(true);
    // A click while the step before is still shown would be lost.
    await proceed(page);
    await heading(page, 'Who are you today?');
    await proceed(page);
    await heading(page, 'Which accounts?');
    await proceed(page);
    await heading(page, 'Link this bank?');
    await page.getByText(name).waitFor();
    await expect.poll(() => page.locator('img').count()).toBe(0);
    await page.getByRole('button', { name: 'Change Persona' }).click();
    await choosePersona(page, 'Empty');
    await heading(page, 'Which accounts?');
    await proceed(page);
    await heading(page, 'Link this bank?');
    await agreeToLink(page);
    const link = await linked(intent);
    expect(link['institution_name']).toBe(name);
    expect(await accountsOf(link['id'])).toHaveLength(1);
  });

  test('page: a failing persona is reported, and linked in state error; the page can reconnect it', async () => {
    const intent = await anIntent();
    const page = await browser.open(intent.link, { viewport: { width: 320, height: 640 } });
    await chooseBank(page, 'first');
    await choosePersona(page, 'Broken');
    await heading(page, 'The bank does not answer');
    await expectFit(page);
    await page.getByRole('button', { name: 'Choose somebody else' }).click();
    await choosePersona(page, 'Broken');
    await proceed(page, 'Link it anyway');
    await heading(page, 'Link this bank?');
    await agreeToLink(page);
    const { id, fp_id, ...link } = await linked(intent);
    expect(link).toMatchObject({ state: 'error', error_code: 'institution_error' });

    const again = await anIntent({ fp_id, link_id: id });
    await page.goto(again.link);
    await heading(page, 'Connect your bank again');
    await page.getByText('First Example Bank did not answer last time. It does now.').waitFor();
    await expectFit(page);
    await agreeToLink(page, 'Agree and connect');
    expect(await linked(again)).toMatchObject({ id, state: 'connected' });
    await ask(daemon(), 'POST', `/bank_links/${id}/reset`);
    await page.goto((await anIntent({ fp_id, link_id: id })).link);
    await page.getByText('First Example Bank wants you to sign in again.').waitFor();
  });

  test('page: closed accounts and those of other currencies are marked', async () => {
    const page = await browser.open((await anIntent({ persona: 'closed' })).link);
    await chooseBank(page, 'trust');
    await heading(page, 'Who are you today?');
    await expect.poll(() => page.getByRole('radio', { name: 'Closed' }).isChecked()).toBe(true);
    await proceed(page);
    await page.getByRole('checkbox', { name: 'Legacy Savings, savings, closed' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await choosePersona(page, 'Multi currency');
    await page.getByRole('checkbox', { name: /, EUR$/ }).waitFor();
  });

  test('page: a later second tab, and a link used without the page, show that the flow is done', async () => {
    const intent = await anIntent();
    const [first, second] = [await browser.newPage(), await browser.newPage()];
    await first.goto(intent.link);
    await chooseAccounts(first);
    await heading(first, 'Link this bank?');
    // The second tab opens at the step where the first one is.
    await second.goto(intent.link);
    await heading(second, 'Link this bank?');
    await agreeToLink(first);
    await heading(second, 'You are done');
    const used = await anIntent();
    await second.goto(used.link);
    await heading(second, 'Which bank do you use?');
    await linked(used);
    await heading(second, 'You are done');
  });

  test('page: expired, malformed and foreign links explain what to do; a flow of one page opens no other', async () => {
    const page = await browser.newPage();
    const { url } = daemon();
    for (const path of [
      'bank_link#blit_nonsense',
      'bank_link#cttok_other',
      'bank_link',
      'onboarding#TOKEN',
    ]) {
      const { intent_token } = await anIntent();
      await page.goto('about:blank');
      await page.goto(`${url}/hosted/${path.replace('TOKEN', intent_token)}`);
      await heading(page, 'This link does not work');
      await expectAccessible(page);
    }
    await page.goto('about:blank');
    await page.goto((await aSession(daemon())).link.replace('/onboarding', '/bank_link'));
    await identify(page, 'no.bank@hosted.example');
    await heading(page, 'There is no bank to link');
    await expectAccessible(page);
    const late = await anIntent();
    await page.goto('about:blank');
    await page.goto(late.link);
    await heading(page, 'Which bank do you use?');
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'advance', by: '31m' });
    await proceed(page);
    await heading(page, 'This link has expired');
    await expectAccessible(page);
    expect((await ask(daemon(), 'GET', '/bank_links?link_ids=none'))['data']).toEqual([]);
    await ask(daemon(), 'PUT', '/_kyclone/clock', { action: 'resume' });
  });

  const withBank = () => aPlaybook(daemon(), { requirements: [], bank_link: true });

  test('onboarding: asks for a bank if the playbook does, and ends with an intent for it', async () => {
    const redirect_url = `${daemon().url}/_kyclone/health`;
    const { link } = await aSession(daemon(), { key: await withBank(), redirect_url });
    const page = await browser.open(link, { viewport: { width: 320, height: 640 } });
    await identify(page, 'with.bank@hosted.example');
    await chooseAccounts(page, 'union');
    await heading(page, 'Is everything right?');
    await page.getByText('Demo Federal Credit Union').or(page.getByText('Example Credit Union')).waitFor();
    await expectFit(page);
    await page.getByRole('button', { name: 'Change Accounts' }).click();
    await heading(page, 'Which accounts?');
    await proceed(page);
    await agree(page);
    await finish(page);
    await page.waitForURL(/intent_token=/);
    const tokens = new URL(page.url()).searchParams;
    const validated = (await ask(daemon(), 'POST', '/onboarding/session/validate', {
      validation_token: tokens.get('validation_token'),
    })) as unknown as { user_auth: { fp_id: string } };
    const made = await linked({ intent_token: tokens.get('intent_token') ?? '' });
    expect(made).toMatchObject({ fp_id: validated.user_auth.fp_id, state: 'connected' });
  });

  test("page: with a session's token it asks a known user for the code and the bank; an unknown person signs up first", async () => {
    const key = await withBank();
    const { id } = await ask(daemon(), 'POST', '/users', { 'id.email': 'known.bank@hosted.example' });
    const page = await browser.open(
      (await aSession(daemon(), { key, fp_id: id })).link.replace('/onboarding', '/bank_link'),
    );
    await giveCode(page);
    await chooseAccounts(page);
    await heading(page, 'Link this bank?');
    await agreeToLink(page);
    await page.goto('about:blank');
    await page.goto((await aSession(daemon(), { key })).link.replace('/onboarding', '/bank_link'));
    await identify(page, 'stranger.bank@hosted.example');
    await heading(page, 'Sign up first');
    await expectAccessible(page);
  });

  describe('openBankLink', () => {
    async function open(options: Record<string, unknown>, { isFramed = true, host = '127.0.0.1' } = {}) {
      const intent = await anIntent();
      const { port } = await anApp(
        { token: intent.intent_token, baseUrl: daemon().url, ...options },
        isFramed,
        'bank-link',
      );
      const page = await browser.open(`http://${host}:${port}/`, { viewport: { width: 900, height: 700 } });
      await page.getByRole('button', { name: 'Verify me' }).click();
      return { page, intent, frame: page.frameLocator('iframe') };
    }

    test.each([true, false])(
      'openBankLink: gives the intent to the app of another origin (framed: %s)',
      async (isFramed) => {
        const { page, frame, intent } = await open({}, { isFramed });
        const next = (name = 'Continue') => frame.getByRole('button', { name, exact: true }).click();
        await frame.getByRole('heading', { name: 'Which bank do you use?' }).waitFor();
        await next();
        await frame.getByRole('radio', { name: 'Broken' }).check();
        await next();
        await waitUntilNoted(page, 'error:The_bank_does_not_answer');
        await frame.getByRole('button', { name: 'Choose somebody else' }).click();
        await frame.getByRole('radio', { name: 'Thin' }).check();
        await next();
        await frame.getByRole('heading', { name: 'Which accounts?' }).waitFor();
        await next();
        await frame.getByRole('checkbox', { name: /^I agree/ }).check();
        await next('Agree and link');
        await waitUntilNoted(page, `success:${intent.intent_token}`);
        if (!isFramed) await waitUntilNoted(page, 'close');
        expect((await notesOf(page)).match(/success:/g)).toHaveLength(1);
        expect(await linked(intent)).toMatchObject({ state: 'connected' });
      },
    );
  });

  test('canary: typed values and the token are in no log, journal, URL or storage of the browser', async () => {
    const intent = await anIntent();
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) =>
      asked.push(request.url().split('#')[0] ?? '', request.headers()['referer'] ?? ''),
    );
    await page.goto(intent.link);
    await chooseBank(page, 'Canary Chosen Bank');
    await choosePersona(page, 'Thin');
    await heading(page, 'Which accounts?');
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.search])',
    );
    expect(stored).toBe('[{},{},"",{"place":"bank:accounts","depth":2},""]');
    expect(asked.filter((text) => /blit_|Canary/.test(text))).toEqual([]);
    const journal = JSON.stringify(await ask(daemon(), 'GET', '/_kyclone/requests?limit=100'));
    expect(journal).toContain('/hosted/session/bank');
    expect(journal).not.toMatch(/blit_\w|Canary Chosen/);
    for (const file of readdirSync(daemon().home, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), 'latin1');
      expect(text.includes(intent.intent_token) || text.includes('Canary Chosen'), file.name).toBe(false);
    }
  });
});
