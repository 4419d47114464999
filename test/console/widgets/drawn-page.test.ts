import { describe, expect, test } from 'vitest';
import { skipsBrowser, useBrowser } from '../../browser/chromium.ts';
import { expectLooks, useGallery } from './on-gallery.ts';

describe.skipIf(skipsBrowser)('JsonTree, Timeline and Plot in Chromium', () => {
  const gallery = useGallery(useBrowser());

  test('JsonTree: keys move, fold and copy, and a long text is shown whole', async () => {
    const { page, complaints } = await gallery.open('json');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const tree = page.getByRole('tree', { name: 'User' });
    const active = async () => page.locator(`[id="${await tree.getAttribute('aria-activedescendant')}"]`);

    await tree.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await active()).innerText()).toContain('scopes');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await active()).getAttribute('aria-expanded')).toBe('false');
    await expect.poll(async () => (await active()).innerText()).toContain('scopes: [ 2 items ]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await active()).innerText()).toContain('0: "name"');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied').waitFor();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('name');
    await page.getByRole('button', { name: 'Copy path' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('$.signals[2].scopes[0]');

    await page.getByRole('treeitem', { name: /^note/ }).click();
    await expect.poll(() => page.locator('.json-whole').innerText()).toContain('on the telephone.');
    await expectLooks(page, 'json');
    expect(complaints).toEqual([]);
  });

  test('JsonTree: of 100,000 members only the lines near the view are elements', async () => {
    const { page } = await gallery.open('json-long');
    const items = page.getByRole('treeitem');

    await page.getByRole('button', { name: 'Unfold all' }).click();
    await page.getByRole('tree').press('End');
    await expect.poll(() => items.last().innerText()).toContain('index: 99999');
    await expect.poll(() => items.count()).toBeLessThan(80);
    await page.getByRole('button', { name: 'Copy value' }).click();
    await expect.poll(() => page.getByRole('status').innerText()).toBe('Copied, masked');
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await page.getByRole('tree').press('Home');
    await expect.poll(() => items.first().innerText()).toContain('[');
  });

  test('Timeline: days with their entries, newest first, with links', async () => {
    const { page, complaints } = await gallery.open('timeline');
    await expect
      .poll(() => page.getByRole('heading', { level: 3 }).allInnerTexts())
      .toEqual(['Thu 5 March 2026', 'Wed 4 March 2026']);
    await expect
      .poll(() => page.getByRole('link').allInnerTexts())
      .toEqual(['Decided by hand: pass', 'User created']);
    await expectLooks(page, 'timeline');
    expect(complaints).toEqual([]);
    const { page: other } = await gallery.open('timeline-empty');
    await expect
      .poll(() => other.getByRole('region', { name: 'What happened' }).innerText())
      .toBe('Nothing happened yet');
  });

  test('Plot: a name with the ends and the last value, and the numbers as a table', async () => {
    const { page, complaints } = await gallery.open('plot');
    await expect
      .poll(() => page.getByRole('img').first().getAttribute('aria-label'))
      .toBe('Requests a minute. Fine: 30 points from 0 to 12, last 8. Failed: 30 points from 0 to 3, last 1');
    await page.locator('summary').first().press('Enter');
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toBe('2026-03-04 22:29:00\t8\t1');
    await expect.poll(() => page.getByText('No deliveries yet').isVisible()).toBe(true);
    // What is drawn stays in the drawing.
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
});
