import { jsonText, type JsonValue } from '../../../src/kernel/text/json.ts';
import { JSONPathEnvironment } from 'json-p3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseIngressRules,
  scanJsonPath,
  type JsonPath,
} from '../../../src/nouns/vault-proxy/service/ingress-rules.ts';
import { selectIngress } from '../../../src/nouns/vault-proxy/service/ingress-selection.ts';

const rulesFor = (paths: readonly string[]) =>
  parseIngressRules(
    paths.map((path, index) => `custom.c${index}=${path}`),
    'fp_id_x',
  );

const token = (index: number) => `fp_id_x.custom.c${index}`;

function select(body: string | Buffer, ...paths: string[]) {
  const selection = selectIngress(Buffer.from(body as string), rulesFor(paths));
  if (!selection) return undefined;
  const found = selection.values.flatMap((value, index) => (value === undefined ? [] : [index]));
  return { values: selection.values, body: selection.rewritten(new Set(found)).toString('utf8') };
}

const texts = (body: string, ...paths: string[]) =>
  select(body, ...paths)?.values.map((selected) => selected?.text);

test.each<[body: string, path: string, text: string | undefined]>([
  ['{"a":"x"}', '$.a', 'x'],
  ['{"a":{"b":[0,{"c":"x"}]}}', '$.a.b[1].c', 'x'],
  ['["x"]', '$[0]', 'x'],
  [' \t\r\n{ "a" : "x" } \n', '$.a', 'x'],
  ['"x"', '$', 'x'],
  ['{"\\u0061":"x"}', '$.a', 'x'],
  ['{"a\\nb":1,"a":"x"}', '$.a', 'x'],
  ['{"":"x"}', "$['']", 'x'],
  ['{"a":"}\\"]","b":"x"}', '$.b', 'x'],
  ['{"a":"\\\\","b":"x"}', '$.b', 'x'],
  ['{"q":[{},[],{"a":[]}],"a":"x"}', '$.a', 'x'],
  ['{"a":"\\ud83d\\ude00 \\"é"}', '$.a', '😀 "é'],
  ['{"a":true}', '$.a', 'true'],
  ['{"a":false}', '$.a', 'false'],
  ['{"a":""}', '$.a', ''],
  ['{"a":null}', '$.a', undefined],
  ['null', '$', undefined],
  ['{}', '$.a', undefined],
  ['{"a":{}}', '$.a.b', undefined],
  ['{"a":"x"}', '$.a.length', undefined],
  ['{"a":"x"}', '$.a[0]', undefined],
  ['["x"]', "$['0']", undefined],
  ['["x"]', '$.length', undefined],
  ['{"0":"x"}', '$[0]', undefined],
  ['["x"]', '$[1]', undefined],
  ['[]', '$[0]', undefined],
  ['["x"]', '$[99999999999999999999]', undefined],
  ['{"a":1}', '$.constructor', undefined],
  ['{"a":1}', '$.__proto__', undefined],
  ['{"a":1}', '$.toString', undefined],
  ['{"__proto__":{"a":"x"}}', '$.__proto__.a', 'x'],
  ['{"A":"x"}', '$.a', undefined],
])('select: in %s %s finds %j', (body, path, text) => {
  expect(texts(body, path)).toEqual([text]);
});

test.each(['424', '-0', '1.0', '1e3', '1E+3', '4242424242424242424', '0.1000000000000000055', '1e999'])(
  'select: the number %s keeps its digits as text',
  (number) => {
    expect(texts(`{"a": ${number} }`, '$.a')).toEqual([number]);
    expect(texts(`[${number}]`, '$[0]')).toEqual([number]);
    expect(texts(` ${number} `, '$')).toEqual([number]);
  },
);

test('select: a list or object is compact text, its numbers as they were written, and keeps its members', () => {
  const body = '{"a": { "n" : [ 1.0 , 12345678901234567890 ], "__proto__" : { "s": " a  b " } } }';
  const [selected] = select(body, '$.a')?.values ?? [];
  expect(selected?.text).toBe('{"n":[1.0,12345678901234567890],"__proto__":{"s":" a  b "}}');
  expect(jsonText(selected?.value)).toBe(selected?.text);
});

