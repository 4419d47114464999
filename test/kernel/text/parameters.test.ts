import { expect, test } from 'vitest';
import { listParameter } from '../../../src/nouns/cursor.ts';
import { pathGlob } from '../../../src/kernel/text/text.ts';

test.each([
  ['', []],
  [' , ,', []],
  ['a', ['a']],
  [' a ,b,, a,c ', ['a', 'b', 'c']],
])('listParameter: %j is %j', (text, expected) => {
  expect(listParameter('fields', text)).toEqual(expected);
});

test('listParameter: 100 different entries are taken, 101 refused by name', () => {
  const entries = Array.from({ length: 101 }, (_, number) => `n${number}`);

  expect(listParameter('fields', [...entries.slice(0, 100), 'n0'].join())).toHaveLength(100);
  expect(() => listParameter('fields', entries.join())).toThrow(/fields/);
});

test.each([
  ['/users', '/users/', true],
  ['/users', '/users/fp_id_1', false],
  ['/users/**', '/users/fp_id_1/vault/decrypt', true],
  ['**', '/', true],
  ['*', '/', false],
  ['/us*', '/users', false],
  ['/USERS', '/users', false],
  ['/a.b', '/aXb', false],
])('pathGlob: %s, %s: %j', (pattern, path, expected) => {
  expect(pathGlob(pattern)(path)).toBe(expected);
});

test('pathGlob: many ** don’t make a long path slow', () => {
  const path = '/a'.repeat(500);

  expect(pathGlob(`${'/**/a'.repeat(50)}/b`)(path)).toBe(false);
});
