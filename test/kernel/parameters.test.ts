import { expect, test } from 'vitest';
import { listParameter } from '../../src/kernel/cursor.ts';
import { isJsonObject } from '../../src/kernel/json.ts';
import { pathGlob } from '../../src/kernel/text.ts';

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
  ['/users', '/users', true],
  ['/users', '/users/', true],
  ['/users', '/users/fp_id_1', false],
  ['/users', '/user', false],
  ['/users/*', '/users/fp_id_1', true],
  ['/users/*', '/users', false],
  ['/users/*', '/users/fp_id_1/vault', false],
  ['/users/*/vault', '/users/fp_id_1/vault', true],
  ['/users/**', '/users', true],
  ['/users/**', '/users/fp_id_1/vault/decrypt', true],
  ['/**/decrypt', '/users/fp_id_1/vault/decrypt', true],
  ['/**/vault/**', '/users/fp_id_1/vault', true],
  ['/**/a/**/b', '/x/a/y/a/b', true],
  ['/**/a/**/b', '/x/b/a', false],
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

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ['{}', false],
  [undefined, false],
  [7, false],
])('isJsonObject: %j: %j', (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});
