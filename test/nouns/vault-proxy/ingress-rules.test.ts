import { expect, test } from 'vitest';
import {
  addPath,
  emptyPathTree,
  parseIngressRules,
  scanJsonPath,
  type JsonPath,
} from '../../../src/nouns/vault-proxy/service/ingress-rules.ts';

const read = (...lines: string[]) =>
  parseIngressRules(lines, 'fp_id_me').map(({ fpId, identifier, path, transforms }) => [
    fpId,
    identifier,
    path,
    transforms.map(({ name }) => name),
  ]);

const refusal = (lines: string | string[], defaultEntity: string | undefined = 'fp_id_me') => {
  try {
    parseIngressRules([lines].flat(), defaultEntity);
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error('was not refused');
};

test.each<[line: string, rule: ReturnType<typeof read>[number]]>([
  ['id.ssn9=$.ssn', ['fp_id_me', 'id.ssn9', ['ssn'], []]],
  ['fp_id_x.id.ssn9=$.ssn', ['fp_id_x', 'id.ssn9', ['ssn'], []]],
  ['fp_bid_1_b.custom.a.b-c_d=$', ['fp_bid_1_b', 'custom.a.b-c_d', [], []]],
  [' \tid.ssn9 \t= \t$.ssn \t', ['fp_id_me', 'id.ssn9', ['ssn'], []]],
  ['id.ssn9=$.a|to_ascii', ['fp_id_me', 'id.ssn9', ['a'], ['to_ascii']]],
  [
    'id.ssn9 = $.a | prefix(3) | replace("a,b", "|]") ',
    ['fp_id_me', 'id.ssn9', ['a'], ['prefix', 'replace']],
  ],
  ["id.ssn9=$['a=b,c|d']", ['fp_id_me', 'id.ssn9', ['a=b,c|d'], []]],
])('rule: %s is read', (line, rule) => {
  expect(read(line)).toEqual([rule]);
});

test('rules: one line holds several, and all lines count in order', () => {
  const lines = [`id.ssn9=$['a,b'] | replace('x,','y') , id.email=$.b,id.city=$.c`, 'id.zip=$.d'];
  const identifiers = read(...lines).map(([, identifier]) => identifier);
  expect(identifiers).toEqual(['id.ssn9', 'id.email', 'id.city', 'id.zip']);
});

test('rules: no line is no rule', () => {
  expect(read()).toEqual([]);
});

test('rule: its text names entity, path and transforms, not their arguments', () => {
  const [rule] = parseIngressRules([`id.ssn9 = $['a b'] | replace('secret','') | to_ascii`], 'fp_id_me');
  expect(rule?.text).toBe(`fp_id_me.id.ssn9=$['a b'] | replace | to_ascii`);
});

test.each([
  ['', 'rule 1: an identifier is expected at character 1'],
  [' ', 'rule 1: an identifier is expected at character 2'],
  ['=$.a', 'rule 1: an identifier is expected at character 1'],
  ['id.ssn9', 'rule 1: an equals sign is expected at character 8'],
  ['id.ssn9:$.a', 'rule 1: no version may be named, but one is at character 8'],
  ['id.ssn9:1=$.a', 'rule 1: no version may be named, but one is at character 8'],
  ['id.ssn9=', 'rule 1: a path that begins with $ is expected at character 9'],
  ['id.ssn9=a', 'rule 1: a path that begins with $ is expected at character 9'],
  ['id.ssn9=$.a b', 'rule 1: a comma, a | or the end is expected at character 13'],
  ['id.ssn9=$a', 'rule 1: a comma, a | or the end is expected at character 10'],
  ['id.ssn9=$.a | to_ascii x', 'rule 1: a comma, a | or the end is expected at character 24'],
  ['id.ssn9=$.a,', 'rule 2: an identifier is expected at character 13'],
  ['id.ssn9=$.a,,id.zip=$.b', 'rule 2: an identifier is expected at character 13'],
  ['id.ssn9=$.a,id.zip=$..b', 'rule 2: a member name is expected at character 22'],
  ['fp_id_x=$.a', 'rule 1: an identifier is expected at character 8'],
  ['fp_id_x.=$.a', 'rule 1: an identifier is expected at character 9'],
  ['fp_.id.ssn9=$.a', 'rule 1: an entity is expected at character 1'],
  ['fp_a-b.id.ssn9=$.a', 'rule 1: an entity is expected at character 1'],
  ['id.ssn9=$.a |', 'rule 1: Transforms: a transform name is expected at character 14'],
  ["id.ssn9=$.a | replace('x", 'rule 1: Transforms: a quote is not closed; it opens at character 23'],
  ['id.ssn9=$.a, id.ssn9=$.b', 'rule 2: its identifier is that of rule 1'],
  ['id.ssn9=$.a, fp_id_me.id.ssn9=$.b', 'rule 2: its identifier is that of rule 1'],
  [
    'document.ssn_card.image=$.a, document.ssn_card.front.image=$.b',
    'rule 2: its identifier is that of rule 1',
  ],
  ['id.ssn9=$.a, id.zip=$.b, id.city=$.a', 'rule 3: its path overlaps that of rule 1'],
  ['id.ssn9=$.a, id.zip=$["a"]', 'rule 2: its path overlaps that of rule 1'],
  ['id.ssn9=$.a, custom.x=$.a.b', 'rule 2: its path overlaps that of rule 1'],
  ['id.ssn9=$.a.b, custom.x=$.a', 'rule 2: its path overlaps that of rule 1'],
  ['custom.x=$, id.ssn9=$.a', 'rule 2: its path overlaps that of rule 1'],
])('rule: %j is refused, saying which and where', (line, message) => {
  expect(refusal(line)).toMatchObject({
    code: 'invalid_request',
    message: `Header x-fp-proxy-ingress-rule: ${message}`,
  });
});

test('rule: without an entity of its own it needs the one of the request', () => {
  expect(parseIngressRules(['fp_id_x.id.ssn9=$.a'], undefined)).toHaveLength(1);
  expect(() => parseIngressRules(['id.ssn9=$.a'], undefined)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: 'Header x-fp-proxy-ingress-rule: rule 1: it names no entity, nor does x-fp-id',
    }) as Error,
  );
});

