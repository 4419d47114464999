import { expect, test } from 'vitest';
import {
  addPath,
  emptyPathTree,
  scanJsonPath,
  type JsonPath,
} from '../../../src/nouns/vault-proxy/service/ingress-rules.ts';

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
