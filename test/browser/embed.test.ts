/** `kyclone/onboarding` in an app of another origin, in Chromium (contract §14). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { FOREIGN_HOST, skipsBrowser, useBrowser } from './chromium.ts';
import { anApp, built, notesOf, serveFiles, waitUntilNoted } from './app.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { aPlaybook, aSession, finish, giveNameAndAgree } from './hosted.ts';

let people = 0;

/** Completes the flow of a playbook that requires only a name. */
async function goThrough(frame: FrameLocator): Promise<void> {
  await giveNameAndAgree(frame, `embedded.${++people}@hosted.example`);
  await finish(frame);
}

describe.skipIf(skipsBrowser)('openOnboarding', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  async function open({
    isFramed = false,
    host = '127.0.0.1',
    ...options
  }: Record<string, unknown> & { isFramed?: boolean; host?: string } = {}) {
    const key = await aPlaybook(daemon(), { requirements: [['id.first_name']] });
    const { token } = await aSession(daemon(), { key });
    const { port, seen } = await anApp({ token, baseUrl: daemon().url, ...options }, isFramed);
    const page = await browser.open(`http://${host}:${port}/`, { viewport: { width: 900, height: 700 } });
    await page.getByRole('button', { name: 'Verify me' }).click();
    return { page, frame: page.frameLocator('iframe'), token, seen };
  }

  test('openOnboarding: a dialog ends with a token that the server validates, and restores focus and scrolling', async () => {
    const { page, frame } = await open();
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.documentElement).overflow'))
      .toBe('hidden');
    await goThrough(frame);
    await waitUntilNoted(page, 'close');
    const [first, complete = '', last] = (await notesOf(page)).split(' ');
    expect([first, last]).toEqual(['auth', 'close']);
    expect(
      await ask(daemon(), 'POST', '/onboarding/session/validate', {
        validation_token: complete.replace('complete:', ''),
      }),
    ).toMatchObject({ user: { status: 'pass' } });
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await expect
      .poll(() => page.evaluate('getComputedStyle(document.documentElement).overflow'))
      .toBe('visible');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('open');
    expect(page.url()).not.toContain('tok_');
  });

  test('openOnboarding: the token is in no address, referrer or history of the app, and in no journal or log', async () => {
    const { page, frame, token, seen } = await open();
    await goThrough(frame);
    await waitUntilNoted(page, 'close');
    expect(
      await page.evaluate('JSON.stringify([location.href, history.state, document.referrer])'),
    ).not.toContain(token);
    expect(JSON.stringify(seen)).toContain('/onboarding.js');
    expect(JSON.stringify(seen)).not.toContain(token);
    const journal = JSON.stringify(await ask(daemon(), 'GET', '/_kyclone/requests?page_size=100'));
    expect(journal).toContain('/hosted/session/complete');
    expect(journal).not.toContain(token);
    const files = readdirSync(daemon().home, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes(token))).toEqual([]);
    // The steps inside the frame are no entries of the app any more.
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  test('openOnboarding: a frame in a container has the height of its page, and stays at the end', async () => {
    const { page, frame } = await open({ isFramed: true });
    await frame.getByLabel('E-mail address').waitFor();
    await expect
      .poll(() => page.evaluate('document.querySelector("iframe").offsetHeight'))
      .toBeGreaterThan(300);
    await goThrough(frame);
    await frame.getByRole('heading', { name: 'You are done' }).waitFor();
    await expect.poll(() => notesOf(page)).toMatch(/^auth complete:vtok_\w+$/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
    await expect.poll(() => notesOf(page)).toMatch(/ close$/);
  });

  test('openOnboarding: Escape closes the dialog, inside the page and outside it; focus stays inside', async () => {
    const { page, frame } = await open();
    await frame.getByLabel('E-mail address').focus();
    for (let count = 0; count < 12; count += 1) {
      await page.keyboard.press('Tab');
      expect(['BODY', 'IFRAME', 'BUTTON']).toContain(await page.evaluate('document.activeElement.tagName'));
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('');
    }
    await frame.getByLabel('E-mail address').focus();
    await page.keyboard.press('Escape');
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toBe('cancel close');
    await page.getByRole('button', { name: 'Verify me' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).focus();
    await page.keyboard.press('Escape');
    await waitUntilNoted(page, 'close cancel close');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
  });

  test('openOnboarding: in a container Cancel is reported once; Back to the app removes the frame', async () => {
    const { page, frame } = await open({ isFramed: true });
    await frame.getByRole('button', { name: 'Cancel' }).click();
    await frame.getByRole('button', { name: 'Back to the app' }).click();
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toBe('cancel close');
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
  });

  test('openOnboarding: after two dialogs the page scrolls again, whichever was closed first', async () => {
    const { page } = await open();
    const options = JSON.stringify({ token: 'obtok_nonsense', baseUrl: daemon().url });
    await page.evaluate(`import('/onboarding.js').then(({ openOnboarding }) => {
      openOnboarding(${options});
      document.querySelector('#close').click();
    })`);
    const overflow = () => page.evaluate('getComputedStyle(document.documentElement).overflow');
    await expect.poll(overflow).toBe('hidden');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect.poll(overflow).toBe('visible');
  });

  test('openOnboarding: a page whose policy admits the frame and no calls shows it', async () => {
    const { token } = await aSession(daemon(), { key: await aPlaybook(daemon(), { requirements: [] }) });
    const baseUrl = daemon().url;
    const script = `import { openOnboarding } from '/onboarding.js';
      openOnboarding({ token: '${token}', baseUrl: '${baseUrl}', container: document.body,
        onError: ({ message }) => (document.body.dataset.noted = message) });`;
    const files: Readonly<Record<string, string>> = {
      '/': '<!doctype html><body data-noted=""><script type="module" src="/app.js"></script>',
      '/app.js': script,
      '/onboarding.js': built('onboarding.js'),
    };
    const policy = `default-src 'none'; script-src 'self'; frame-src ${baseUrl}`;
    const { port } = await serveFiles((path) => files[path], { 'content-security-policy': policy });
    const page = await browser.newPage();
    const refused = page.waitForEvent('console', (line) => line.text().includes('connect-src'));
    await page.goto(`http://127.0.0.1:${port}/`);
    await refused;
    await page.frameLocator('iframe').getByLabel('E-mail address').fill('frame.src@hosted.example');
    expect(await notesOf(page)).toBe('');
  });

  test('openOnboarding: reports Cancel of the page, and an invalid token', async () => {
    const { page, frame } = await open();
    await frame.getByRole('button', { name: 'Cancel' }).click();
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toBe('cancel close');
    const other = await open({ token: 'obtok_nonsense', isFramed: true });
    await other.frame.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await waitUntilNoted(other.page, 'error');
    await expect.poll(() => notesOf(other.page)).toBe('error:This_link_does_not_work');
  });

  test('openOnboarding: ignores messages of foreign windows and of other forms', async () => {
    const { page, frame } = await open({ isFramed: true });
    await frame.getByLabel('E-mail address').waitFor();
    const forged = `{ source: 'kyclone', type: 'complete', validation_token: 'vtok_forged' }`;
    const forger = `"<script>parent.postMessage(${forged.replaceAll("'", '\\x27')}, '*')</" + 'script>'`;
    /** Changes a frame, and waits until it posts a message of this type. */
    const heard = (frame: string, type: string, act: string) =>
      page.evaluate(`new Promise((resolve) => {
        const frame = ${frame};
        window.addEventListener('message', ({ source, data }) => {
          if (source === frame.contentWindow && data.type === '${type}') resolve();
        });
        ${act};
      })`);
    const another = "document.body.appendChild(document.createElement('iframe'))";
    await page.evaluate(`window.postMessage(${forged}, '*')`);
    await heard(another, 'complete', `frame.srcdoc = ${forger}`);
    // The messages come from another page of the service, and from the frame of the flow with foreign content in it.
    const address = `${daemon().url}/hosted/onboarding?origin=`;
    await heard(
      another,
      'error',
      `frame.src = '${address}' + encodeURIComponent(origin) + '#obtok_nonsense'`,
    );
    await heard("document.querySelector('#place iframe')", 'complete', `frame.srcdoc = ${forger}`);
    await expect.poll(() => notesOf(page)).toBe('');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => notesOf(page)).toBe('close');
  });

  test('openOnboarding: where the origin is not served, a sentence stands in place of the frame', async () => {
    const { page } = await open({ host: FOREIGN_HOST, isFramed: true });
    await page.locator('#place').getByRole('alert').filter({ hasText: 'cors.origins' }).waitFor();
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
  });

  test('openOnboarding: the page has colours, radius, font and theme; an invalid value is refused', async () => {
    const appearance = { theme: 'dark', accent: '#ff8800', radius: 3, font: 'Georgia, serif' };
    const { page, frame } = await open({ appearance, isFramed: true });
    await frame.getByRole('button', { name: 'Continue', exact: true }).waitFor();
    const shown = await page.frames()[1]?.evaluate(`(() => {
      const { backgroundColor, color, borderRadius, fontFamily } = getComputedStyle(document.querySelector('.kyclone-primary'));
      return [backgroundColor, color, borderRadius, fontFamily, getComputedStyle(document.body).backgroundColor];
    })()`);
    expect(shown).toEqual(['rgb(255, 136, 0)', 'rgb(0, 0, 0)', '3px', 'Georgia, serif', 'rgb(18, 22, 20)']);
    const refused = await open({ appearance: { accent: 'red' } });
    await expect.poll(() => notesOf(refused.page)).toBe('TypeError');
    await expect.poll(() => refused.page.locator('iframe, dialog').count()).toBe(0);
  });
});