test.each([
  ['id.zip=$.a | shout', 'rule 1: Unknown transform shout'],
  ["id.ssn9=$.a, id.zip=$.b | prefix('3')", 'rule 2: Transform prefix: n must be an unquoted integer'],
  ['id.zip=$.a | to_ascii(1)', 'rule 1: Transform to_ascii: takes 0 arguments, not 1'],
  [`id.zip=$.a ${'| to_ascii'.repeat(17)}`, 'rule 1: More than 16 transforms'],
])('rule: %s has a transform that is refused as one', (line, message) => {
  expect(refusal(line)).toMatchObject({
    code: 'transform_invalid',
    message: `Header x-fp-proxy-ingress-rule: ${message}`,
  });
});

test('rules: two entities may each have the same identifier', () => {
  expect(read('id.ssn9=$.a, fp_id_x.id.ssn9=$.b')).toHaveLength(2);
});

test('rules: a hundred are read, one more is refused', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `custom.c${index}=$[${index}]`);
  expect(read(...lines)).toHaveLength(100);
  expect(read(lines.join(', '))).toHaveLength(100);
  expect(refusal([...lines, 'id.zip=$.zip'])).toMatchObject({
    code: 'invalid_request',
    message: 'Header x-fp-proxy-ingress-rule has more than 100 rules',
  });
});

test('rules: no message repeats a path, an argument or an invalid name', () => {
  const lines = [
    `id.zip=$.Zyxwv x`,
    `id.zip=$['Zyxwv`,
    `id.zip=$.a | replace('Zyxwv`,
    `id.zip=$.a | prefix('Zyxwv')`,
    `id.zip="Zyxwv"`,
    `"Zyxwv"=$.a`,
    `id.zip=$.Zyxwv, id.city=$.Zyxwv`,
  ];
  for (const line of lines) expect(refusal(line).message, line).not.toContain('Zyxwv');
});