test.each([
  ['"\\ud83d"', false],
  ['"\\ude00"', false],
  ['"\\ude00\\ud83d"', false],
  ['"\\ud83d\\ud83d\\ude00"', false],
  ['{"a":["\\uD83D x"]}', false],
  ['{"\\ud83d":1}', false],
  ['"\\\\\\ud83d"', false],
  ['"\\ud83d\\ude00"', true],
  ['"\\\\ud83d"', true],
  ['"\\u00e9"', true],
])('select: %s is well-formed: %s', (json, isWellFormed) => {
  expect(select(json, '$')?.values[0]?.isWellFormed).toBe(isWellFormed);
});

test.each<[what: string, body: Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['blanks', Buffer.from(' ')],
  ['text', Buffer.from('hello')],
  ['an open object', Buffer.from('{"a":1')],
  ['more than one value', Buffer.from('{} {}')],
  ['a comma too many', Buffer.from('{"a":1,}')],
  ['no UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
  ['half a surrogate as bytes', Buffer.from('7b2261223a22eda080227d', 'hex')],
  ['a control character in a string', Buffer.from('{"a":"\u0001"}')],
  ['5 MiB of opening brackets', Buffer.alloc(5 * 1024 * 1024, '[')],
])('select: %s is no JSON', (_, body) => {
  expect(select(body, '$.a')).toBe(undefined);
});

test('select: a byte order mark counts as nothing, and is left out of the new body', () => {
  const found = select('\ufeff{"a":"x"}', '$.a');
  expect([found?.values[0]?.text, found?.body]).toEqual(['x', `{"a":"${token(0)}"}`]);
});

test('select: a list nested 200,000 deep is JSON like any other', () => {
  const depth = 200_000;
  const deep = '['.repeat(depth) + ']'.repeat(depth);
  const found = select(`{"deep":${deep},"a":"x"}`, '$.a');
  expect(found?.values[0]?.text).toBe('x');
  expect(found?.body).toBe(`{"deep":${deep},"a":"${token(0)}"}`);
});

test('select: a path as long as headers allow finds what lies as deep', () => {
  const depth = 30_000;
  const body = '{"a":'.repeat(depth) + '"x"' + '}'.repeat(depth);
  expect(texts(body, `$${'.a'.repeat(depth)}`)).toEqual(['x']);
});

test.each<[body: string, paths: string[], rewritten: string]>([
  ['{"a":"x","b":"x"}', ['$.a'], `{"a":"${token(0)}","b":"x"}`],
  ['{"a":"x","b":"x"}', ['$.b'], `{"a":"x","b":"${token(0)}"}`],
  ['{"b":1,"a":2}', ['$.a', '$.b'], `{"b":"${token(1)}","a":"${token(0)}"}`],
  ['[ 1 , 1 , 1 ]', ['$[1]'], `[1,"${token(0)}",1]`],
  ['{"a":{"b":[1]}}', ['$.a'], `{"a":"${token(0)}"}`],
  ['{"a":null,"b":1}', ['$.a', '$.c'], '{"a":null,"b":1}'],
  [' {"a":1}', ['$'], `"${token(0)}"`],
  [' [ 1.0 , 1e3 ] ', ['$[5]'], '[1.0,1e3]'],
  [
    '{ "2": 1.0, "1": [ 1e3, -0 ], "s": " a\\u0062 \\/ ", "n": 12345678901234567890, "x": "y" }\n',
    ['$.x'],
    `{"2":1.0,"1":[1e3,-0],"s":" a\\u0062 \\/ ","n":12345678901234567890,"x":"${token(0)}"}`,
  ],
])('rewritten: %s by %j', (body, paths, rewritten) => {
  expect(select(body, ...paths)?.body).toBe(rewritten);
});

test('rewritten: a value that was selected and not stored stays', () => {
  const selection = selectIngress(Buffer.from('{"a": 1, "b": 2}'), rulesFor(['$.a', '$.b']));
  expect(selection?.rewritten(new Set([1])).toString()).toBe(`{"a":1,"b":"${token(1)}"}`);
});

