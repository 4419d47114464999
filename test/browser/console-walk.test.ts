/** Each screen of the registry, in Chromium, with the words of the inspector. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hashOf } from '../../src/console/routes.ts';
import { printable } from '../../src/kernel/text/terminal-text.ts';
import { actions } from '../../src/tui/actions/registry.ts';
import { JSON_COLUMNS } from '../../src/tui/screens/json-rows.ts';
import type { PaneDefinition } from '../../src/tui/screens/definition.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import type { Page as RowsPage, ScreenPlace } from '../../src/tui/state/model.ts';
import { textOf } from '../../src/tui/state/rows.ts';
import { hiddenIn, PLACES } from '../tui/a-full-world.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser } from './chromium.ts';
import { goTo, settled, useConsole } from './console.ts';

/** What a finger can't press for sure: lower than 24 px. A box of a label is as large as the label. */
const SMALL = `[...(document.querySelector('dialog[open]') ?? document).querySelectorAll(
  'a[href], button, summary, select, textarea, input:not(label input)')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches('.skip'))
  .map((each) => [each.textContent, each.getBoundingClientRect().height])
  .filter(([, height]) => height < 24).map((each) => each.join(': '))`;

const SIZES = [
  [390, 800],
  [1024, 768],
  [1600, 1000],
] as const;

describe.skipIf(skipsBrowser)('the console, walked', () => {
  const kyclone = useConsole();

  /** What the inspector shows. No source has an API key of its own here. */
  async function inspected(definition: PaneDefinition, { params }: ScreenPlace): Promise<RowsPage> {
    const source = { ...kyclone.world().source, isOwnKey: () => false };
    return await definition.load(source, { params, cursor: undefined, filter: '', size: 100 });
  }

  async function expectWords(page: Page, definition: PaneDefinition, place: ScreenPlace): Promise<void> {
    const where = `${place.screen}, ${definition.title}`;
    const { rows, banner, record } = await inspected(definition, place);
    if (definition.columns === JSON_COLUMNS && record !== null && record !== undefined) {
      const tree = await page.getByRole('tree', { name: definition.title }).innerText();
      const names = typeof record === 'object' ? Object.keys(record) : [JSON.stringify(record)];
      for (const name of names) expect(tree, where).toContain(name);
      return;
    }
    const drawn = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('.is-current .table-body [role=row]:not(.table-empty)')]
        .map((row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent))`,
    );
    if (rows.length === 0) {
      await expect
        .poll(() => page.locator('.is-current .table-empty').innerText(), { message: where })
        .toBe(definition.empty);
      return;
    }
    expect(drawn.length, where).toBeGreaterThan(0);
    // The instance counts the requests by which it is read.
    const counts = definition.title === 'Instance' ? /\d+/g : /(?!)/g;
    const words = rows.map(({ cells }) =>
      cells.map((cell) => printable(textOf(cell)).replaceAll(counts, 'N')),
    );
    for (const row of drawn)
      expect(
        words.some((cells) =>
          isPartOf(
            row.map((text) => text.replaceAll(counts, 'N')),
            cells,
          ),
        ),
        `${where}: ${row.join(' | ')}`,
      ).toBe(true);
    if (banner !== undefined && definition.title !== 'Clock')
      await expect
        .poll(() => page.locator('.is-current .banner').innerText(), { message: where })
        .toBe(printable(banner));
  }

  /** Columns may be left out, as in the inspector; the others keep their order. */
  function isPartOf(row: readonly string[], cells: readonly string[]): boolean {
    let from = 0;
    return row.every((text) => {
      const at = cells.indexOf(text, from);
      from = at + 1;
      return at >= 0;
    });
  }

  test.each(SIZES)(
    'console: every screen has the words of the inspector, and each action its button, at %i x %i',
    async (width, height) => {
      const { page, complaints } = await kyclone.open('', { size: [width, height] });
      const offered = new Set<string>();
      for (const name of PLACES) {
        const place = kyclone.world().places[name];
        for (const [at, definition] of screens[place.screen].panes.entries()) {
          // The first pane at each size, the others where most is shown.
          if (at > 0 && width !== 1600) continue;
          await goTo(page, hashOf({ place, pane: at }));
          await page.getByRole('heading', { level: 1 }).waitFor();
          await expectWords(page, definition, place);
          const seen = await page.evaluate<string>('document.body.innerText');
          expect(hiddenIn(seen), `${name} ${definition.title}`).toEqual([]);
          for (const label of await page.evaluate<string[]>(
            `[...document.querySelectorAll('.actions button')].map((button) => button.firstChild.textContent)`,
          ))
            offered.add(label);
        }
        await expectAccessible(page, `${name} at ${width}`);
        expect(await page.evaluate(SMALL), `${name} at ${width}`).toEqual([]);
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow, `${name} at ${width}`).toBe(0);
      }
      expect(complaints).toEqual([]);
      // Where every pane is opened, each action has had its button.
      const missing = Object.values(actions).filter(({ label }) => width === 1600 && !offered.has(label));
      expect(missing.map(({ label }) => label)).toEqual([]);
    },
  );

  test('console: without a keyboard each dialog closes, and begins with its title', async () => {
    const { page } = await kyclone.open('#/users', { size: [360, 640] });
    const dialog = page.locator('dialog[open]');
    const opening = {
      palette: () => page.locator('.find').click(),
      actions: () => page.getByRole('button', { name: /^Actions/ }).click(),
      keys: () => page.keyboard.press('?'),
      row: () => page.keyboard.press('i'),
    };
    for (const [name, open] of Object.entries(opening)) {
      await open();
      await dialog.waitFor();
      if (name === 'actions') {
        await dialog.getByRole('combobox').fill('no such action');
        await dialog.getByText('Nothing found').waitFor();
      }
      expect(await page.evaluate(`document.querySelector('dialog[open]').scrollTop`), name).toBe(0);
      expect(await page.evaluate(SMALL), name).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('console: light colours have enough contrast', async () => {
    const { page } = await kyclone.open('', { scheme: 'light' });
    for (const name of ['users', 'user', 'event', 'requests'] as const) {
      await goTo(page, hashOf({ place: kyclone.world().places[name] }));
      await settled(page);
      await expectAccessible(page, name);
    }
  });
});
