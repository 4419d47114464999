/** A day at the desk: thousands of people, a daemon that goes away, and values that leave no trace. In Chromium. */
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipsBrowser } from './chromium.ts';
import { clipboard, EMAIL, goTo, rowWith, settled, useConsole } from './console.ts';

const PEOPLE = 2000;
/** More rows than a window of this test has, with those that are drawn ahead. */
const MOST_DRAWN = 80;

describe.skipIf(skipsBrowser)('a day at the desk', () => {
  const kyclone = useConsole();

  const { addressOf } = kyclone;
  const selected = (page: Page) => page.locator('.is-current .table-row.is-selected').innerText();

  async function reveal(page: Page, field: string): Promise<void> {
    await rowWith(page, field).click();
    await page.keyboard.press('x');
    await page.getByLabel('Reason').fill('ticket 12');
    await page.getByRole('button', { name: 'Go on' }).click();
  }

  /** Until `find`, nothing listens at the address. */
  async function lose(): Promise<{ find(): Promise<void> } & AsyncDisposable> {
    const { server } = kyclone.world().service;
    if (server === undefined) throw new TypeError('the service does not listen');
    const { address: host, port } = server.address() as AddressInfo;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    const find = async () => {
      if (!server.listening) await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
    };
    return { find, [Symbol.asyncDispose]: find };
  }

  test('clipboard: a copied value leaves it with the revealed one, which the page says', async () => {
    const { page } = await kyclone.open(addressOf('Vault'), { hasOwnClock: true });
    await reveal(page, 'id.email');
    await page.getByRole('region', { name: 'Revealed' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied: id.email').waitFor();
    await expect.poll(() => clipboard(page)).toBe(EMAIL);

    await page.clock.fastForward('00:21');

    await page.getByText('What was copied has left the clipboard').waitFor();
    await expect.poll(() => clipboard(page)).toBe('');
  });

  test('clipboard: what somebody copied meanwhile stays', async () => {
    const { page } = await kyclone.open(addressOf('Vault'));
    await reveal(page, 'id.email');
    await page.getByRole('region', { name: 'Revealed' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied: id.email').waitFor();
    await page.evaluate(`navigator.clipboard.writeText('a shopping list')`);

    await page.getByRole('button', { name: 'Hide' }).click();

    await page.getByText('What was copied has left the clipboard').waitFor();
    await expect.poll(() => clipboard(page)).toBe('a shopping list');
  });

  test('reveal: a value hides when the request builder is opened', async () => {
    const { page } = await kyclone.open(addressOf('Vault'));
    await reveal(page, 'id.email');
    await page.getByText(EMAIL).waitFor();

    await page.getByRole('link', { name: 'Request builder' }).click();

    await page.getByText(EMAIL).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Request builder' }).waitFor();
  });

  test.each(['the pane', 'the place', 'x'])('image: it is gone with %s', async (what) => {
    const { page } = await kyclone.open(addressOf('Overview'));
    await goTo(page, addressOf('Documents'));
    await reveal(page, 'front');
    const image = page.getByRole('region', { name: 'Revealed image' });
    await image.waitFor();

    if (what === 'x') await page.keyboard.press('x');
    else if (what === 'the pane') await page.keyboard.press(']');
    else await page.goBack();

    await image.waitFor({ state: 'detached' });
  });

  test('search: what is typed after / takes the place of the last search', async () => {
    const { page } = await kyclone.open();
    for (const text of ['Twinsetta', 'Quillonda']) {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await settled(page);
    }

    await rowWith(page, kyclone.world().user).waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('Quillonda');
  });

  test('builder: the palette leads to it and away, also to the screen behind it; what is filled in stays', async () => {
    const { page } = await kyclone.open('#/request?operation=GET%20/users/{fp_id}');
    const id = page.getByRole('textbox', { name: 'fp_id' });
    await id.fill(kyclone.world().user);
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Screen/ }).fill(text);
      await page.keyboard.press('Enter');
    };

    await choose('users');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await expect.poll(() => id.isVisible()).toBe(false);

    await choose('request builder');
    await id.waitFor();
    await expect.poll(() => id.inputValue()).toBe(kyclone.world().user);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await expect.poll(() => id.isVisible()).toBe(true);
  });

  test('case: from the queue, what is about the row comes first, and the next case is one press away', async () => {
    const { page } = await kyclone.open('#/reviews');
    await rowWith(page, kyclone.world().business).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Business fp_bid_' }).waitFor();
    await page.getByRole('tab', { name: /^Signals/ }).click();
    await rowWith(page, 'watchlist_hit_ofac').click();

    await expect
      .poll(() => page.locator('.actions button').first().innerText())
      .toContain('Decide on the hit');
    await page.getByRole('button', { name: 'Next case' }).click();
    await page.getByText('No other case waits in the queue').waitFor();
  });

  test('lost: the page names it, a form keeps what is typed and sends nothing, and all goes on by itself', async () => {
    const { page } = await kyclone.open(addressOf('Notes'));
    await page.getByRole('button', { name: 'Write a note' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill('called at noon');

    await using lost = await lose();
    await page.getByText('The daemon does not answer, so what is shown may be old').waitFor();
    await dialog.getByRole('button', { name: 'Go on' }).click();
    const question = page.getByRole('alertdialog');
    const write = question.getByRole('button', { name: 'Write a note' });
    await write.click();
    await question.getByText('nothing was sent').waitFor();

    await lost.find();
    await page.getByText('The daemon does not answer').first().waitFor({ state: 'detached' });
    await write.click();
    await rowWith(page, 'called at noon').waitFor();
  });

  test('lost: a revealed value hides at once, and the builder loads what it lacked when the daemon is back', async () => {
    const { page } = await kyclone.open(addressOf('Vault'));
    await reveal(page, 'id.email');
    await page.getByText(EMAIL).waitFor();

    await using lost = await lose();
    await page.getByText(EMAIL).waitFor({ state: 'detached' });
    await page.evaluate(`location.hash = '#/request?operation=POST%20/users'`);
    await page.getByRole('heading', { level: 1, name: 'Request builder' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).count()).toBe(0);

    await lost.find();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('rows: thousands of users scroll to their end and are sorted, the selected one stays, and few are drawn', async () => {
    const { service } = kyclone.world();
    for (let at = 0; at < PEOPLE; at += 1)
      await service.user({ 'id.first_name': `Person${at}`, 'id.last_name': 'Crowd' });
    const { page, complaints } = await kyclone.open();
    const grid = page.locator('.is-current [role=grid]');
    const rows = page.locator('.is-current .table-body [role=row]');
    const count = async () => Number(await grid.getAttribute('aria-rowcount')) - 1;
    const first = await selected(page);

    await grid.hover();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4000);
        return await count();
      })
      .toBeGreaterThan(PEOPLE);
    await expect.poll(() => rows.count()).toBeLessThan(MOST_DRAWN);
    // A scroll selects nothing: what is done next is about the row that was pressed.
    await expect.poll(() => page.locator('.is-row').innerText()).toContain(first.split('\n')[0]);

    // The last one that is seen, not another one above.
    await page.mouse.wheel(0, 1_000_000);
    await settled(page);
    const [head, around] = await Promise.all([
      page.locator('.table-head').first().boundingBox(),
      grid.boundingBox(),
    ]);
    expect(head?.y).toBe(around?.y);
    const last = (await rows.last().innerText()).split('\n')[0] ?? '';
    await rows.last().click();
    await expect.poll(() => selected(page)).toContain(last);
    await page.mouse.wheel(0, -3000);
    await settled(page);
    await expect.poll(() => page.locator('.is-row').innerText()).toContain(last);
    // Out of the view, it is still there for who listens.
    const active = await grid.getAttribute('aria-activedescendant');
    await expect.poll(() => page.locator(`[id="${active}"]`).count()).toBe(1);

    // What happens meanwhile takes no rows away.
    const before = await count();
    await service.user({ 'id.first_name': 'Latecomer' });
    await page.getByRole('button', { name: 'Changed: load again' }).waitFor();
    expect(await count()).toBe(before);

    await page.getByRole('columnheader', { name: 'USER' }).getByRole('button').click();
    await expect
      .poll(async () => (await page.locator('.position').innerText()).endsWith(` of ${before + 1}`))
      .toBe(true);
    await settled(page);
    const ids = await rows.evaluateAll((all) =>
      all.map((each) => (each as { innerText: string }).innerText.split('\n')[0] ?? ''),
    );
    expect(ids.length).toBeLessThan(MOST_DRAWN);
    expect(ids).toEqual(ids.toSorted(new Intl.Collator('en', { numeric: true }).compare));
    expect(complaints).toEqual([]);
  });
});