test.each<[body: string, paths: string[], text: (string | undefined)[], rewritten: string]>([
  ['{"a":"old","z":0,"a":"new"}', ['$.a'], ['new'], `{"z":0,"a":"${token(0)}"}`],
  ['{"a":1,"a":2 , "a":3}', ['$.a'], ['3'], `{"a":"${token(0)}"}`],
  ['{"a":{"b":"old"},"a":{}}', ['$.a.b'], [undefined], '{"a":{}}'],
  ['{"a":{"b":"old"},"a":{"b":"new"}}', ['$.a.b'], ['new'], `{"a":{"b":"${token(0)}"}}`],
  ['{"a":{"b":1,"b":2},"a":{"c":3}}', ['$.a.b', '$.a.c'], [undefined, '3'], `{"a":{"c":"${token(1)}"}}`],
  ['{"a":"old","\\u0061":null}', ['$.a'], [undefined], '{"\\u0061":null}'],
  ['{"z":1,"z":2,"a":3}', ['$.a'], ['3'], `{"z":1,"z":2,"a":"${token(0)}"}`],
])(
  'select: in %s the last member of a name counts, and the hidden ones are removed',
  (body, paths, text, rewritten) => {
    expect(texts(body, ...paths)).toEqual(text);
    expect(select(body, ...paths)?.body).toBe(rewritten);
  },
);

const names = fc.oneof(
  fc.constantFrom('a', 'b', '0', '1', 'length', '__proto__', 'constructor', 'a b', 'a,]|', 'é', ''),
  fc.string({ maxLength: 3 }).filter((name) => !/['"\\\p{Cc}]/u.test(name)),
);
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, 1e21, 'x', '', '"\\', '{"a":1}'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('json')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
}));
const spacing = fc.constantFrom('', ' ', '\t', '\n  ');
const bodies = fc.tuple(json, spacing).map(([value, blank]) => JSON.stringify(value, null, blank));
/** Draws paths over the same few names as the bodies, so that many paths match something. */
const paths = fc
  .array(fc.oneof(names, fc.nat({ max: 2 })), { maxLength: 4 })
  .chain((path) => fc.tuple(...path.map(segmentText)).map((segments) => `$${segments.join('')}`));

function segmentText(segment: string | number): fc.Arbitrary<string> {
  if (typeof segment === 'number') return fc.constant(`[${segment}]`);
  const quoted = [`['${segment}']`, `["${segment}"]`];
  return fc.constantFrom(...quoted, ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment) ? [`.${segment}`] : []));
}

test('select: any path selects the same as a library of RFC 9535', () => {
  const oracle = new JSONPathEnvironment();
  const property = fc.property(bodies, paths, (body, path) => {
    const [node] = oracle.query(path, JSON.parse(body) as JsonValue).values();
    const [selected] = select(body, path)?.values ?? [];
    expect(selected?.value ?? null).toEqual(node ?? null);
  });
  fc.assert(property, { numRuns: 2_000 });
});

/** Returns a copy with the value at the path replaced. */
function replacedAt(value: JsonValue, path: JsonPath, replacement: string): JsonValue {
  const [first, ...rest] = path;
  if (first === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((element, index) =>
      index === first ? replacedAt(element, rest, replacement) : element,
    );
  }
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>).map(([name, member]) => [
      name,
      name === first ? replacedAt(member, rest, replacement) : member,
    ]),
  );
}

function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => scanJsonPath(text, 0).value) as [JsonPath, JsonPath];
  return [...a.keys()].every((index) => index >= b.length || a[index] === b[index]);
}

test('rewritten: the body changes only at the selected places', () => {
  const distinct = fc.uniqueArray(paths, { maxLength: 4, comparator: overlap });
  const property = fc.property(bodies, distinct, (body, chosen) => {
    const found = select(body, ...chosen);
    let expected = JSON.parse(body) as JsonValue;
    found?.values.forEach((selected, index) => {
      const { value: path } = scanJsonPath(chosen[index] ?? '', 0);
      if (selected) expected = replacedAt(expected, path, token(index));
    });
    expect(found?.body).toBe(JSON.stringify(expected));
  });
  fc.assert(property, { numRuns: 2_000 });
});
