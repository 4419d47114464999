/** docs/security.md names every threat and fault once; the tests and torture promises that it names exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { PROMISES } from '../torture/registry.ts';

const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([A-Z]\d+) +\|(.*)\|$/gm)].map(([, id = '', rest = '']) => ({
  id,
  rest,
}));

const FAMILIES = { N: 12, A: 11, C: 9, I: 10, P: 10, L: 4, S: 1, R: 22 };
const IDS = Object.entries(FAMILIES).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

test('security page: each threat and each fault has its row', () => {
  expect(rows.map(({ id }) => id).sort()).toEqual([...IDS].sort());
});

test('security page: every test it names is there', () => {
  const paths = [...page.matchAll(/`((?:test|src)\/[\w./-]+|\.ci\/run)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('security page: each threat names a test', () => {
  const threats = rows.filter(({ id }) => !id.startsWith('R'));
  expect(threats.filter(({ rest }) => !/`(?:test\/|\.ci\/run)/.test(rest))).toEqual([]);
});

test('security page: each fault names its promises of torture, and all of them', () => {
  for (const { id, rest } of rows.filter((row) => row.id.startsWith('R'))) {
    const named = [...rest.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
    expect([id, named]).toEqual([
      id,
      PROMISES.filter((promise) => promise.id === id).map((promise) => promise.name),
    ]);
  }
});
