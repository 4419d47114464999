import { jsonText, parseJson, type JsonValue } from '../../../src/kernel/text/json.ts';
import { expect, test } from 'vitest';
import { cleaned, refused, written } from './a-vault.ts';
import { DEEP } from './reasons.ts';

function nested(depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = 'core';
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

test.each<JsonValue>([
  '',
  '  kept  ',
  'a\u0000b',
  0,
  -1.5,
  1e-7,
  true,
  false,
  [],
  {},
  [null, { a: [1, 'x'] }],
])('write custom: %j is kept exactly, in both vault kinds', (value) => {
  expect(cleaned('custom.thing', value)).toStrictEqual(value);
  expect(cleaned('custom.thing', value, { kind: 'business' })).toStrictEqual(value);
});

test.each(['9007199254740993', '-1e400', '[1,[{"a":12345678901234567890}]]'])(
  'write custom: %s is kept exactly',
  (json) => {
    expect(jsonText(cleaned('custom.n', parseJson(json)))).toBe(json);
  },
);

test.each([
  ['lists', (inner: JsonValue): JsonValue => [inner]],
  ['objects', (inner: JsonValue): JsonValue => ({ a: inner })],
])('write custom: 64 nested %s pass, 65 are too many', (_, wrap) => {
  const value = nested(64, wrap);
  expect(cleaned('custom.deep', value)).toBe(value);
  expect(refused({ 'custom.deep': nested(65, wrap) })).toEqual({ 'custom.deep': DEEP });
});

test('write custom: any depth is judged without exhausting the stack', () => {
  expect(refused({ 'custom.deep': nested(200_000, (inner) => [inner]) })).toEqual({ 'custom.deep': DEEP });
});

test('write custom: many siblings are not depth', () => {
  const value = Array.from({ length: 500 }, () => [1]);
  expect(cleaned('custom.wide', value)).toBe(value);
});

test('write custom: an identifier named like the prototype is an ordinary one', () => {
  expect(written({ 'custom.__proto__': 1 }).set).toEqual({ 'custom.__proto__': 1 });
  expect(Object.entries(refused({ 'custom.__proto__': nested(65, (inner) => [inner]) }))).toEqual([
    ['custom.__proto__', DEEP],
  ]);
});
