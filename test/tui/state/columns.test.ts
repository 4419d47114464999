/** Which columns fit into a window, and what is cut. */
import { expect, test } from 'vitest';
import { fitted, placeColumns } from '../../../src/tui/state/geometry.ts';
import { clockScreen } from '../../../src/nouns/clock/screen.ts';
import { deliveriesScreen } from '../../../src/nouns/webhooks/screen/deliveries.ts';
import { eventsScreen } from '../../../src/nouns/webhooks/screen/events.ts';
import { foundScreen, usersScreen, reviewsScreen } from '../../../src/nouns/entities/screen/people.ts';
import { vault } from '../../../src/nouns/entities/screen/entity.ts';
import type { Column, Row } from '../../../src/tui/state/model.ts';
import { textOf } from '../../../src/tui/state/rows.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'AT (UTC)' },
  { heading: 'STATUS' },
  { heading: 'USER', isId: true },
  { heading: 'WHAT', grows: true },
  { heading: 'CODE', drop: 1 },
  { heading: 'NOTE', drop: 2 },
];
const ID = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const aRow = (what: string, code: string, note: string): Row => ({
  key: what,
  cells: ['2026-03-01 12:00:00', 'pass', ID, what, code, note],
});
const placed = (rows: readonly Row[], width: number): Record<string, number> =>
  Object.fromEntries(
    placeColumns(COLUMNS, rows, width).map(({ at, width: cells }) => [COLUMNS[at]?.heading ?? '', cells]),
  );

test('columns: one in which nothing stands goes before one of less use', () => {
  const rows = [aRow('a short text', '-', 'noted')];
  expect(Object.keys(placed(rows, 80))).toEqual(['AT (UTC)', 'STATUS', 'USER', 'WHAT', 'NOTE']);
  expect(Object.keys(placed([aRow('a short text', 'E1', 'noted')], 80))).not.toContain('NOTE');
});

test('columns: one that hides when nothing stands in it is not there in any window', () => {
  const columns: readonly Column[] = [{ heading: 'WHO' }, { heading: 'MATCHED', hidesEmpty: true }];
  const at = (text: string) =>
    placeColumns(columns, [{ key: '1', cells: ['Ada', text] }], 200).map(({ at: column }) => column);
  expect(at('-')).toEqual([0]);
  expect(at('name')).toEqual([0, 1]);
});

test('columns: one with a long text is cut before another is left out for it', () => {
  const rows = [aRow('a short text', 'x'.repeat(60), 'noted')];
  expect(placed(rows, 100)).toMatchObject({ NOTE: 5, CODE: 20 });
  expect(placed(rows, 200)).toMatchObject({ CODE: 44 });
});

test.each([78, 60, 50])('columns: at %i cells time, state and whom are there, the time whole', (width) => {
  const widths = placed([aRow('x'.repeat(300), 'x'.repeat(60), 'x'.repeat(60))], width);
  expect(widths).toMatchObject({ 'AT (UTC)': 19, STATUS: 6 });
  expect(widths['USER']).toBeGreaterThanOrEqual(6);
  const sum = Object.values(widths).reduce((all, cells) => all + cells, 0);
  expect(sum + 2 * (Object.keys(widths).length - 1)).toBeLessThanOrEqual(width);
});

test('columns: of an id its end is kept, of a text its beginning', () => {
  expect(fitted(ID, 9, COLUMNS[2])).toBe('…Aeg5VGPj');
  expect(fitted('watchlist_hit', 9, COLUMNS[3])).toBe('watchlis…');
  expect(fitted(ID, 28, COLUMNS[2])).toBe(ID);
});

test('columns: of a vault with bank accounts the end of each identifier is read at 80 columns, and the mask beside it', () => {
  const { columns } = vault;
  const named = (name: string): Row => {
    const identifier = `bank.acct_gJDGWcy8KjgZcFqrRHDxNw.${name}`;
    return { key: name, cells: ['bank', identifier, '***9102', 'text', '3', '2026-11-24 03:04:35'] };
  };
  const rows = ['ach_account_number', 'ach_routing_number'].map(named);
  const placedAt = placeColumns(columns, rows, 78);
  const shown = rows.map(({ cells }) =>
    placedAt.map(({ at, width }) => fitted(textOf(cells[at]), width, columns[at])),
  );
  expect(shown.map((cells) => cells.find((cell) => cell.endsWith('_number')))).toEqual([
    expect.stringMatching(/ach_account_number$/),
    expect.stringMatching(/ach_routing_number$/),
  ]);
  for (const cells of shown)
    expect(cells).toEqual(expect.arrayContaining(['***9102', '2026-11-24 03:04:35']));
  expect(placedAt.reduce((sum, { width }) => sum + width + 2, -2)).toBeLessThanOrEqual(78);
});

const TIME = '2026-03-01 12:00:00';
const KIND = 'onboarding.status_changed';

test.each([
  [
    deliveriesScreen,
    [
      TIME,
      'failing (3 of 8)',
      'V*** K***',
      'hooks.…/eu/customers',
      '500',
      KIND,
      'the connection failed',
      TIME,
      'customer-17',
      ID,
      'is the receiver running?',
      'https://hooks.example.com/eu/customers',
    ],
    [TIME, 'failing (3 of 8)', 'V*** K***', 'hooks.…/eu/customers', '500'],
  ],
  [eventsScreen, [TIME, KIND, 'fail', 'V*** K***', ID, 'evt_7p793EF07xKXHqAeg5VGPj'], [KIND, 'V*** K***']],
  [
    clockScreen,
    [
      'any /users/*/vault/decrypt',
      '500 fault_injected, for 20 %',
      'always',
      '0',
      'flt_7p793EF07xKXHqAeg5VGPj',
    ],
    ['any /users/*/vault/decr…'],
  ],
  [
    reviewsScreen,
    [TIME, ID, 'V*** K***', 'fail', '-', '-', 'OFAC list hit (high), Adverse media found (high)'],
    ['V*** K***', 'OFAC list hit (high), Adverse…'],
  ],
  [
    reviewsScreen,
    [
      TIME,
      ID,
      'V*** K***',
      'fail',
      'offboard_fraud',
      'grace',
      'OFAC list hit (high), Adverse media found (high)',
    ],
    ['V*** K***', 'offboard_…', 'grace'],
  ],
  [
    usersScreen,
    [ID, 'V*** K***', 'incomplete, review', '-', 'offboard_fraud', 'customer-17', TIME, TIME],
    [ID, 'V*** K***', 'incomplete, review', 'offboard_fraud'],
  ],
  [
    usersScreen,
    [ID, 'V*** K***', 'pass', '-', '-', 'customer-17', TIME, TIME],
    [ID, 'V*** K***', 'pass', '-', 'customer-17'],
  ],
  [
    foundScreen,
    [ID, 'V*** K***', 'pass', 'name', 'offboard_fraud', 'customer-17', TIME, TIME],
    [ID, 'V*** K***', 'pass', 'name', 'offboard_fraud'],
  ],
] as const)('columns: at 80 what a row is about is read', (screen, cells, expected) => {
  const pane = screen.panes.find(({ columns }) => columns.length === cells.length);
  const columns = pane?.columns ?? [];
  const placedAt = placeColumns(columns, [{ key: '1', cells }], 78);
  const shown = placedAt.map(({ at, width }) => fitted(cells[at] ?? '', width, columns[at]));
  expect(shown).toEqual(expect.arrayContaining([...expected]));
});
