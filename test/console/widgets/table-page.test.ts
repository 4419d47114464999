import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipsBrowser, useBrowser } from '../../browser/chromium.ts';
import { expectLooks, useGallery } from './on-gallery.ts';

describe.skipIf(skipsBrowser)('Table in Chromium', () => {
  const gallery = useGallery(useBrowser());
  const rows = (page: Page) => page.locator('.table-body > [role=row]');
  const selected = (page: Page) => page.locator('.is-selected [role=gridcell]').first();

  test('Table: of 10,000 rows only those near the view are elements, also at the end', async () => {
    const { page, complaints } = await gallery.open('table');
    const grid = page.getByRole('grid', { name: 'People' });

    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('10001');
    await expect.poll(() => rows(page).count()).toBeLessThan(60);
    await grid.focus();
    await page.keyboard.press('End');

    await expect.poll(() => rows(page).last().getAttribute('aria-rowindex')).toBe('10001');
    await expect.poll(() => rows(page).count()).toBeLessThan(60);
    await expect.poll(() => page.locator('#opened').innerText()).toBe('Opened nothing, 1 ends');
    // The headings stay in view.
    const [head, around] = await Promise.all([page.locator('.table-head').boundingBox(), grid.boundingBox()]);
    expect(head?.y).toBe(around?.y);
    expect(complaints).toEqual([]);
  });

  test('Table: keys select, open and mark rows, and assistive technology hears which', async () => {
    const { page } = await gallery.open('table');
    const grid = page.getByRole('grid', { name: 'People' });

    await grid.focus();
    for (const key of ['ArrowDown', 'j', 'ArrowDown', 'k']) await page.keyboard.press(key);
    await expect.poll(() => selected(page).innerText()).toBe('Person 7919');
    const active = await grid.getAttribute('aria-activedescendant');
    await expect
      .poll(() => page.locator(`[id="${active}"] [role=gridcell]`).first().innerText())
      .toBe('Person 7919');

    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#opened').innerText()).toContain('Opened Person 7919');
    await page.keyboard.press(' ');
    await expect.poll(() => page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');

    // The selected row scrolls out of the view, and is still there for who listens.
    await grid.evaluate((element) => ((element as unknown as { scrollTop: number }).scrollTop = 100_000));
    await expect.poll(() => rows(page).last().getAttribute('aria-rowindex')).not.toBe('40');
    await expect.poll(() => page.locator(`[id="${active}"]`).count()).toBe(1);
  });

  test('Table: a heading sorts up, down and not at all, by the keyboard', async () => {
    const { page } = await gallery.open('table');
    const heading = page.getByRole('columnheader', { name: 'Score' });
    const first = () => page.locator('.table-body [aria-rowindex="2"] [role=gridcell]').nth(2).innerText();

    await heading.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(() => first()).toBe('0');
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
    await expect.poll(() => first()).toBe('999');
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('none');
  });

  test('Table: columns are chosen by the keyboard, and escape closes the list', async () => {
    const { page } = await gallery.open('table');
    const headings = () => page.getByRole('columnheader').allInnerTexts();

    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Id' }).focus();
    await page.keyboard.press(' ');
    await expect.poll(() => headings()).not.toContain('Id');
    await expectLooks(page, 'table-columns');
    await page.getByRole('button', { name: 'Those that fit' }).press('Enter');
    await expect.poll(() => headings()).toContain('Id');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('checkbox').first().isVisible()).toBe(false);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  });

  test('Table: columns that do not fit are left out on a phone', async () => {
    const { page } = await gallery.open('table');
    await page.getByRole('grid').press('ArrowDown');
    await expectLooks(page, 'table');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(() => page.getByRole('columnheader').allInnerTexts())
      .toEqual(['Name', 'Status', 'Changed']);
  });

  test('Table: more columns than fit scroll sideways, each below its heading', async () => {
    const { page } = await gallery.open('table');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('summary').click();
    for (const name of ['Score', 'Note', 'Id']) await page.getByRole('checkbox', { name }).check();

    const lefts = await page.evaluate<string[]>(`
      [...document.querySelectorAll('[role=row]')].map((row) =>
        [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join())`);
    expect(lefts.length).toBeGreaterThan(10);
    expect(new Set(lefts).size).toBe(1);
  });

  test('Table: without rows it says so', async () => {
    const { page } = await gallery.open('table-empty');
    await expect.poll(() => page.getByRole('gridcell').innerText()).toBe('Nobody is here yet');
    await expectLooks(page, 'table-empty');
  });
});
