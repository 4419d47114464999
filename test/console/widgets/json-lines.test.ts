import { compile } from 'json-p3';
import { expect, test } from 'vitest';
import { parseJson } from '../../../src/kernel/text/json.ts';
import {
  copiedText,
  firstOpen,
  foldedText,
  jsonLines,
  openPaths,
  targetIndex,
} from '../../../src/console/widgets/json-lines.ts';

const DOCUMENT = {
  'id.first_name': 'Jane',
  list: [1, { deep: null }],
  'it\'s "odd" \\ \n': true,
  '': { '0': 'empty name' },
  __proto_: {},
};

test('jsonLines: a number that keeps its text is one line', () => {
  const value = parseJson('{"price":1.10}');
  expect(jsonLines(value, firstOpen(value)).map((line) => [line.path, copiedText(line.value)])).toEqual([
    ['$', '{\n  "price": 1.10\n}'],
    ['$.price', '1.10'],
  ]);
});

test('jsonLines: each path finds its value, by a JSONPath library', () => {
  const lines = jsonLines(DOCUMENT, firstOpen(DOCUMENT, Infinity));
  expect(lines).toHaveLength(10);
  for (const { path, value } of lines) {
    expect(
      compile(path)
        .query(DOCUMENT as never)
        .values(),
      path,
    ).toEqual([value]);
  }
});

test('jsonLines: what is folded has no lines, and empty values have nothing to fold', () => {
  expect(jsonLines(DOCUMENT, new Set())).toMatchObject([{ path: '$', isOpen: false, level: 1 }]);
  const lines = jsonLines(DOCUMENT, new Set(['$']));
  expect(lines.map(({ name, isOpen }) => [name, isOpen])).toEqual([
    [undefined, true],
    ['id.first_name', undefined],
    ['list', false],
    ['it\'s "odd" \\ \n', undefined],
    ['', false],
    ['__proto_', undefined],
  ]);
  expect(lines[2]).toMatchObject({ level: 2, position: 2, siblings: 5 });
});

test('firstOpen: level by level while few lines are shown, and the document itself in any case', () => {
  const short = { a: { b: { c: 1 } } };
  expect(jsonLines(short, firstOpen(short))).toHaveLength(4);
  const long = { many: Array.from({ length: 500 }, (_, index) => ({ index })), few: { a: 1 } };
  expect([...firstOpen(long)]).toEqual(['$']);
  const list = Array.from({ length: 300_000 }, (_, index) => index);
  expect(jsonLines(list, firstOpen(list))).toHaveLength(300_001);
});

test('jsonLines: a document that is nested 20,000 deep', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  const open = new Set(['$', '$[0]', '$[0][0]']);
  expect(jsonLines(deep, open).map(({ level }) => level)).toEqual([1, 2, 3, 4]);
});

test('openPaths: what was folded by hand stays so when the value changes', () => {
  const byHand = new Map([
    ['$.list', false],
    ['$.list[1]', true],
  ]);
  expect([...openPaths({ ...DOCUMENT, more: { a: 1 } }, { base: 'first', byHand })].sort()).toEqual([
    '$',
    '$.list[1]',
    '$.more',
    "$['']",
  ]);
  expect([...openPaths(DOCUMENT, { base: 'none', byHand: new Map() })]).toEqual(['$']);
});

test('foldedText and copiedText: how many members, and a string without its quotes', () => {
  expect([{}, [], [1], [1, 2], { a: 1 }, { a: 1, b: 2 }].map(foldedText)).toEqual([
    '{}',
    '[]',
    '[ 1 item ]',
    '[ 2 items ]',
    '{ 1 member }',
    '{ 2 members }',
  ]);
  expect([copiedText('a "b"'), copiedText({ a: 1 }), copiedText(null)]).toEqual([
    'a "b"',
    '{\n  "a": 1\n}',
    'null',
  ]);
});

test.each([
  ['ArrowDown', 0, 1],
  ['k', 0, 0],
  ['End', 0, 9],
  ['ArrowDown', 9, 9],
  ['Home', 9, 0],
  ['ArrowRight', 2, 3],
  ['ArrowRight', 1, undefined],
  ['ArrowLeft', 5, 4],
  ['ArrowLeft', 3, 2],
  ['x', 3, undefined],
])('targetIndex: %s from line %i leads to %s', (key, index, expected) => {
  expect(targetIndex(key, jsonLines(DOCUMENT, firstOpen(DOCUMENT, Infinity)), index)).toBe(expected);
});
