import { expect, test } from 'vitest';
import { countNodes, isConditionalSpread, isSpreadLiteral } from '../../src/devtools/measure.ts';
import ts from 'typescript';

const count = (text: string, matches: (node: ts.Node) => boolean) =>
  countNodes(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true), matches);

test('measure: distinguishes a conditional spread from a spread of a literal, and both from others', () => {
  const text =
    "const a = { ...(x !== undefined && { x }), ...(y.length > 0 && { y }), ...{ z: 1 }, ...w }; f(...['a', 'b'], ...c);";
  expect(count(text, isConditionalSpread)).toBe(1);
  expect(count(text, isSpreadLiteral)).toBe(2);
});
