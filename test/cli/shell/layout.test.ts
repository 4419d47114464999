import fc from 'fast-check';
import { expect, test } from 'vitest';
import { facts, SCREEN_WIDTH, shortened, shortTime, table, wrapped } from '../../../src/cli/shell/layout.ts';
import { displayWidth, PLAIN } from '../../../src/cli/shell/output.ts';

const LONG = 'seven words that take quite some room '.repeat(4).trim();

test('wrapped: breaks at blanks, and a word that fits no line where the line ends', () => {
  expect(wrapped('a bb ccc dddd', 6)).toEqual(['a bb', 'ccc', 'dddd']);
  expect(wrapped('a bbbbbbbb c', 4)).toEqual(['a', 'bbbb', 'bbbb', 'c']);
  expect(wrapped('日本語', 4)).toEqual(['日本', '語']);
  expect(wrapped('', 4)).toEqual(['']);
});

test('facts: names aligned, long values under where they began, lists by the line', () => {
  expect(facts({ name: 'Ann', 'a long name': ['one', 'two'], none: [], no: null }, PLAIN)).toBe(
    'name         Ann\na long name  one\n             two\nnone         -\nno           -',
  );
  const lines = facts({ why: LONG }, PLAIN).split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(SCREEN_WIDTH);
  expect(lines[1]).toMatch(/^ {5}\S/);
});

test('facts: a painted text is made printable before it is painted', () => {
  const paint = (text: string) => `<${text}>`;
  expect(facts({ status: { text: 'pass\u001b[2J', paint } }, PLAIN)).toBe('status  <pass\\x1b[2J>');
});

test('table: the last column goes on under itself', () => {
  const lines = table(['ID', 'NOTE'], [['x'.repeat(30), LONG]], PLAIN, '').split('\n');
  expect(lines[0]).toBe(`ID${' '.repeat(28)}  NOTE`);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(SCREEN_WIDTH);
  for (const line of lines.slice(2)) expect(line).toMatch(/^ {32}\S/);
});

test('table: where no room is left the last column stands under its row', () => {
  const lines = table(['ID', 'NOTE'], [['x'.repeat(70), LONG]], PLAIN, '').split('\n');
  expect(lines.slice(0, 2)).toEqual(['ID', 'x'.repeat(70)]);
  expect(lines[2]).toMatch(/^ {4}seven words/);
});

test('table: a short last column stays in its row however little room there is', () => {
  expect(table(['ID', 'NOTE'], [['x'.repeat(70), 'short']], PLAIN, '').split('\n')[1]).toBe(
    `${'x'.repeat(70)}  short`,
  );
});

test('table: control characters are shown, not interpreted; an empty one says so', () => {
  expect(table(['ID', 'NOTE'], [['a\u001b[31m', 'b\nc']], PLAIN, '')).toContain('a\\x1b[31m  b ↵ c');
  expect(table(['ID'], [], PLAIN, 'Nothing')).toBe('Nothing');
});

test('table: no line is wider than the terminal, whatever the cells contain', () => {
  const cell = fc.oneof(fc.string({ maxLength: 120 }), fc.constantFrom('東京'.repeat(40), LONG, null, 7));
  const heading = fc.oneof(fc.constant('NAME'), fc.record({ text: fc.constant('AT'), drop: fc.nat(9) }));
  const row = fc.array(cell, { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(heading, { minLength: 1, maxLength: 5 }),
      fc.array(row, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 48, max: 200 }),
      fc.boolean(),
      (headings, rows, screen, isUnder) => {
        for (const line of table(headings, rows, { ...PLAIN, screen }, '', isUnder).split('\n'))
          expect(displayWidth(line)).toBeLessThanOrEqual(screen);
      },
    ),
  );
});

test('table: a long text is cut before an id', () => {
  const id = `fp_bid_${'0'.repeat(22)}`;
  const lines = table(['ID', 'NAME', 'NOTE'], [[id, 'x'.repeat(90), LONG]], PLAIN, '').split('\n');
  expect(lines[1]).toBe(`${id}  ${'x'.repeat(48)}…`);
});

test('shortened, shortTime: fit a column', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('abcdefg', 6)).toBe('abcde…');
  expect(shortTime('2026-01-31T12:00:00.000Z')).toBe('2026-01-31 12:00:00');
  expect(shortTime(null)).toBe('-');
});