test.each<[text: string, path: JsonPath]>([
  ['$', []],
  ['$.card', ['card']],
  ['$.card.number', ['card', 'number']],
  ['$._a-1', ['_a-1']],
  ["$['card']", ['card']],
  ['$["card"]', ['card']],
  ["$['a,b]|c']", ['a,b]|c']],
  [`$["it's"]['say "x"']`, ["it's", 'say "x"']],
  ["$['']", ['']],
  ["$['a\\n']", ['a\\n']],
  ['$[0]', [0]],
  ['$[007]', [7]],
  ["$['0'][0]", ['0', 0]],
  ['$.list[12].name', ['list', 12, 'name']],
  ['$[99999999999999999999]', [Number.MAX_SAFE_INTEGER]],
  ['$.__proto__.constructor', ['__proto__', 'constructor']],
])('path: %s is read whole', (text, path) => {
  expect(scanJsonPath(text, 0)).toEqual({ value: path, end: text.length });
});

test.each([
  ['$.a | to_uppercase', 3],
  ['$.a , x', 3],
  ['$.a b', 3],
  ['$a', 1],
  ['$ .a', 1],
])('path: parsing of %s stops at the invalid character %i', (text, end) => {
  expect(scanJsonPath(text, 0).end).toBe(end);
});

test.each([
  ['', 'a path that begins with $ is expected at character 1'],
  ['a.b', 'a path that begins with $ is expected at character 1'],
  ['$.', 'a member name is expected at character 3'],
  ['$.1', 'a member name is expected at character 3'],
  ['$.-a', 'a member name is expected at character 3'],
  ['$.*', 'a member name is expected at character 3'],
  ['$..a', 'a member name is expected at character 3'],
  ['$.é', 'a member name is expected at character 3'],
  ['$[', 'an index or a quoted member name is expected at character 3'],
  ['$[]', 'an index or a quoted member name is expected at character 3'],
  ['$[*]', 'an index or a quoted member name is expected at character 3'],
  ['$[-1]', 'an index or a quoted member name is expected at character 3'],
  ['$[?@.a]', 'an index or a quoted member name is expected at character 3'],
  ['$[ 0 ]', 'an index or a quoted member name is expected at character 3'],
  ['$[0:2]', 'a closing bracket is expected at character 4'],
  ['$[0,1]', 'a closing bracket is expected at character 4'],
  ["$['a'", 'a closing bracket is expected at character 6'],
  ["$['a", 'a quote is not closed; it opens at character 3'],
  [`$['a"]`, 'a quote is not closed; it opens at character 3'],
])('path: %j is refused, saying where', (text, message) => {
  expect(() => scanJsonPath(text, 0)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message }) as Error,
  );
});

test.each<[one: JsonPath, other: JsonPath, overlap: number | undefined]>([
  [['a'], ['a'], 0],
  [['a'], ['a', 'b'], 0],
  [['a', 'b'], ['a'], 0],
  [[], ['a'], 0],
  [['a'], [], 0],
  [['a', 0], ['a', 0, 'x'], 0],
  [['a', 'b'], ['a', 'c'], undefined],
  [['a'], ['ab'], undefined],
  [['a', 0], ['a', 1], undefined],
  [['a', 0], ['a', '0'], undefined],
])('tree: %j and then %j overlap: %s', (one, other, overlap) => {
  const tree = emptyPathTree();
  expect(addPath(tree, one, 0)).toBe(undefined);
  expect(addPath(tree, other, 1)).toBe(overlap);
});

test('tree: a path that overlaps is not added', () => {
  const tree = emptyPathTree();
  addPath(tree, ['a', 'b'], 0);
  addPath(tree, ['a'], 1);
  addPath(tree, ['a', 'b', 'c'], 2);
  expect(addPath(tree, ['a', 'b', 'c'], 3)).toBe(0);
  expect(addPath(tree, ['a', 'c'], 3)).toBe(undefined);
});
