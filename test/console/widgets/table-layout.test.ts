import { expect, test } from 'vitest';
import {
  columnWidths,
  fittingColumns,
  movedIndex,
  nextSort,
  rowLayout,
  type TableColumn,
} from '../../../src/console/widgets/table-layout.ts';

interface Item {
  readonly name: string;
  readonly size?: number;
}

const COLUMNS: readonly TableColumn<Item>[] = [
  { key: 'name', heading: 'Name', text: ({ name }) => name },
  { key: 'size', heading: 'Size', text: ({ size }) => `${size ?? ''}`, drop: 1 },
  { key: 'note', heading: 'Note', text: () => 'x'.repeat(200), grows: true, drop: 2 },
];
const ITEMS: readonly Item[] = [
  { name: 'b10', size: 10 },
  { name: 'B2' },
  { name: '' },
  { name: 'a', size: 9 },
  { name: 'A', size: 100 },
];

test('nextSort: up, down, none; another column begins with up', () => {
  const up = nextSort(undefined, 'a');
  const down = nextSort(up, 'a');
  expect([up, down, nextSort(down, 'a'), nextSort(down, 'b')]).toEqual([
    { column: 'a', isDescending: false },
    { column: 'a', isDescending: true },
    undefined,
    { column: 'b', isDescending: false },
  ]);
});

test('columnWidths: by the longest text, at least the heading with its arrow, at most 44', () => {
  expect(columnWidths(COLUMNS, ITEMS)).toEqual([6, 6, 44]);
  expect(columnWidths(COLUMNS, [{ name: 'a name of 19 letters' }])[0]).toBe(20);
});

test('fittingColumns: the highest number goes first, and what has none stays', () => {
  const widths = [6, 6, 44];
  expect(fittingColumns(COLUMNS, widths, Infinity)).toEqual(['name', 'size', 'note']);
  expect(fittingColumns(COLUMNS, widths, 40)).toEqual(['name', 'size', 'note']);
  expect(fittingColumns(COLUMNS, widths, 39)).toEqual(['name', 'size']);
  expect(fittingColumns(COLUMNS, widths, 15)).toEqual(['name']);
  expect(fittingColumns(COLUMNS, widths, 1)).toEqual(['name']);
});

test('rowLayout: one column takes the rest, and may shrink to 22', () => {
  expect(rowLayout(COLUMNS, [6, 6, 44])).toEqual({ tracks: '6ch 6ch minmax(22ch, 1fr)', leastCh: 40 });
  expect(rowLayout(COLUMNS.slice(0, 2), [6, 7])).toEqual({ tracks: '6ch minmax(7ch, 1fr)', leastCh: 17 });
});

test.each([
  ['ArrowDown', 3, 4],
  ['j', 99, 99],
  ['k', 0, 0],
  ['PageDown', 3, 23],
  ['PageUp', 3, 0],
  ['Home', 50, 0],
  ['End', 50, 99],
  ['ArrowUp', -1, 0],
  ['End', -1, 99],
  ['x', 3, undefined],
  ['constructor', 3, undefined],
])('movedIndex: %s at %i of 100 leads to %s', (key, index, expected) => {
  expect(movedIndex(key, { index, count: 100, page: 20 })).toBe(expected);
});
