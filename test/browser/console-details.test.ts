/** Details of the console in Chromium: what was delivered and signed, hidden characters, narrow forms, and tokens. */
import '../support/tier-all.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseHeaders, verifyWebhook } from '../../src/cli/webhooks/verify.ts';
import { hashOf } from '../../src/console/routes.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { skipsBrowser } from './chromium.ts';
import { expectNoViolations, goTo, settled, useConsole } from './console.ts';

const PHONE = [390, 800] as const;
/** Turns the text after it around, and rings a bell. */
const HIDDEN = '\u202e\u0007\u009b';
const ESCAPED = '\\u202e';

describe.skipIf(skipsBrowser)('details of the console', () => {
  const kyclone = useConsole();

  const deliveryAt = (pane: string) =>
    hashOf({
      place: kyclone.world().places.delivery,
      pane: screens.delivery.panes.findIndex(({ title }) => title === pane),
    });
  const rows = (page: Page) => page.locator('.is-current .table-body [role=row]');
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const allText = (page: Page) => page.evaluate<string>('document.body.textContent');

  test.each([[1600, 1000], PHONE])(
    'delivery: its headers and body are copied so that they verify, at %i x %i',
    async (width, height) => {
      const { page, complaints } = await kyclone.open(deliveryAt('Attempts'), { size: [width, height] });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await rows(page).first().click();

      await page.getByRole('button', { name: 'Copy headers of attempt 1' }).click();
      await page.getByText('Copied: headers of attempt 1').waitFor();
      const headers = parseHeaders(await clipboard(page));
      if (width < 1280) await goTo(page, deliveryAt('Body'));
      const tree = page.getByRole('tree', { name: 'Body' });
      const body = page.getByRole('region').or(page.getByRole('tabpanel')).filter({ has: tree }).last();
      await body.getByRole('button', { name: 'Copy as one line' }).click();
      await body.getByText(/^Copied: \{"event_kind"/).waitFor();
      const text = await clipboard(page);

      expect(verifyWebhook(await signedWith(headers, text))).toMatchObject({ valid: true });
      expect(complaints).toEqual([]);
    },
  );

  async function signedWith(headers: ReturnType<typeof parseHeaders>, text: string) {
    const { service } = kyclone.world();
    const { data } = (await service.call('GET /_kyclone/webhooks')).body;
    const secrets: string[] = [];
    for (const { id } of data) {
      const shown = await service.call('GET /_kyclone/webhooks/{id}', {
        params: { id },
        query: { reveal: true },
      });
      secrets.push(shown.body.secret ?? '');
    }
    const now = Number(headers.find(([name]) => name === 'webhook-timestamp')?.[1]) * 1000;
    return { secrets, headers, body: Buffer.from(text), now, toleranceMs: 0 };
  }

  test('delivery: y copies the headers, and the body folds', async () => {
    const { page } = await kyclone.open(deliveryAt('Attempts'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await rows(page).first().click();
    await page.keyboard.press('y');
    await page.getByText('Copied: headers of attempt 1').waitFor();
    expect(await clipboard(page)).toMatch(
      /^webhook-id: evt_\w+\nwebhook-timestamp: \d+\nwebhook-signature: v1,/,
    );

    const tree = page.getByRole('tree', { name: 'Body' });
    const items = tree.getByRole('treeitem');
    expect(await items.count()).toBeGreaterThan(3);
    await tree.press('Home');
    await tree.press('ArrowLeft');
    expect(await items.count()).toBe(1);
    await expectNoViolations(page, 'the attempts of a delivery');
  });

  test('hidden characters: names and texts of JSON, cells, forms and titles show them as escapes', async () => {
    const { service, user } = kyclone.world();
    const { body: event } = await service.call('POST /_kyclone/events/trigger', {
      body: {
        kind: 'onboarding.completed',
        fp_id: user,
        body: { [`name${HIDDEN}x`]: `text${HIDDEN}${'y'.repeat(80)}` },
      },
    });
    await service
      .call('POST /users/{fp_id}/tags' as never, { params: { fp_id: user } } as never)
      .catch(() => 0);
    const { page } = await kyclone.open(
      hashOf({ place: { screen: 'event', params: { event_id: event.id } }, pane: 1 }),
    );
    const tree = page.getByRole('tree', { name: 'Body' });
    const item = tree.getByRole('treeitem').filter({ hasText: 'name' }).last();
    await item.click();

    expect(await item.innerText()).toContain(`name${ESCAPED}\\x07\\x9bx: "text${ESCAPED}\\u0007\\u009by`);
    expect(await page.locator('.json-whole').innerText()).toContain(`text${ESCAPED}\\x07\\x9by`);
    expectPlain(await allText(page));

    await goTo(page, '#/request?operation=GET%20/_kyclone/events');
    await page.getByText(/^Query/).click();
    await page.getByRole('textbox', { name: 'event_id' }).fill(event.id);
    await page.getByRole('button', { name: 'Send' }).click();
    const response = page.getByRole('region', { name: 'Response' });
    await response
      .getByRole('treeitem')
      .filter({ hasText: `name${ESCAPED}` })
      .waitFor();
    expectPlain(await allText(page));
  });

  test('hidden characters: a form and its question show what is typed with escapes', async () => {
    const notes = screens.entity.panes.findIndex(({ title }) => title === 'Notes');
    const { page } = await kyclone.open(hashOf({ place: kyclone.world().places.user, pane: notes }));
    await page.getByRole('button', { name: 'Write a note' }).click();
    await page.getByRole('dialog').getByRole('textbox').first().fill('evil\u202etxt.exe');

    await page.getByText(`With its hidden characters: evil${ESCAPED}txt.exe`).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    const question = page.getByRole('alertdialog');
    if (await question.isVisible()) await question.getByRole('button', { name: 'Write a note' }).click();
    await rows(page)
      .filter({ hasText: `evil${ESCAPED}txt.exe` })
      .first()
      .waitFor();
    expectPlain(await allText(page));
  });

  function expectPlain(text: string): void {
    expect(text).not.toMatch(/[\u0007\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
});
