import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/contract/registry.ts';
import { layerOf, sourceFilesIn } from '../../../src/devtools/check-imports.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { SECRET_SHOWN } from '../../../src/contract/facts/credentials.ts';
import { EVENT_KINDS } from '../../../src/nouns/webhooks/facts.ts';

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));
const isOfFacts = (file: string): boolean => layerOf(file) === 'contract/facts';

type Words = readonly string[];
const isWords = (value: unknown): value is Words =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
const keyOf = (words: Words): string => [...words].sort().join('|');

/** The word lists among the facts, by name. */
const lists = new Map<string, Words>();
for (const file of sourceFilesIn(SOURCE).filter(isOfFacts)) {
  const module = (await import(join(SOURCE, file))) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(module)) if (isWords(value)) lists.set(name, value);
}
const factOf = new Map([...lists].map(([name, words]) => [keyOf(words), name]));

/** Word lists that only one schema uses, and lists that add words to a fact. */
const OF_ONE_SCHEMA: readonly Words[] = [
  ['clear', 'consider'],
  ['never', 'running', 'done', 'failed'],
  ['added', 'removed', 'changed'],
  [SECRET_SHOWN],
  ['*', ...EVENT_KINDS],
];

function enumsOf(value: unknown, found: Map<string, Words> = new Map()): Map<string, Words> {
  if (typeof value !== 'object' || value === null) return found;
  const { enum: words } = value as { enum?: unknown };
  if (isWords(words)) found.set(keyOf(words), words);
  for (const inner of Object.values(value)) enumsOf(inner, found);
  return found;
}

describe('facts of the contract', () => {
  test('the enumerations of all schemas are facts, but those of one schema alone', () => {
    const found = new Map<string, Words>();
    for (const { query, headers, body, response } of endpoints as readonly Endpoint[]) {
      for (const schema of [query, headers, body, response]) enumsOf(schema, found);
    }
    const others = [...found].filter(([key]) => !factOf.has(key)).map(([, words]) => words);
    expect(others.map(keyOf).sort()).toEqual(OF_ONE_SCHEMA.map(keyOf).sort());
  });

  test('no file of src repeats a list of three words or more', () => {
    const others = sourceFilesIn(SOURCE).filter((file) => !isOfFacts(file));
    expect(others.flatMap(copiesIn)).toEqual([]);
  });

  test('copiesIn: finds an array and a union, in any order', () => {
    const text =
      "const a = ['live', 'b', 'offset', 'frozen', 'real'];\nconst b = ['offset', 'frozen', 'real'];\n";
    expect(copiesOf('a.ts', text)).toEqual(['a.ts:2 repeats CLOCK_MODES']);
    expect(copiesOf('b.ts', "type A = 'real' | 'offset' | 'frozen';\n")).toEqual([
      'b.ts:1 repeats CLOCK_MODES',
    ]);
  });
});

const copiesIn = (file: string): string[] => copiesOf(file, readFileSync(join(SOURCE, file), 'utf8'));

/** Returns the array literals and unions of a file that repeat exactly the words of a fact. */
function copiesOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const copies: string[] = [];
  const visit = (node: ts.Node): void => {
    const words = ts.isArrayLiteralExpression(node)
      ? node.elements.map(wordOf)
      : ts.isUnionTypeNode(node)
        ? node.types.map((type) => (ts.isLiteralTypeNode(type) ? wordOf(type.literal) : undefined))
        : [];
    const fact = words.length >= 3 && isWords(words) ? factOf.get(keyOf(words)) : undefined;
    if (fact !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      copies.push(`${file}:${line + 1} repeats ${fact}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return copies;
}

const wordOf = (node: ts.Node): string | undefined => (ts.isStringLiteral(node) ? node.text : undefined);
