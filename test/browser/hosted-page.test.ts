/** The page of a hosted onboarding in Chromium, from its link to its end (contract §14). */
import { describe, expect, test } from 'vitest';
import { KYC } from '../support/builders.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { consoleOf } from './module-app.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import {
  agree,
  aSession,
  finish,
  giveData,
  heading,
  identify,
  KYC_SCREENS,
  proceed,
  storedOf,
  withoutWatch,
} from './hosted.ts';

describe.skipIf(skipsBrowser)('hosted onboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  test.each(['onboarding', 'bank_link', 'vault'])(
    'page: %s makes the browser report nothing but the missing token',
    async (name) => {
      const page = await browser.newPage();
      const complaints = consoleOf(page);
      await page.goto(`${daemon().url}/hosted/${name}`, { waitUntil: 'load' });
      await page.getByRole('heading').first().waitFor();
      expect(complaints.filter((text) => !text.includes('(Unauthorized)'))).toEqual([]);
    },
  );

  test('page: a reload and a second tab continue at the current step; the later one shows that the flow is done', async () => {
    const { link } = await aSession(daemon());
    const page = await browser.open(link);
    await identify(page, 'three@hosted.example');
    await heading(page, 'What is your name?');
    await page.reload();
    await heading(page, 'What is your name?');
    await giveData(page);
    await heading(page, 'Is everything right?');
    const second = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await withoutWatch(second);
    await second.goto(link);
    await heading(second, 'Is everything right?');
    await agree(page);
    await finish(page);
    await heading(page, 'You are done');
    await second.getByRole('checkbox').check();
    await proceed(second, 'Agree and continue');
    await heading(second, 'You are done');
  });

  test("page: a phone continues the computer's flow; the computer ends with its result", async () => {
    const { link, token } = await aSession(daemon());
    const computer = await browser.open(link, { viewport: { width: 1280, height: 800 } });
    await identify(computer, 'phone@hosted.example');
    const [name, ...others] = KYC_SCREENS;
    await name?.[1](computer);
    await proceed(computer);
    await heading(computer, 'When were you born?');
    await computer.getByLabel('Date of birth').fill('1/2/1999');

    const phone = await browser.newPage({
      viewport: { width: 360, height: 640 },
      deviceScaleFactor: 3,
      isMobile: true,
      hasTouch: true,
      userAgent:
        'Mozilla/5.0 (Linux; Android 14; Phone) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
    });
    await phone.goto(link);
    for (const [title, act] of others) {
      await heading(phone, title);
      await act(phone);
      await phone.getByRole('button', { name: 'Continue', exact: true }).tap();
    }
    await heading(phone, 'Is everything right?');
    await phone.getByRole('checkbox').tap();
    await phone.getByRole('button', { name: 'Agree and continue' }).tap();
    await heading(phone, 'Choose an outcome');
    await phone.getByRole('radio', { name: 'Manual review' }).tap();
    await phone.getByRole('button', { name: 'Finish' }).tap();
    await heading(phone, 'You are done');

    await heading(computer, 'You are done');
    await computer.getByText('Sandbox: the result is fail, and somebody has to look.').waitFor();
    const stored = await storedOf(daemon(), 'phone@hosted.example', ['id.first_name', 'id.dob']);
    // What the person typed on the computer and never sent is stored nowhere.
    expect(stored).toMatchObject({ 'id.first_name': 'Wilhelmina', 'id.dob': '1988-12-30' });
    // The link shows the same end on both devices.
    await phone.goto(link);
    await heading(phone, 'You are done');
    expect(phone.url().endsWith(token)).toBe(true);
  });

  test('page: redirects to redirect_url with a token that the server validates', async () => {
    const { link, token } = await aSession(daemon(), {
      redirect_url: `${daemon().url}/_kyclone/health?state=7`,
    });
    const page = await browser.newPage();
    const app = `${daemon().url}/_kyclone/health?state=before`;
    await page.goto(app);
    await page.goto(link);
    await identify(page, 'four@hosted.example');
    await giveData(page);
    await agree(page);
    await finish(page);
    await page.waitForURL(/validation_token=/);
    const url = new URL(page.url());
    expect(url.searchParams.get('state')).toBe('7');
    const answer = await ask(daemon(), 'POST', '/onboarding/session/validate', {
      validation_token: url.searchParams.get('validation_token'),
    });
    expect(answer).toMatchObject({
      user_auth: { auth_events: [{ kind: 'email' }] },
      user: { playbook_key: KYC, status: 'pass' },
    });
    expect(page.url()).not.toContain(token);
    // The page replaced the address with the token in the history, so going back skips it.
    await page.goBack();
    expect(page.url()).toBe(app);
  });
});
