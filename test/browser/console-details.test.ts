/** Details of the console in Chromium: what was delivered and signed, hidden characters, narrow forms, and tokens. */
import '../support/tier-all.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseHeaders, verifyWebhook } from '../../src/nouns/webhooks/commands/verify.ts';
import { hashOf } from '../../src/console/routes.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { CONTROL_TOKEN } from '../support/service.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser } from './chromium.ts';
import { clipboard, goTo, rows, useConsole } from './console.ts';

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
  const allText = (page: Page) => page.evaluate<string>('document.body.textContent');

  test.each([[1600, 1000] as const, PHONE])(
    'delivery: its headers and body are copied so that they verify, at %i x %i',
    async (width, height) => {
      const { page, complaints } = await kyclone.open(deliveryAt('Attempts'), { size: [width, height] });
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
    await rows(page).first().click();
    await page.keyboard.press('y');
    await page.getByText('Copied: headers of attempt 1').waitFor();
    await expect
      .poll(() => clipboard(page))
      .toMatch(/^webhook-id: evt_\w+\nwebhook-timestamp: \d+\nwebhook-signature: v1,/);

    const tree = page.getByRole('tree', { name: 'Body' });
    const items = tree.getByRole('treeitem');
    await expect.poll(() => items.count()).toBeGreaterThan(3);
    await tree.press('Home');
    await tree.press('ArrowLeft');
    await expect.poll(() => items.count()).toBe(1);
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

    await expect
      .poll(() => item.innerText())
      .toContain(`name${ESCAPED}\\x07\\x9bx: "text${ESCAPED}\\u0007\\u009by`);
    await expect.poll(() => page.locator('.json-whole').innerText()).toContain(`text${ESCAPED}\\x07\\x9by`);
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
    const { page } = await kyclone.open(kyclone.addressOf('Notes'));
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

  /** Headings whose visible text lies under the button of the columns. */
  const COVERED = `(() => {
    const covered = [];
    for (const table of document.querySelectorAll('.table')) {
      const button = table.querySelector('summary')?.getBoundingClientRect();
      if (button === undefined) continue;
      for (const heading of table.querySelectorAll('[role=columnheader]')) {
        const text = document.createRange();
        text.selectNodeContents(heading);
        const { left, right } = text.getBoundingClientRect();
        const ends = [heading, table.firstChild].map((each) => each.getBoundingClientRect().right);
        if (left < button.right && Math.min(right, ...ends) > button.left) covered.push(heading.textContent);
      }
    }
    return covered;
  })()`;

  /** Headings that don't stand above the cells of the first row. */
  const ASIDE = `[...document.querySelectorAll('.table')].flatMap((table) => {
    const lefts = (role) => [...table.querySelectorAll('[role=' + role + ']')].map((each) => each.getBoundingClientRect().left);
    const cells = lefts('gridcell');
    const headings = [...table.querySelectorAll('[role=columnheader]')];
    const hasRows = table.querySelector('.table-body .table-row') !== null && headings[0].offsetParent !== null;
    return lefts('columnheader').flatMap((left, at) => hasRows && Math.abs(left - cells[at]) > 1 ? [headings[at].textContent] : []);
  })`;

  test.each([PHONE, [768, 1000] as const])(
    'lists: headings stand above their cells, and the button of the columns covers none, at %i x %i',
    async (width, height) => {
      const { page } = await kyclone.open('', { size: [width, height] });
      const wrong: string[] = [];
      for (const place of Object.values(kyclone.world().places))
        for (const pane of screens[place.screen].panes.keys()) {
          const hash = hashOf({ place, pane });
          await goTo(page, hash);
          for (const what of [COVERED, ASIDE])
            wrong.push(...(await page.evaluate<string[]>(what)).map((each) => `${hash}: ${each}`));
        }
      expect(wrong).toEqual([]);
    },
  );

  test('facts: what has no headings has no columns to choose', async () => {
    const { page } = await kyclone.open(hashOf({ place: kyclone.world().places.user }));
    await rows(page).first().waitFor();
    await expect.poll(() => page.locator('.is-current .table-columns').count()).toBe(0);
  });

  test('an id of nothing: it is shown once, with a way to the list', async () => {
    const id = `fp_id_${'x'.repeat(22)}`;
    const { page } = await kyclone.open('#/reviews');
    await goTo(page, `#/users/${id}/notes`);
    const main = page.getByRole('main');
    expect((await main.innerText()).match(/has this id/g)).toHaveLength(1);
    await expect.poll(() => main.getByRole('tab').or(main.getByRole('grid')).count()).toBe(0);
    await expectAccessible(page, 'an id of nothing');
    await main.getByRole('link', { name: 'To the list: Users' }).click();
    await rows(page).first().waitFor();
    for (const [of, list] of [
      [`requests/req_${'x'.repeat(22)}`, 'Requests'],
      [`businesses/fp_bid_${'x'.repeat(22)}`, 'Businesses'],
    ] as const) {
      await goTo(page, `#/${of}`);
      await main.getByRole('link', { name: `To the list: ${list}` }).waitFor();
    }
  });

  test('note: its lines are marked in the list, and lines where the row is read in full', async () => {
    const { service, user } = kyclone.world();
    await service.call('POST /_kyclone/entities/{fp_id}/notes', {
      params: { fp_id: user },
      body: { text: 'came in person\r\nsigned\u0007 twice' },
    });
    const { page } = await kyclone.open(kyclone.addressOf('Notes'));
    await rows(page).filter({ hasText: 'came in person ↵ signed\\x07 twice' }).first().click();
    const whole = page.getByRole('region', { name: 'The selected row in full' });
    await whole.getByText('came in person').waitFor();
    await expect.poll(() => whole.innerText()).toContain('came in person\nsigned\\x07 twice');
  });

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
    const { page } = await kyclone.open(kyclone.addressOf('Notes'));
    await page.getByRole('button', { name: 'Write a note' }).click();
    await page.setViewportSize({ width: PHONE[0], height: PHONE[1] });
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .first()
      .fill('w'.repeat(300) + '\u202e');
    await expect.poll(() => page.evaluate<string[]>(CUT)).toEqual([]);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('alertdialog').waitFor();
    await expect.poll(() => page.evaluate<string[]>(CUT)).toEqual([]);
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
    await expect.poll(() => page.getByRole('combobox', { name: 'As' }).inputValue()).toBe('token');
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify({ 'id.city': 'Tokenville' }));
    await page.getByRole('button', { name: 'Send' }).click();

    await response.getByText(/^200 · /).waitFor();
    await expect.poll(() => page.locator('.request-code').innerText()).toContain('$CLIENT_TOKEN');
    await page.getByText('Sent in this tab (2)').click();
    await expect.poll(() => page.locator('.request-history li').first().innerText()).toContain('PATCH');
    // Neither in the code nor in the history.
    await expect
      .poll(() => page.locator('.request form, .request-history').allInnerTexts())
      .not.toContain('cttok_');
  });

  const DECRYPT = '#/request?operation=POST%20/users/{fp_id}/vault/decrypt';

  async function endSessions(page: Page): Promise<void> {
    await kyclone
      .world()
      .service.send({
        method: 'DELETE',
        path: '/_kyclone/console/sessions',
        headers: { authorization: `Bearer ${CONTROL_TOKEN}` },
      });
    await page.getByText('The session has ended.').waitFor();
    await expect.poll(() => page.getByRole('textbox').or(page.getByRole('grid')).count()).toBe(0);
  }

  async function enterAs(page: Page, operator: string): Promise<void> {
    const { url } = (
      await kyclone.world().service.call('POST /_kyclone/console/codes', { body: { operator } })
    ).body;
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(url).hash)}`);
    await page.getByRole('textbox', { name: 'fp_id' }).waitFor();
  }

  test('builder: an address that is typed chooses its endpoint, and what was filled in is there again', async () => {
    const { page } = await kyclone.open(DECRYPT);
    const { user, twin } = kyclone.world();
    const id = page.getByRole('textbox', { name: 'fp_id' });
    await id.fill(user);
    await page.getByRole('textbox', { name: 'reason' }).fill('a call');

    await goTo(page, '#/request?operation=GET%20/users/{fp_id}');
    await expect.poll(() => id.inputValue()).toBe(user);
    await id.fill(twin);
    await goTo(page, '#/request?operation=GET%20/users');
    await goTo(page, '#/users');
    await goTo(page, DECRYPT);
    await expect.poll(() => page.getByRole('textbox', { name: 'reason' }).inputValue()).toBe('a call');
  });

  test('builder: what is filled in outlives a session, for the same person, in memory alone', async () => {
    const { page } = await kyclone.open(DECRYPT);
    const reason = page.getByRole('textbox', { name: 'reason' });
    await page.getByRole('textbox', { name: 'fp_id' }).fill(kyclone.world().user);
    await reason.fill('a call of Marzipanova');

    await endSessions(page);
    await enterAs(page, 'Ada');
    expect(new URL(page.url()).hash).toBe(DECRYPT);
    await expect.poll(() => reason.inputValue()).toBe('a call of Marzipanova');
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie])',
    );
    expect(kept).not.toContain('Marzipanova');

    await endSessions(page);
    await enterAs(page, 'Zoë Next');
    await expect.poll(() => reason.inputValue()).not.toContain('Marzipanova');
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
    // It is below the request.
    const top = `document.querySelector('[aria-label=Response]').getBoundingClientRect().top < innerHeight / 2`;
    await expect.poll(() => page.evaluate(top)).toBe(true);
    const line = response.getByRole('treeitem').filter({ hasText: 'long:' }).first();
    await line.click();

    await expect.poll(() => response.locator('.json-whole').innerText()).toBe(long);
    await expect.poll(() => page.evaluate<string[]>(CUT)).toEqual([]);
    await page.getByRole('combobox', { name: 'Endpoint' }).fill('GET /_kyclone/docs');
    await page.getByRole('option', { name: /docs/ }).first().click();
    await page.getByRole('button', { name: 'Send' }).click();
    await response.getByRole('group', { name: 'Body of the response' }).waitFor();
    await expect.poll(() => page.evaluate<string[]>(CUT)).toEqual([]);
  });

  function expectPlain(text: string): void {
    expect(text).not.toMatch(/[\u0007\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
});
