/** Details of the console in Chromium: what was delivered and signed, hidden characters, narrow forms, and tokens. */
import '../support/tier-all.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseHeaders, verifyWebhook } from '../../src/nouns/webhooks/commands/verify.ts';
import { hashOf } from '../../src/console/routes.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser } from './chromium.ts';
import { goTo, useConsole } from './console.ts';

const PHONE = [390, 800] as const;
/** What these begin opens no form: another page, or a program. */
const LEADS_AWAY = /browser|Compare/;
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

  test.each([[1600, 1000] as const, PHONE])(
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
    await expectAccessible(page, 'the attempts of a delivery');
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

  /** What stands in the page but is not seen whole: cut at its own edge, or beyond that of the window. */
  const CUT = `(() => {
    const root = document.querySelector('dialog[open]') ?? document.querySelector('.request');
    const cut = [];
    if (root.scrollWidth > root.clientWidth + 1) cut.push('the whole: ' + root.scrollWidth + ' > ' + root.clientWidth);
    for (const each of root.querySelectorAll('label, legend, summary, button, h2, h3, p, dt, dd, .hint, .request-hint, input, select, textarea, pre')) {
      const { left, right, width } = each.getBoundingClientRect();
      if (width === 0 || getComputedStyle(each).clipPath !== 'none') continue;
      const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(each.tagName);
      const isCut = left < 0 || right > innerWidth || (!isField && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0);
      if (isCut) cut.push(each.tagName + ' ' + each.textContent.slice(0, 80));
    }
    const context = document.createElement('canvas').getContext('2d');
    // The arrow takes the rest.
    const ARROW_PX = 36;
    for (const each of root.querySelectorAll('select')) {
      context.font = getComputedStyle(each).font;
      const text = each.selectedOptions[0]?.textContent ?? '';
      const isWhole = context.measureText(text).width <= each.clientWidth - ARROW_PX;
      if (!isWhole && ![...each.parentElement.children].some((other) => other !== each && other.textContent === text)) cut.push('OPTION ' + text);
    }
    return cut;
  })()`;

  test('forms: at the width of a phone no label, hint or button of an action is cut', async () => {
    const { page, complaints } = await kyclone.open();
    const { places } = kyclone.world();
    const seen = new Set<string>();
    const cut: string[] = [];
    for (const place of Object.values(places))
      for (const pane of screens[place.screen].panes.keys()) {
        await page.setViewportSize({ width: 1600, height: 1000 });
        await goTo(page, hashOf({ place, pane }));
        const names = await page
          .locator('.actions button')
          .evaluateAll((all) =>
            all.map(
              (each) => (each as { firstChild?: { textContent?: string } }).firstChild?.textContent ?? '',
            ),
          );
        for (const name of names.filter((each) => !seen.has(each) && !LEADS_AWAY.test(each))) {
          seen.add(name);
          await page
            .locator('.actions button')
            .filter({ hasText: name })
            .first()
            .evaluate((button) => (button as unknown as { click(): void }).click());
          const dialog = page.locator('dialog[open]');
          if ((await dialog.count()) === 0) continue;
          await expect.poll(() => dialog.getByText('Loading …').count()).toBe(0);
          await page.setViewportSize({ width: PHONE[0], height: PHONE[1] });
          cut.push(...(await page.evaluate<string[]>(CUT)).map((each) => `${name}: ${each}`));
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
          await page.setViewportSize({ width: 1600, height: 1000 });
        }
      }

    expect(cut).toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
    expect(complaints).toEqual([]);
  });

  test('forms: at the width of a phone a word without blanks wraps, in a question and in a problem', async () => {
    const notes = screens.entity.panes.findIndex(({ title }) => title === 'Notes');
    const { page } = await kyclone.open(hashOf({ place: kyclone.world().places.user, pane: notes }));
    await page.getByRole('button', { name: 'Write a note' }).click();
    await page.setViewportSize({ width: PHONE[0], height: PHONE[1] });
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .first()
      .fill('w'.repeat(300) + '\u202e');
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
  });

  test('builder: at the width of a phone no label of any endpoint is cut', async () => {
    const { page } = await kyclone.open('', { size: PHONE });
    const operations = await operationsOf(page);
    const cut: string[] = [];
    for (const operation of operations) {
      await page.evaluate(
        `location.hash = '#/request?operation=' + encodeURIComponent(${JSON.stringify(operation)})`,
      );
      await page
        .getByRole('combobox', { name: 'Endpoint' })
        .and(page.locator(`[value=${JSON.stringify(operation)}]`))
        .waitFor();
      await page.evaluate(
        `document.querySelectorAll('.request details').forEach((each) => (each.open = true))`,
      );
      cut.push(...(await page.evaluate<string[]>(CUT)).map((each) => `${operation}: ${each}`));
    }

    expect(cut).toEqual([]);
    expect(operations.length).toBeGreaterThan(100);
  });

  async function operationsOf(page: Page): Promise<readonly string[]> {
    const { paths } = await page.evaluate<{ paths: Record<string, object> }>(
      `fetch('/_kyclone/openapi.json').then((response) => response.json())`,
    );
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  test('builder: the client token of a response sends the next request', async () => {
    const { page } = await kyclone.open('#/request?operation=POST%20/users/{fp_id}/client_token');
    const { user } = kyclone.world();
    await page.getByRole('textbox', { name: 'fp_id' }).fill(user);
    await page.getByRole('button', { name: 'JSON' }).click();
    await page
      .getByRole('textbox', { name: 'JSON' })
      .fill(JSON.stringify({ fields: ['id.city'], scopes: ['vault'], ttl: 600 }));
    await page.getByRole('button', { name: 'Send' }).click();
    const response = page.getByRole('region', { name: 'Response' });
    await response.getByText(/^200 · /).waitFor();
    await response.getByRole('button', { name: 'Use as token' }).click();
    await response.getByText('Requests as Token are sent with it').waitFor();

    await page.getByRole('combobox', { name: 'Endpoint' }).fill('PATCH /users/vault');
    await page
      .getByRole('option', { name: /^PATCH ?\/users\/vault/ })
      .first()
      .click();
    expect(await page.getByRole('combobox', { name: 'As' }).inputValue()).toBe('token');
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify({ 'id.city': 'Tokenville' }));
    await page.getByRole('button', { name: 'Send' }).click();

    await response.getByText(/^200 · /).waitFor();
    expect(await page.locator('.request-code').innerText()).not.toContain('cttok_');
  });

  test('builder: at the width of a phone a long response wraps, and its lines can be read whole', async () => {
    const { service, user } = kyclone.world();
    const long = 'm'.repeat(700);
    await service.call('POST /_kyclone/events/trigger', {
      body: { kind: 'onboarding.completed', fp_id: user, body: { long } },
    });
    const { page } = await kyclone.open('#/request?operation=GET%20/_kyclone/events', { size: PHONE });
    await page.getByRole('button', { name: 'Send' }).click();
    const response = page.getByRole('region', { name: 'Response' });
    const line = response.getByRole('treeitem').filter({ hasText: 'long:' }).first();
    await line.click();

    expect(await response.locator('.json-whole').innerText()).toBe(long);
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
    await page.getByRole('combobox', { name: 'Endpoint' }).fill('GET /_kyclone/docs');
    await page.getByRole('option', { name: /docs/ }).first().click();
    await page.getByRole('button', { name: 'Send' }).click();
    await response.getByRole('group', { name: 'Body of the response' }).waitFor();
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
  });

  test('onboarding: a run with a chosen outcome is made by hand, and its result is the status', async () => {
    const { service, user, places } = kyclone.world();
    const status = async () =>
      (await service.call('GET /users/{fp_id}', { params: { fp_id: user } })).body.status;
    expect(await status()).not.toBe('pass');
    const { page, complaints } = await kyclone.open(hashOf({ place: places.user }));
    await page.getByRole('button', { name: 'Run an onboarding' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Outcome').selectOption({ label: 'pass' });
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Run an onboarding' }).click();
    await page.locator('.foot').getByText(/pass/).waitFor();

    expect(await status()).toBe('pass');
    await page.getByRole('tab', { name: /^Onboardings 2/ }).click();
    await rows(page).filter({ hasText: 'pass' }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('snapshots: a taken name is refused in the form, which offers to replace it', async () => {
    const { page } = await kyclone.open('#/snapshots');
    await page.getByRole('button', { name: 'Save a snapshot' }).click();
    const dialog = page.getByRole('dialog');
    const question = page.getByRole('alertdialog');
    const save = async () => {
      await dialog.getByRole('button', { name: 'Go on' }).click();
      await question.getByRole('button', { name: 'Save a snapshot' }).click();
    };
    await dialog.getByRole('textbox', { name: 'Name' }).fill('before-lunch');
    await save();
    const problem = await dialog.getByRole('alert').innerText();
    expect(problem).toContain('There is a snapshot “before-lunch” already: choose that it is replaced');

    await dialog.getByLabel('A snapshot of this name').selectOption({ label: 'is replaced' });
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await question.getByText('is lost for good').waitFor();
    await question.getByRole('button', { name: 'Save a snapshot' }).click();
    await page.locator('.foot').getByText('Saved as before-lunch').waitFor();
  });

  function expectPlain(text: string): void {
    expect(text).not.toMatch(/[\u0007\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
});
