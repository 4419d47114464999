import { expect, test } from 'vitest';
import type { Row } from '../../../src/tui/state/model.ts';
import {
  columnWidths,
  fittingColumns,
  movedIndex,
  nextSort,
  rowLayout,
  type TableColumn,
} from '../../../src/console/widgets/table-layout.ts';

const aRow = (name: string, size = ''): Row => ({ key: name, cells: [name, size, 'x'.repeat(200)] });
const COLUMNS: readonly TableColumn[] = [
  { key: '0', heading: 'Name', drop: undefined, shrinksTo: undefined },
  { key: '1', heading: 'Size', drop: 1, shrinksTo: undefined },
  { key: '2', heading: 'Note', grows: true, drop: 2, shrinksTo: undefined },
];
const ROWS: readonly Row[] = [aRow('b10', '10'), aRow('B2'), aRow(''), aRow('a', '9'), aRow('A', '100')];

test('nextSort: up, down, none; another column begins with up', () => {
  const up = nextSort(undefined, 2);
  const down = nextSort(up, 2);
  expect([up, down, nextSort(down, 2), nextSort(down, 0)]).toEqual([
    { column: 2, descending: false },
    { column: 2, descending: true },
    undefined,
    { column: 0, descending: false },
  ]);
});

test('columnWidths: by the longest text, at least the heading with its arrow, at most 44', () => {
  expect(columnWidths(COLUMNS, ROWS)).toEqual([6, 6, 44]);
  expect(columnWidths(COLUMNS, [aRow('a name of 19 letters')])[0]).toBe(20);
});

test('fittingColumns: the highest number goes first, and what has none stays', () => {
  const widths = [6, 6, 44];
  expect(fittingColumns(COLUMNS, widths, Infinity)).toEqual(['0', '1', '2']);
  expect(fittingColumns(COLUMNS, widths, 40)).toEqual(['0', '1', '2']);
  expect(fittingColumns(COLUMNS, widths, 39)).toEqual(['0', '1']);
  expect(fittingColumns(COLUMNS, widths, 15)).toEqual(['0']);
  expect(fittingColumns(COLUMNS, widths, 1)).toEqual(['0']);
});

test('rowLayout: one column takes the rest, and may shrink to 22', () => {
  expect(rowLayout(COLUMNS, [6, 6, 44])).toEqual({ tracks: '6ch 6ch minmax(22ch, 1fr)', leastCh: 40 });
  expect(rowLayout(COLUMNS.slice(0, 2), [6, 7])).toEqual({ tracks: '6ch minmax(7ch, 1fr)', leastCh: 17 });
});

test.each([
  ['down', 3, 4],
  ['j', 99, 99],
  ['G', 3, 99],
  ['k', 0, 0],
  ['pagedown', 3, 23],
  ['pageup', 3, 0],
  ['home', 50, 0],
  ['end', 50, 99],
  ['up', -1, 0],
  ['end', -1, 99],
  ['x', 3, undefined],
  ['constructor', 3, undefined],
])('movedIndex: %s at %i of 100 leads to %s', (key, index, expected) => {
  expect(movedIndex(key, { index, count: 100, page: 20 })).toBe(expected);
});
