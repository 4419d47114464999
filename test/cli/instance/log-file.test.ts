import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastLines } from '../../../src/cli/instance/log-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

function linesOf(text: string, count: number) {
  using folder = tempDir();
  const path = join(folder.path, 'daemon.log');
  writeFileSync(path, text);
  return lastLines(path, count);
}

test.each([
  ['a\nb\nc\n', 2, { lines: ['b', 'c'], end: 6 }],
  ['a\nb\nc\n', 0, { lines: [], end: 6 }],
  ['a\nb\nc\n', 9, { lines: ['a', 'b', 'c'], end: 6 }],
  ['a\nhalf', 9, { lines: ['a'], end: 2 }],
  ['', 9, { lines: [], end: 0 }],
])('lastLines: of %j the last %i whole lines', (text, count, expected) => {
  expect(linesOf(text, count)).toEqual(expected);
});

test('lastLines: no file is no log', () => {
  expect(lastLines('/nowhere/daemon.log', 1)).toBeUndefined();
});

test('lastLines: a line cut by the size of the tail is left out', () => {
  const long = 'x'.repeat(5 * 1024 * 1024);
  expect(linesOf(`${long}\nlast\n`, 9)?.lines).toEqual(['last']);
});
