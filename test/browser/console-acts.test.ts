/** What people do at the console, in Chromium: see and hide, act, go by keys and links, and come back. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { skipsBrowser } from './chromium.ts';
import { clipboard, EMAIL, rowWith, settled, useConsole } from './console.ts';

describe.skipIf(skipsBrowser)('the console', () => {
  const kyclone = useConsole();

  const { addressOf } = kyclone;

  async function fillReason(page: Page): Promise<void> {
    await page.getByLabel('Reason').fill('ticket 12');
    await page.getByRole('button', { name: 'Go on' }).click();
  }

  test('reveal: a value is shown for a reason, and hides itself after 20 s; the access log has both', async () => {
    const { page } = await kyclone.open(addressOf('Vault'), { hasOwnClock: true });
    await page.getByRole('searchbox').fill('id.email');
    await page.keyboard.press('Enter');
    await rowWith(page, 'id.email').click();
    await page.getByRole('button', { name: 'Reveal a field' }).click();
    await fillReason(page);

    await page.getByRole('region', { name: 'Revealed' }).getByText(EMAIL).waitFor();
    await page.clock.fastForward('00:10');
    await expect.poll(() => page.getByText(EMAIL).count()).toBe(1);
    await page.clock.fastForward('00:12');
    await page.getByText(EMAIL).waitFor({ state: 'detached' });

    const { data } = (
      await kyclone.world().service.call('GET /_kyclone/access-log', { query: { page_size: 5 } })
    ).body;
    expect(data).toContainEqual(
      expect.objectContaining({ operation: 'decrypt', reason: 'ticket 12', operator: 'Ada' }),
    );
  });

  test('reveal: nothing is shown without a reason, and the field says so', async () => {
    const { page } = await kyclone.open(addressOf('Vault'));
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Go on' }).click();

    await page.getByRole('alert').getByText('Reason is needed').waitFor();
    await expect.poll(() => page.getByLabel('Reason').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('tab', { selected: true }).innerText()).toContain('Vault');
  });

  test('reveal: an image is drawn from memory, and its address is void after it is hidden', async () => {
    const { page, complaints } = await kyclone.open(addressOf('Documents'));
    await rowWith(page, 'front').click();
    await page.keyboard.press('x');
    await fillReason(page);
    const image = page.getByRole('region', { name: 'Revealed image' }).getByRole('img');
    await image.waitFor();
    const address = (await image.getAttribute('src')) ?? '';
    expect(address).toMatch(/^blob:/);
    await expect
      .poll(() => image.evaluate((element) => (element as { naturalWidth?: number }).naturalWidth))
      .toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Hide' }).click();

    await image.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    const isVoid = await page.evaluate<boolean>(
      `new Promise((resolve) => { const image = new Image(); image.onload = () => resolve(false);
        image.onerror = () => resolve(true); image.src = ${JSON.stringify(address)}; })`,
    );
    expect(isVoid).toBe(true);
    const { data } = (await kyclone.world().service.call('GET /_kyclone/access-log')).body;
    expect(data[0]).toMatchObject({ operation: 'download', reason: 'ticket 12', operator: 'Ada' });
  });

  test('builder: what a call decrypts hides itself after 20 s, and at once when another place is looked at', async () => {
    const { page } = await kyclone.open('#/request?operation=POST%20/users/{fp_id}/vault/decrypt', {
      hasOwnClock: true,
    });
    const value = page.getByText(EMAIL);
    await page.getByRole('textbox', { name: 'fp_id' }).fill(kyclone.world().user);
    await page.getByRole('textbox', { name: 'fields' }).fill('["id.email"]');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await send.click();
    await value.waitFor();
    await page.getByRole('button', { name: 'Copy as one line' }).click();
    await expect.poll(() => clipboard(page)).toContain(EMAIL);
    await page.clock.fastForward('00:10');
    await expect.poll(() => value.count()).toBe(1);
    await page.clock.fastForward('00:12');
    await value.waitFor({ state: 'detached' });
    await page.getByText('Send the request again to see them').waitFor();
    await page.getByText('What was copied has left the clipboard').waitFor();
    await expect.poll(() => clipboard(page)).toBe('');

    await send.click();
    await value.waitFor();
    await page.evaluate(`location.hash = '#/events'`);
    await value.waitFor({ state: 'detached' });
  });

  test('act: a held enter sends the form, and does not confirm the question after it', async () => {
    const { page } = await kyclone.open('#/snapshots');
    await page.keyboard.press('+');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('held-enter');
    await page.keyboard.down('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await settled(page);
    await expect.poll(() => page.getByRole('alertdialog').count()).toBe(1);
    await page.keyboard.press('Enter');
    await rowWith(page, 'held-enter').waitFor();
  });

  test('keys: all of it works without a pointer', async () => {
    const { page } = await kyclone.open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('j', 'j', 'k', 'Enter');
    await page.getByRole('heading', { level: 1, name: 'User fp_id_' }).waitFor();
    await press(']');
    await expect.poll(() => page.getByRole('tab', { selected: true }).innerText()).toContain('Vault');
    await press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('snapshots');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Snapshots' }).waitFor();
    await settled(page);
    await press('+');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('by-keys');
    await press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await press('y');
    await rowWith(page, 'by-keys').waitFor();
    await press('/');
    await page.keyboard.type('by-k');
    await press('Enter');
    await rowWith(page, 'before-lunch').waitFor({ state: 'detached' });
    await press('Escape');
    await rowWith(page, 'before-lunch').waitFor();
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('h');
    await page.getByRole('heading', { level: 1, name: 'User fp_id_' }).waitFor();
  });

  test('keys: tab reaches the list, and the focus can be seen', async () => {
    const { page } = await kyclone.open('#/events');
    await page.evaluate('document.activeElement.blur()');
    const unseen: string[] = [];
    let role: string | null = null;
    for (let at = 0; at < 60 && role !== 'grid'; at += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<{ role: string | null; isSeen: boolean; html: string }>(
        `(() => { const element = document.activeElement;
          // The grid draws its ring above its rows.
          const isSeen = element === document.body || getComputedStyle(element).outlineStyle === 'solid' ||
            getComputedStyle(element, '::after').borderTopStyle === 'solid';
          return { role: element.getAttribute('role'), isSeen, html: element.outerHTML.slice(0, 80) }; })()`,
      );
      if (!focused.isSeen) unseen.push(focused.html);
      role = focused.role;
    }

    expect(role).toBe('grid');
    expect(unseen).toEqual([]);
  });

  test('addresses: back and forward lead through the places', async () => {
    const { page } = await kyclone.open();
    await page.locator('.table-body a').first().click();
    await page.getByRole('heading', { level: 1, name: 'User fp_id_' }).waitFor();
    const address = page.url();

    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: 'User fp_id_' }).waitFor();
    expect(page.url()).toBe(address);
    await page.keyboard.press('h');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/users$/);
  });

  test('addresses: a link opens in another tab of the session, at its pane', async () => {
    const { page } = await kyclone.open();
    const other = await page.context().newPage();

    await other.goto(`${kyclone.origin()}/_kyclone/console${addressOf('Signals')}`);

    await other.getByRole('tab', { name: /^Signals/, selected: true }).waitFor();
    expect(page.url()).not.toContain('code=');
  });

  test('addresses: one that leads nowhere gives way to the place that is shown, and the page says so', async () => {
    const { page } = await kyclone.open('#/events');

    await page.evaluate(`location.hash = '#/nowhere'`);

    await page.getByRole('status').getByText('The address leads to no place').waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/events$/);
    await page.evaluate(`history.replaceState(null, '', '#/delivery')`);
    await page.reload();
    await page.getByRole('status').getByText('The address leads to no place').waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/users$/);
  });

  test('addresses: the title of the page names the builder', async () => {
    const { page } = await kyclone.open('#/request');
    await expect.poll(() => page.title()).toBe('Request builder · kyclone');
    await page.goBack();
    await expect.poll(() => page.title()).toBe('Users · kyclone');
  });

  test('links: an id leads to what it names, and the first cell to what the row opens', async () => {
    const { page } = await kyclone.open('#/events', { size: [1900, 1000] });
    const { user, event } = kyclone.world();
    const hrefs = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.is-current .table-body a')].map((each) => each.getAttribute('href'))`,
      );
    await expect.poll(() => hrefs()).toContain(`#/users/${user}`);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(async () => (await hrefs()).filter((each) => each.includes('fp_'))).toEqual([]);
    await expect.poll(() => hrefs()).toContain(`#/events/${event}`);
    await page.setViewportSize({ width: 1600, height: 1000 });
    await page.evaluate(`location.hash = '#/deliveries'`);
    await settled(page);
    await expect
      .poll(() =>
        page.locator('.table-body [role=row]').first().getByRole('link').first().getAttribute('href'),
      )
      .toMatch(/^#\/delivery\?delivery_id=/);
  });

  test('tabs: the pane that is shown has its tab in view, at the width of a phone', async () => {
    const { page } = await kyclone.open(addressOf('Notes'), { size: [390, 800] });
    const isInView = () =>
      page.evaluate<boolean>(`(() => {
        const { left, right } = document.querySelector('[role=tab][aria-selected=true]').getBoundingClientRect();
        return left > -1 && right < innerWidth + 1;
      })()`);
    await expect.poll(isInView).toBe(true);
    await page.evaluate(`location.hash = ${JSON.stringify(addressOf('Overview'))}`);
    await expect.poll(isInView).toBe(true);
  });

  test('session: a page without one names the command, and asks for nothing else', async () => {
    const { page } = await kyclone.open();
    await page.context().clearCookies();
    const alone = await page.context().browser()?.newContext();
    const other = await alone?.newPage();
    await other?.goto(`${kyclone.origin()}/_kyclone/console${addressOf('Signals')}`);

    await other?.getByText('kyclone console', { exact: true }).last().waitFor();
    await expect.poll(() => other?.getByRole('grid').count()).toBe(0);
    await alone?.close();
  });

  test('session: a link that is pasted into a tab with a session is used there, and leaves the address', async () => {
    const { page } = await kyclone.open();
    const body = { operator: 'Zoë Next' };
    const { url } = (await kyclone.world().service.call('POST /_kyclone/console/codes', { body })).body;
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(url).hash)}`);

    await page.getByText('Zoë Next').first().waitFor();
    expect(page.url()).not.toContain('code');
  });

  test('live: a new user appears by itself', async () => {
    const { page } = await kyclone.open();
    await settled(page);

    const id = await kyclone.world().service.user({ 'id.first_name': 'Liveliana' });

    await rowWith(page, id).waitFor();
  });

  test('readonly: nothing is offered that changes or reveals', async () => {
    const { page } = await kyclone.open(addressOf('Vault'), {
      grant: { operator: 'Ada', is_readonly: true },
    });

    await page.keyboard.press('x');

    await page.getByText('--readonly is on').waitFor();
    await expect.poll(() => page.locator('.actions button').count()).toBe(0);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('clipboard: a copied mask is called one', async () => {
    const { page } = await kyclone.open(addressOf('Overview'));
    await page.evaluate(
      `(() => { const cell = [...document.querySelectorAll('[role=gridcell]')].find((each) => each.textContent.includes('***'));
        getSelection().selectAllChildren(cell); })()`,
    );

    await page.keyboard.press('Control+c');

    await page.getByText('Copied a masked value').waitFor();
  });

  test('plots: one of some of the rows says so; in a low window it is folded', async () => {
    const { service } = kyclone.world();
    for (let at = 0; at < 110; at += 1) await service.user();
    const { page } = await kyclone.open('#/users');
    await page.getByText('Users over time: the 100 loaded').first().waitFor();
    await page.setViewportSize({ width: 683, height: 384 });
    await page.reload();
    await page.getByText('Users over time: the 100 loaded').first().waitFor();
    await expect.poll(() => page.locator('details.plots').getAttribute('open')).toBeNull();
  });
});
