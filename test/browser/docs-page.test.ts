import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { ask } from '../support/example-world.ts';
import { useDaemon } from '../support/use-shared.ts';
import { consoleOf } from './module-app.ts';

describe.skipIf(skipsBrowser)('/_kyclone/docs', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  /** Opens the page as the daemon serves it, and collects the errors that its script or its content policy reports. */
  async function openDocs(
    fragment = '',
    options: Parameters<typeof browser.newPage>[0] = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage(options);
    const complaints = consoleOf(page);
    await page.goto(`${daemon().url}/_kyclone/docs${fragment}`);
    return { page, complaints };
  }

  const shownEntries = (page: Page): Promise<string[]> =>
    page.evaluate<string[]>(`
      [...document.querySelectorAll('details, .event, tbody tr[id]')]
        .filter((each) => each.checkVisibility())
        .map((each) => each.id || each.querySelector('div').id)
    `);

  test('docs page: / focuses the search, which filters endpoints, identifiers and codes during typing', async () => {
    const { page, complaints } = await openDocs();
    const all = (await shownEntries(page)).length;

    await page.keyboard.press('/');
    await page.keyboard.type('ssn9');

    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('ssn9');
    const found = await shownEntries(page);
    expect(found).toContain('identifier-id.ssn9');
    expect(found).not.toContain('identifier-id.dob');
    await expect.poll(() => page.getByRole('status').innerText()).toBe(`${found.length} found`);
    await expect
      .poll(() => page.locator('main > section:visible h2').allInnerTexts())
      .toContain('Data identifiers');
    await expect.poll(() => page.locator('nav li:visible').count()).toBeLessThan(10);

    await page.keyboard.press('Escape');

    expect((await shownEntries(page)).length).toBe(all);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['post /users/search', 'endpoint'],
    ['watchlist_hit_ofac', 'reason-watchlist_hit_ofac'],
    ['T121', 'error-T121'],
    ['date_format', 'transform-date_format'],
    ['vault.updated', 'event-vault.updated'],
  ])('docs page: the search finds %s', async (words, expected) => {
    const { page } = await openDocs();

    await page.getByLabel('Search').fill(words);

    const found = await shownEntries(page);
    expect(found.length).toBeLessThan(10);
    if (expected === 'endpoint') {
      await expect
        .poll(() => page.locator('details:visible summary h3').allInnerTexts())
        .toEqual([expect.stringMatching(/^POST\s+\/users\/search\s/)]);
    } else expect(found).toContain(expected);
  });

  test('docs page: a search without result says so, and Enter in one with a result opens the first', async () => {
    const { page } = await openDocs();

    await page.getByLabel('Search').fill('nothing is called so');
    await expect.poll(() => page.getByRole('status').innerText()).toBe('Nothing found');
    await expect.poll(() => shownEntries(page)).toEqual([]);

    await page.getByLabel('Search').fill('id.email');
    await page.keyboard.press('Enter');

    await page.waitForURL(/#identifier-/);
    await expect.poll(() => page.locator('tr:target').count()).toBe(1);
  });

  test.each([
    ['signatures', 'Signatures'],
    ['reason', 'Reason codes'],
    ['data identifiers', 'Data identifiers'],
    ['emulator', 'Emulator'],
  ])('docs page: a search for %s finds the section with that title first', async (words, title) => {
    const { page, complaints } = await openDocs();
    const before = await page.locator('main > section h2').allInnerTexts();

    await page.getByLabel('Search').fill(words);

    const [first = ''] = await page.locator('main > section:visible h2').allInnerTexts();
    expect(first).toBe(title);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('h2:target').innerText()).toBe(title);

    await page.getByLabel('Search').fill('');
    await expect.poll(() => page.locator('main > section h2').allInnerTexts()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test('docs page: the first line of a code block begins where the others do', async () => {
    const { page } = await openDocs();

    const paddings = await page.evaluate<string[]>(
      `[...document.querySelectorAll('pre > code')].map((each) => getComputedStyle(each).paddingLeft)`,
    );
    expect(new Set(paddings)).toEqual(new Set(['0px']));
  });

  test('docs page: a link to an endpoint opens it, even if a search hides it', async () => {
    const { page, complaints } = await openDocs();
    const link = page.locator('nav .calls a').nth(3);
    const target = (await link.getAttribute('href')) ?? '';

    await page.getByLabel('Search').fill('ssn9');
    await page.evaluate(`location.hash = ${JSON.stringify(target)}`);

    await page.locator(`details[open] ${target}`).waitFor();
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('docs page: a slash typed into the search stays in it', async () => {
    const { page } = await openDocs();

    await page.getByLabel('Search').press('/');
    await page.getByLabel('Search').press('u');

    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('/u');
  });

  test('docs page: without script everything is shown, without the search', async () => {
    const { page } = await openDocs('#errors', { javaScriptEnabled: false });

    await expect.poll(() => page.locator('#search').isVisible()).toBe(false);
    await expect.poll(() => page.locator('tr[id^="error-"]').count()).toBeGreaterThan(30);
    await expect.poll(() => page.locator('details').count()).toBeGreaterThan(100);
    await expect.poll(() => page.locator('[id^="identifier-"]').first().isVisible()).toBe(true);
  });

  test.each([
    [400, 'light'],
    [400, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('docs page: %i pixels wide and %s, nothing is wider than the screen', async (width, scheme) => {
    const { page } = await openDocs('', { viewport: { width, height: 900 }, colorScheme: scheme });
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");

    const tooWide = await page.evaluate<string[]>(`
      [...document.querySelectorAll('main *')]
        .filter((each) => !each.closest('pre') && each.getBoundingClientRect().right > innerWidth + 1)
        .map((each) => each.outerHTML.slice(0, 120))
    `);

    expect(tooWide).toEqual([]);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('docs page: each endpoint opens in the request builder of the console', async () => {
    const { page, complaints } = await openDocs();
    const { url } = await ask(daemon(), 'POST', '/_kyclone/console/codes', {});
    await page.goto(String(url));
    await page.getByRole('grid').first().waitFor();
    await page.goto(`${daemon().url}/_kyclone/docs#createUser`);

    await page.locator('#createUser').getByRole('link', { name: 'Open in the console' }).click();

    await expect
      .poll(() => page.getByRole('combobox', { name: 'Endpoint' }).inputValue())
      .toBe('POST /users');
    expect(complaints).toEqual([]);
  });
});
