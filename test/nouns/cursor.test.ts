import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorPage, decodeCursor, encodeCursor, offsetPlace, pageSize } from '../../src/nouns/cursor.ts';

const refused = expect.objectContaining({ code: 'invalid_request' }) as Error;

test('cursor: gives back what it was made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer(), (text, number) => {
      const cursor = encodeCursor(number, text);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(cursor, ['number', 'string'])).toEqual([number, text]);
    }),
  );
});

test('cursor: any other text is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor(text, ['number', 'string'])).toThrow(refused);
    }),
  );
});

const spelt = (text: string) => Buffer.from(text).toString('base64url');
test.each([
  ['other types', encodeCursor('1', 2)],
  ['too few parts', encodeCursor(1)],
  ['too many parts', encodeCursor(1, 'a', 'b')],
  ['no list', spelt('{"0":1,"1":"a","length":2}')],
  ['another spelling', spelt('[1, "a"]')],
  ['a number that is none', spelt('[1e999,"a"]')],
  ['padding', `${encodeCursor(1, 'a')}==`],
  ['something behind', `${encodeCursor(1, 'a')}!`],
  ['nothing', ''],
])('cursor: %s is refused', (_what, cursor) => {
  expect(() => decodeCursor(cursor, ['number', 'string'])).toThrow(refused);
});

test('pageSize, offsetPlace: 20 by default and 100 at most', () => {
  expect([undefined, 1, 20, 100, 101, 1e15].map(pageSize)).toEqual([20, 1, 20, 100, 100, 100]);
  expect(offsetPlace({})).toEqual({ page: 0, size: 20, offset: 0 });
  expect(offsetPlace({ page: 2, page_size: 5_000 })).toEqual({ page: 2, size: 100, offset: 200 });
});

test.each([
  [[], [], null],
  [['a'], ['a'], null],
  [['a', 'b'], ['a', 'b'], null],
  [['a', 'b', 'c'], ['a', 'b'], 'after b'],
])('cursorPage: of %j a page of two shows %j, next %j', (rows, shown, next) => {
  const page = cursorPage(rows, {
    size: 2,
    count: 9,
    cursorOf: (row) => `after ${row}`,
    view: (row) => row.toUpperCase(),
  });

  expect(page).toEqual({ data: shown.map((row) => row.toUpperCase()), meta: { count: 9, next } });
});
