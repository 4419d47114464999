import { expect, test } from 'vitest';
import { ExactNumber } from '../../../src/kernel/text/json.ts';
import { jsonRows } from '../../../src/tui/screens/json-rows.ts';

const linesOf = (value: unknown) => jsonRows(value).map(({ cells }) => cells[0]);

test('jsonRows: a row for each line, indented; nothing is no row', () => {
  expect(linesOf({ a: ['x', 1] })).toEqual(['{', '  "a": [', '    "x",', '    1', '  ]', '}']);
  expect(linesOf('text')).toEqual(['"text"']);
  expect(linesOf(new ExactNumber('1.10'))).toEqual(['1.10']);
  expect(jsonRows(null)).toEqual([]);
  expect(jsonRows(undefined)).toEqual([]);
});

test('jsonRows: what is copied is the same in each', () => {
  expect(jsonRows([1], { id: 'req_1' }).map(({ id }) => id)).toEqual(['req_1', 'req_1', 'req_1']);
});

test('jsonRows: what would nest without end or never end is cut', () => {
  let deep: unknown = 1;
  for (let at = 0; at < 100_000; at++) deep = [deep];
  expect(linesOf(deep)).toEqual(['nested too deep to be shown']);
  expect(linesOf(Array.from({ length: 6_000 }, () => 1)).at(-1)).toBe('… and 1002 more lines');
});
