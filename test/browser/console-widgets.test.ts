/** The table, the tree of JSON, the timeline, the plots and the request builder of the console, in Chromium. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hashOf } from '../../src/console/routes.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser } from './chromium.ts';
import { clipboard, useConsole } from './console.ts';
import { errorOf } from './on-page.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1600, height: 1000 };
const DECRYPT = '#/request?operation=POST%20/users/{fp_id}/vault/decrypt';

/** axe finds nothing in light and dark, on a desk and on a phone, and the page is never wider than its window. */
async function expectLooks(page: Page, name: string): Promise<void> {
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${name}, ${viewport.width}, ${colorScheme}`);
    }
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name })
      .toBeLessThanOrEqual(viewport.width);
  }
}

describe.skipIf(skipsBrowser)('widgets of the console', () => {
  const kyclone = useConsole();
  const { addressOf } = kyclone;

  describe('Table', () => {
    const headings = (page: Page) => page.locator('.is-current').getByRole('columnheader').allInnerTexts();

    test('Table: a heading sorts up, down and not at all, by the keyboard', async () => {
      const { page } = await kyclone.open(addressOf('Vault'));
      const heading = page.getByRole('columnheader', { name: 'IDENTIFIER' });
      const cells = () => page.locator('.is-current .table-body a', { hasText: /^\w+\.\w/ }).allInnerTexts();
      const before = await cells();

      await heading.getByRole('button').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
      await expect.poll(() => cells()).toEqual(before.toSorted());
      await page.keyboard.press('Enter');
      await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
      await expect.poll(() => cells()).toEqual(before.toSorted().toReversed());
      await page.keyboard.press('Enter');
      await expect.poll(() => heading.getAttribute('aria-sort')).toBe('none');
      await expect.poll(() => cells()).toEqual(before);
    });

    test('Table: keys select and mark rows, and assistive technology hears which', async () => {
      const { page } = await kyclone.open('#/users');
      const grid = page.getByRole('grid', { name: 'Users' });
      await grid.focus();
      for (const key of ['Home', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key);
      const third = page.locator('.is-current .table-body > [aria-rowindex="3"].is-selected');
      await third.waitFor();
      const active = await grid.getAttribute('aria-activedescendant');
      await expect.poll(() => third.getAttribute('id')).toBe(active);
      await page.keyboard.press(' ');
      await expect.poll(() => page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    });

    test('Table: columns are chosen by the keyboard, those that do not fit scroll, and escape closes the list', async () => {
      const { page } = await kyclone.open(addressOf('Vault'));
      const columns = page.locator('.is-current .table-columns');
      await columns.locator('summary').focus();
      await page.keyboard.press('Enter');
      await columns.getByRole('checkbox', { name: 'TYPE' }).focus();
      await page.keyboard.press(' ');
      await expect.poll(() => headings(page)).not.toContain('TYPE');
      const label = columns.getByText('TYPE');
      await label.click();
      await expect.poll(() => headings(page)).toContain('TYPE');
      await label.click();
      await expect.poll(() => headings(page)).not.toContain('TYPE');
      await expectLooks(page, 'columns');
      await page.setViewportSize(PHONE);
      for (const box of await columns.getByRole('checkbox').all()) await box.check();
      const lefts = await page.evaluate<string[]>(`
        [...document.querySelectorAll('.is-current [role=row]')].map((row) =>
          [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join())`);
      expect(lefts.length).toBeGreaterThan(10);
      expect(new Set(lefts).size).toBe(1);
      await columns.getByRole('button', { name: 'Those that fit' }).press('Enter');
      await page.setViewportSize(DESK);
      await expect.poll(() => headings(page)).toContain('TYPE');
      await page.keyboard.press('Escape');
      await expect.poll(() => columns.getByRole('checkbox').first().isVisible()).toBe(false);
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    });
  });

  test('JsonTree: keys move, fold and copy, and a long text is shown whole', async () => {
    const { service, user } = kyclone.world();
    const note = `A note that is longer than a line, because somebody wrote down ${'what was said '.repeat(5)}`;
    const body = { note, signals: [1, 2, { scopes: ['name', 'dob'] }] };
    const { id } = (
      await service.call('POST /_kyclone/events/trigger', {
        body: { kind: 'onboarding.completed', fp_id: user, body },
      })
    ).body;
    const { page, complaints } = await kyclone.open(
      hashOf({ place: { screen: 'event', params: { event_id: id } }, pane: 1 }),
    );
    const tree = page.getByRole('tree', { name: 'Body' });
    const active = async () => page.locator(`[id="${await tree.getAttribute('aria-activedescendant')}"]`);

    await tree.getByRole('treeitem', { name: /^1: "dob"/ }).click();
    await tree.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await active()).innerText()).toContain('scopes');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await active()).getAttribute('aria-expanded')).toBe('false');
    await expect.poll(async () => (await active()).innerText()).toContain('scopes: [ 2 items ]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await active()).innerText()).toContain('0: "name"');
    await page.keyboard.press('Control+c');
    await expect.poll(() => clipboard(page)).toBe('name');
    await page.locator('.is-current').getByRole('button', { name: 'Copy path' }).click();
    await expect.poll(() => clipboard(page)).toMatch(/^\$\..*signals\[2\]\.scopes\[0\]$/);

    await tree.getByRole('treeitem', { name: /^note/ }).click();
    await expect.poll(() => page.locator('.is-current .json-whole').innerText()).toContain('what was said');
    await expectLooks(page, 'json');
    expect(complaints).toEqual([]);
  });

  test('JsonTree: of 100,000 members only the lines near the view are elements', async () => {
    const { page } = await kyclone.open('#/request?operation=GET%20/_kyclone/clock');
    const json = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ index })));
    await page.route('**/_kyclone/clock', (route) => route.fulfill({ body: json }));
    await page.getByRole('button', { name: 'Send' }).click();
    const response = page.getByRole('region', { name: 'Response' });
    const items = response.getByRole('treeitem');

    await response.getByRole('button', { name: 'Unfold all' }).click();
    await response.getByRole('tree').press('End');
    await expect.poll(() => items.last().innerText()).toContain('index: 99999');
    await expect.poll(() => items.count()).toBeLessThan(80);
    await response.getByRole('button', { name: 'Fold all', exact: true }).click();
    await response.getByRole('tree').press('Home');
    await expect.poll(() => items.first().innerText()).toContain('[');
  });

  test('Timeline: days with their entries and links; what is not found leaves none', async () => {
    const { page, complaints } = await kyclone.open(addressOf('Timeline'));
    await page.getByRole('button', { name: 'Drawn' }).click();
    const timeline = page.locator('.is-current').getByRole('region', { name: 'What happened' });
    await expect
      .poll(() => timeline.getByRole('heading', { level: 2 }).first().innerText())
      .toMatch(/^\w{3} \d+ \w+ \d{4}$/);
    await expect.poll(() => timeline.getByRole('link').first().getAttribute('href')).toMatch(/^#\/\w/);
    await expectLooks(page, 'timeline');
    await page.getByRole('searchbox').fill('nothing is called so');
    await page.keyboard.press('Enter');
    await expect.poll(() => timeline.innerText()).toMatch(/^No/);
    expect(complaints).toEqual([]);
  });

  test('Plot: a name with the ends and the last value, the numbers as a table, and all within the drawing', async () => {
    const { page, complaints } = await kyclone.open(hashOf({ place: kyclone.world().places.requests }));
    const plot = page.locator('.plot');
    await expect
      .poll(() => plot.getByRole('img').getAttribute('aria-label'))
      .toMatch(/over time.*\. went well: \d+ points from \d+ to \d+, last \d+/);
    await plot.locator('summary').press('Enter');
    await expect
      .poll(() => plot.getByRole('row').nth(1).innerText())
      .toMatch(/^[-\d]{10} [:\d]{8}\t[\d\t]*\d/);
    const outside = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('svg[role=img]')].flatMap((svg) => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text, rect, polyline, circle')].filter((each) => {
        const part = each.getBoundingClientRect();
        return part.left < box.left - 1 || part.right > box.right + 1 || part.top < box.top - 1 || part.bottom > box.bottom + 1;
      }).map((each) => each.outerHTML);
    })`);
    expect(outside).toEqual([]);
    await expectLooks(page, 'plot');
    expect(complaints).toEqual([]);
  });

  describe('RequestBuilder', () => {
    const options = (page: Page) => page.getByRole('listbox').getByRole('option');
    const status = (page: Page) => page.locator('.request-status');
    const endpoint = (page: Page) => page.getByRole('combobox', { name: 'Endpoint' });

    async function choose(page: Page, words: string): Promise<void> {
      await endpoint(page).focus();
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    }

    test('RequestBuilder: what is missing is named beside its field, which gets the focus', async () => {
      const { page } = await kyclone.open(DECRYPT);
      const id = page.getByRole('textbox', { name: 'fp_id' });
      const fields = page.getByRole('textbox', { name: 'fields' });
      await expect.poll(() => errorOf(id)).toBe('');

      await page.getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => errorOf(id)).toBe('Required');
      await expect.poll(() => page.locator('[aria-invalid=true]:focus').count()).toBe(1);
      await expect.poll(() => page.getByRole('alert').innerText()).toBe('Not sent: 1 field to correct');

      // A folded group opens for the field in it.
      await page.locator('summary', { hasText: 'Path' }).click();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('[aria-invalid=true]:focus').waitFor();
      await id.fill('fp_id_1');
      await fields.fill('["id.first_name"');
      await expect.poll(() => errorOf(fields)).toMatch(/^Not JSON/);
      await page.getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => status(page).innerText()).toBe('Not sent yet');
      await expectLooks(page, 'problems of a request');
    });

    test('RequestBuilder: the search finds endpoints by words and keys, and escape keeps the one before', async () => {
      const { page } = await kyclone.open(DECRYPT);
      await endpoint(page).focus();
      await page.keyboard.type('user label');
      await expect.poll(() => options(page).count()).toBeGreaterThan(1);
      await expectLooks(page, 'search for an endpoint');
      await page.keyboard.press('ArrowDown');
      const [, second = ''] = await page.locator('[role=option] .request-path').allInnerTexts();
      await page.keyboard.press('Enter');
      await expect.poll(() => endpoint(page).inputValue()).toContain(second);

      await endpoint(page).click();
      await expect.poll(() => options(page).count()).toBeGreaterThan(200);
      await page.keyboard.press('Escape');
      await expect.poll(() => options(page).count()).toBe(0);
      await expect.poll(() => endpoint(page).inputValue()).toContain(second);

      await endpoint(page).fill('nothing is called so');
      await page.getByText('Nothing found').waitFor();
    });

    test('RequestBuilder: a body changes between fields and JSON, and takes members by name', async () => {
      const { page } = await kyclone.open(DECRYPT);
      await choose(page, 'post /users create');
      await page.getByRole('combobox', { name: 'Another member' }).fill('custom.colour');
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'custom.colour' }).fill('blue');
      await page.getByRole('button', { name: 'JSON' }).click();
      const json = page.getByRole('textbox', { name: 'JSON' });
      expect(JSON.parse(await json.inputValue())).toMatchObject({
        'id.first_name': 'Jane',
        'custom.colour': 'blue',
      });

      await json.fill('[1]');
      await page.getByRole('button', { name: 'Fields' }).click();
      await page.getByText('Only a JSON object has fields').waitFor();
      await json.fill('{"custom.size": 4}');
      await page.getByRole('button', { name: 'Fields' }).click();
      await expect.poll(() => page.getByRole('textbox', { name: 'custom.size' }).inputValue()).toBe('4');
      await expect.poll(() => page.getByRole('textbox', { name: 'custom.colour' }).inputValue()).toBe('');
    });

    test('RequestBuilder: the history brings a request back, and a request without a response says why', async () => {
      const { page } = await kyclone.open(DECRYPT);
      await page.route('**/_kyclone/clock', (route) => route.abort());
      await page.getByRole('textbox', { name: 'fp_id' }).fill('missing');
      await page.keyboard.press('Enter');
      await status(page)
        .filter({ hasText: /^404 · \d+ ms · \d+ bytes$/ })
        .waitFor();
      await expect
        .poll(() => page.locator('.request-response .request-problem').innerText())
        .toMatch(/^The path has no id of a user/);
      await expectLooks(page, 'a response');
      await choose(page, 'get /_kyclone/clock');
      await page.getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => status(page).innerText()).toBe('Failed to fetch');

      await page.getByText('Sent in this tab (2)').click();
      await page.locator('.request-history button').nth(1).click();
      await expect.poll(() => page.getByRole('textbox', { name: 'fp_id' }).inputValue()).toBe('missing');
      await page.getByRole('combobox', { name: 'Language' }).selectOption('Go');
      await expect.poll(() => page.locator('.request-code pre').innerText()).toContain('package main');
    });
  });
});
