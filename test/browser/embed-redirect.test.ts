/**
 * `kyclone/onboarding` and `kyclone/bank-link` redirect an app's own window to the hosted page and back, in Chromium
 * (contract §14).
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { aRedirectingApp, notesOf, waitUntilNoted } from './app.ts';
import { anIntent, chooseAccounts, giveConsent } from './bank.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { agree, aPlaybook, aSession, finish, heading, identify, proceed } from './hosted.ts';

/** Lists the history entries that the page may read: neighbouring entries of its own origin. */
const ENTRIES = 'JSON.stringify(navigation.entries().map(({ url }) => url))';

describe.skipIf(skipsBrowser)('redirect', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  /** Serves an app that redirects to a session of a playbook; the session redirects back to the app. */
  async function aSignUp(playbook: object, more: Record<string, unknown> = {}) {
    const lead = { options: {} };
    const app = await aRedirectingApp(lead);
    const key = await aPlaybook(daemon(), playbook);
    const home = `http://127.0.0.1:${app.port}/?state=7`;
    const { token } = await aSession(daemon(), { key, redirect_url: home });
    lead.options = { token, baseUrl: daemon().url, ...more };
    return { seen: app.seen, token, ...(await leave(home)) };
  }

  async function leave(home: string): Promise<{ page: Page; home: string }> {
    const page = await browser.open(home);
    await waitUntilNoted(page, 'taken:false');
    await proceed(page, 'Verify me');
    return { page, home };
  }

  test('redirectToOnboarding, takeOnboardingResult: an app gets both tokens once, and its address and history hold neither', async () => {
    const { page, home, token, seen } = await aSignUp({ requirements: [], bank_link: true });
    await identify(page, 'redirected@hosted.example');
    await chooseAccounts(page);
    await agree(page);
    await finish(page);
    await waitUntilNoted(page, 'taken:true');
    const [, validation_token, intent_token] =
      /^complete:(vtok_\w+),(blit_\w+) taken:true$/.exec(await notesOf(page)) ?? [];
    expect(page.url()).toBe(home);
    expect(JSON.parse(String(await page.evaluate(ENTRIES)))).toEqual([home, home]);
    expect(JSON.stringify(seen)).toContain('validation_token=');
    expect(JSON.stringify(seen)).not.toContain(token);
    expect(await ask(daemon(), 'POST', '/onboarding/session/validate', { validation_token })).toMatchObject({
      user: { status: 'pass' },
    });
    expect(await ask(daemon(), 'POST', '/bank_links', { intent_token })).toMatchObject({
      state: 'connected',
    });
    await page.reload();
    await waitUntilNoted(page, 'taken:');
    await expect.poll(() => notesOf(page)).toBe('taken:false');
  });

  test('redirectToOnboarding: a canceled flow returns, and the same token opens it again', async () => {
    const { page, home } = await aSignUp({ requirements: [['id.first_name']] });
    await identify(page, 'canceled@hosted.example');
    await heading(page, 'What is your name?');
    await proceed(page, 'Cancel');
    await waitUntilNoted(page, 'cancel taken:true');
    expect(page.url()).toBe(home);
    await proceed(page, 'Verify me');
    await heading(page, 'Let’s begin');
  });

  test('redirectToOnboarding: the page has the appearance; an invalid appearance or token is refused', async () => {
    const requirements = [['id.first_name']];
    const { page } = await aSignUp({ requirements }, { appearance: { accent: '#ff8800', radius: 3 } });
    await heading(page, 'Let’s begin');
    const colour = "getComputedStyle(document.querySelector('.kyclone-primary')).backgroundColor";
    await expect.poll(() => page.evaluate(colour)).toBe('rgb(255, 136, 0)');
    for (const wrong of [
      { appearance: { accent: 'red' } },
      { token: 'vtok_x' },
      { baseUrl: 'javascript:' },
    ]) {
      const refused = await aSignUp({ requirements }, wrong);
      await waitUntilNoted(refused.page, 'TypeError');
      expect(refused.page.url()).toBe(refused.home);
    }
  });

  test('redirectToBankLink, takeBankLinkResult: an app gets the intent once, or learns that the person left', async () => {
    const lead = { options: {} };
    const { port } = await aRedirectingApp(lead, 'bank-link');
    const redirect_url = `http://127.0.0.1:${port}/?state=7`;
    const { intent_token, fp_id } = await anIntent(daemon(), { redirect_url });
    lead.options = { token: intent_token, baseUrl: daemon().url };
    const { page, home } = await leave(redirect_url);
    await heading(page, 'Which bank do you use?');
    await proceed(page, 'Cancel');
    await waitUntilNoted(page, 'cancel taken:true');
    expect(page.url()).toBe(home);
    await proceed(page, 'Verify me');
    await chooseAccounts(page);
    await giveConsent(page);
    await waitUntilNoted(page, `success:${intent_token} taken:true`);
    expect(page.url()).toBe(home);
    await expect.poll(() => page.evaluate(ENTRIES)).not.toContain('blit_');
    expect(await ask(daemon(), 'POST', '/bank_links', { intent_token })).toMatchObject({ fp_id });
  });

  test('takeOnboardingResult, takeBankLinkResult: an invented address holds no result, and stays unchanged', async () => {
    for (const module of ['onboarding', 'bank-link'] as const) {
      const { port } = await aRedirectingApp({ options: {} }, module);
      const page = await browser.newPage();
      const other = module === 'onboarding' ? 'blit_x' : 'vtok_x';
      for (const query of [
        'validation_token=',
        'validation_token=%3Cscript%3E',
        `validation_token=${other}`,
        'validation_token=vtok_%0A',
        'canceled=false',
        'canceled',
        'intent_token=blit_x',
        'state=7',
      ]) {
        const address = `http://127.0.0.1:${port}/?${query}`;
        await page.goto(address);
        await waitUntilNoted(page, 'taken:');
        expect([query, await notesOf(page), page.url()]).toEqual([query, 'taken:false', address]);
      }
    }
  });
});
