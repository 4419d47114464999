import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipsBrowser, useBrowser } from '../../browser/chromium.ts';
import { errorOf } from '../../browser/on-page.ts';
import { expectLooks, useGallery } from './on-gallery.ts';

describe.skipIf(skipsBrowser)('RequestBuilder in Chromium', () => {
  const gallery = useGallery(useBrowser());
  const sent = async (page: Page): Promise<unknown> =>
    JSON.parse((await page.locator('#sent').textContent()) || 'null');
  const options = (page: Page) => page.getByRole('listbox').getByRole('option');
  const status = (page: Page) => page.locator('.request-status');

  async function choose(page: Page, words: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Endpoint' }).focus();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  }

  test('RequestBuilder: a start is filled in from the example, sent, and answered', async () => {
    const { page, complaints } = await gallery.open('request');
    await page.getByRole('textbox', { name: 'reason' }).fill('A call');
    await page.keyboard.press('Enter');

    await status(page).filter({ hasText: '200 · 12 ms · 45 bytes' }).waitFor();
    await expect
      .poll(() => sent(page))
      .toEqual({
        method: 'POST',
        path: '/users/fp_id_8Qm7xVb2/vault/decrypt',
        credential: 'key',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fields: ['id.first_name', 'id.last_name'], reason: 'A call' }, null, 2),
      });
    await expect.poll(() => page.getByRole('treeitem').allInnerTexts()).toContain('id.first_name: "Jane"');
    await expectLooks(page, 'request');
    expect(complaints).toEqual([]);
  });

  test('RequestBuilder: what is missing is named beside its field, which gets the focus', async () => {
    const { page } = await gallery.open('request');
    const id = page.getByRole('textbox', { name: 'fp_id' });
    const fields = page.getByRole('textbox', { name: 'fields' });
    await id.fill('');
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
    await expect.poll(() => sent(page)).toBeNull();
    await expectLooks(page, 'request-problems');
  });

  test('RequestBuilder: the search finds endpoints by words and keys, and escape keeps the one before', async () => {
    const { page } = await gallery.open('request');
    const endpoint = page.getByRole('combobox', { name: 'Endpoint' });
    await endpoint.focus();
    await page.keyboard.type('user label');
    expect((await options(page).allInnerTexts()).length).toBeGreaterThan(1);
    await expectLooks(page, 'request-search');
    await page.keyboard.press('ArrowDown');
    const [, second = ''] = await page.locator('[role=option] .request-path').allInnerTexts();
    await page.keyboard.press('Enter');
    await expect.poll(() => endpoint.inputValue()).toContain(second);

    await endpoint.click();
    await expect.poll(() => options(page).count()).toBeGreaterThan(200);
    await page.keyboard.press('Escape');
    await expect.poll(() => options(page).count()).toBe(0);
    await expect.poll(() => endpoint.inputValue()).toContain(second);

    await endpoint.fill('nothing is called so');
    await expect.poll(() => page.getByText('Nothing found').isVisible()).toBe(true);
  });

  test('RequestBuilder: a body changes between fields and JSON, and takes members by name', async () => {
    const { page } = await gallery.open('request');
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
    await expect.poll(() => page.getByText('Only a JSON object has fields').isVisible()).toBe(true);
    await json.fill('{"custom.size": 4}');
    await page.getByRole('button', { name: 'Fields' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'custom.size' }).inputValue()).toBe('4');
    await expect.poll(() => page.getByRole('textbox', { name: 'custom.colour' }).inputValue()).toBe('');
  });

  test('RequestBuilder: a token is sent, and is neither in the code nor in the history', async () => {
    const { page } = await gallery.open('request');
    await page.getByRole('combobox', { name: 'As' }).selectOption('token');
    await page.getByLabel('Token', { exact: true }).fill('cttok_secret');
    await page.getByRole('button', { name: 'Send' }).click();
    await status(page).filter({ hasText: '200' }).waitFor();

    await expect.poll(() => sent(page)).toMatchObject({ credential: 'token', token: 'cttok_secret' });
    await expect.poll(() => page.locator('.request-code pre').innerText()).toContain('$CLIENT_TOKEN');
    await expect.poll(() => page.locator('.request').innerText()).not.toContain('cttok_secret');
    await page.getByText('Sent in this tab (1)').click();
    await expect
      .poll(() => page.locator('.request-history li').innerText())
      .toContain('POST /users/fp_id_8Qm7xVb2/vault/decrypt');
  });

  test('RequestBuilder: the history brings a request back, and a request without a response says why', async () => {
    const { page } = await gallery.open('request');
    await page.getByRole('textbox', { name: 'fp_id' }).fill('missing');
    await page.keyboard.press('Enter');
    await status(page).filter({ hasText: '404' }).waitFor();
    await choose(page, 'get /_kyclone/clock');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => status(page).innerText()).toBe('The daemon does not respond');

    await page.getByText('Sent in this tab (2)').click();
    await page.locator('.request-history button').nth(1).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'fp_id' }).inputValue()).toBe('missing');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Go');
    await expect.poll(() => page.locator('.request-code pre').innerText()).toContain('package main');
  });
});
