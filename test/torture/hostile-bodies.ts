/** Bodies made from an endpoint's schema and a request that succeeds. Each is wrong in one way, or huge. */
import type { TSchema } from '@sinclair/typebox';

const DEEP = 5_000;
const LONG = 200_000;
const MANY = 20_000;

/** Texts that no JSON parser may accept, and some that it may accept only with care. */
export const BROKEN_JSON: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '[',
  '"',
  '{"a":',
  '{"a"}',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a":1 "b":2}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":0x10}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":-}',
  '{"a":nul}',
  '{"a":True}',
  '{"a":"\t"}',
  '{"a":"\\x"}',
  '{"a":"\\u12"}',
  '{"a":"\\u{1}"}',
  '{} {}',
  '{}#',
  '/**/{}',
  '\ufeff{}',
  'undefined',
  'null',
  'true',
  '7',
  '"text"',
  '[]',
  '[{}]',
  '{"a":1,"a":2}',
  '{"\\u0061":1,"a":2}',
  '{"a":"\\ud800"}',
  '{"a":"\\udc00\\ud800"}',
  '{"\\ud800":1}',
  '{"a":"\\u0000"}',
  '{"a":1e400}',
  '{"a":-1e400}',
  '{"a":123456789012345678901234567890}',
  '{"":1}',
  '[[['.repeat(DEEP),
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{${Array.from({ length: MANY }, (_, index) => `"k${index}":1`).join()}}`,
  Buffer.from([0x22, 0xff, 0x22]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0x7b, 0x00, 0x7d]),
];

/** Values that hardly any member accepts. */
const WRONG_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  ' ',
  '\0',
  '\n',
  '\ud800',
  '\u202e',
  '__proto__',
  '../../etc/passwd',
  '%00',
  '{{ id.ssn9 }}',
  "' OR 1=1 --",
  '$&',
  '(((',
  'a'.repeat(LONG),
  '👩‍👩‍👧‍👦'.repeat(1_000),
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: { a: { a: {} } } },
  { length: 1e9 },
  Array.from({ length: MANY }, () => 'id.email'),
  JSON.parse('{"__proto__":{"admin":true}}'),
  { constructor: { prototype: { admin: true } } },
  JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`),
];

const STRANGE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '\0',
  '\ud800',
  'id.',
  'custom.',
  'custom.__proto__',
  'custom.a.b',
  'id.email:1',
  'id.email:-1',
  'id.email:1e9',
  'x'.repeat(70_000),
];

/** Yields bodies that differ from `sample` in one member, each with a name for what is wrong. */
export function* hostileBodies(schema: TSchema, sample: unknown): Generator<readonly [string, string]> {
  const valid = typeof sample === 'object' && sample !== null && !Array.isArray(sample) ? sample : {};
  const declared = Object.keys((schema['properties'] ?? {}) as Record<string, unknown>);
  const names = new Set([...Object.keys(valid), ...declared]);
  for (const name of names) {
    for (const [index, value] of WRONG_VALUES.entries()) {
      yield [`${name} as wrong value ${index}`, JSON.stringify({ ...valid, [name]: value })];
    }
    const text = JSON.stringify({ ...valid, [name]: 1 });
    yield [`${name} twice`, text.replace(/\}$/, `,${JSON.stringify(name)}:2}`)];
    const rest: Record<string, unknown> = { ...valid };
    Reflect.deleteProperty(rest, name);
    yield [`without ${name}`, JSON.stringify(rest)];
  }
  for (const strange of STRANGE_NAMES) {
    const text = JSON.stringify(valid).replace(/^\{/, `{${JSON.stringify(strange)}:{"admin":true},`);
    yield [`a member named ${JSON.stringify(strange.slice(0, 20))}`, text.replace(/,\}$/, '}')];
  }
}

/** Values for a parameter of a path, a query or a header. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '1e9',
  '99999999999999999999',
  'null',
  'undefined',
  'true',
  '__proto__',
  'constructor',
  '..',
  '../..',
  '%2e%2e%2f',
  '%00',
  '%ff',
  '%',
  '%zz',
  '\\',
  "'",
  '"',
  '<script>',
  '{{x}}',
  '*',
  'id.*',
  'fp_id_',
  'a'.repeat(7_000),
  '%F0%9F%92%A9',
  '%ED%A0%80',
  ';',
  '#',
  '?',
  '&',
  '=',
  '[]',
  '[a]=1',
];
