import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  anchorsOf,
  brokenReferences,
  contractTargets,
  type ReferenceTargets,
} from '../../src/devtools/references.ts';

const contract =
  '# The contract\n\n## 0 Conventions\n\n### 0.4 Order of checks\n\n## 13 Decisions\n\n- A7 (§0.4) words\n';
const targets: ReferenceTargets = {
  ...contractTargets(contract),
  files: new Map([
    ['docs', new Set<string>()],
    ['docs/contract.md', anchorsOf(contract)],
    ['docs/architecture.md', anchorsOf('# Architecture\n\n## The vault, and `keys`\n')],
    ['README.md', anchorsOf('# kyclone\n')],
    ['src/http/router.ts', new Set<string>()],
  ]),
};
const broken = (path: string, content: string) => brokenReferences([{ path, content }], targets);

test('sections of the contract that are there are found, others are reported with their file', () => {
  expect(broken('src/a.ts', '// contract §0.4 and contract §0')).toEqual([]);
  expect(broken('src/a.ts', '// (contract §0.5)\n// contract §14')).toEqual([
    'src/a.ts: docs/contract.md has no section 0.5',
    'src/a.ts: docs/contract.md has no section 14',
  ]);
});

test('a decision that an endpoint cites is one of the list', () => {
  expect(broken('src/a.ts', "{ what: 'x', why: 'A7' }")).toEqual([]);
  expect(broken('src/a.ts', "{ what: 'x', why: 'A70' }")).toEqual([
    'src/a.ts: docs/contract.md lists no decision A70',
  ]);
});

test('a document and its heading exist, in comments and in links', () => {
  expect(broken('src/a.ts', '// docs/architecture.md#the-vault-and-keys')).toEqual([]);
  expect(broken('src/a.ts', '// docs/architecture.md#storage, docs/gone.md')).toEqual([
    'src/a.ts: docs/architecture.md has no heading #storage',
    'src/a.ts: there is no docs/gone.md',
  ]);
  expect(
    broken('docs/b.md', '[a](architecture.md) [b](../README.md#kyclone) [c](https://example.com/x)'),
  ).toEqual([]);
  expect(broken('docs/b.md', '[a](gone.md) [b](#nowhere) [c](../README.md#speed)')).toEqual([
    'docs/b.md: there is no docs/gone.md',
    'docs/b.md: there is no docs/b.md',
    'docs/b.md: README.md has no heading #speed',
  ]);
});

test('a page names files that are there, by the end of their path', () => {
  expect(broken('docs/b.md', '`src/http/router.ts`, `http/router.ts`, `router.ts`, `npm test`')).toEqual([]);
  expect(broken('docs/b.md', '`http/outer.ts`, `outer.ts`')).toEqual([
    'docs/b.md: there is no http/outer.ts',
    'docs/b.md: there is no outer.ts',
  ]);
  expect(broken('docs/decisions/0001-old.md', '`gone.ts`')).toEqual([]);
});

test('papers that are not in the repository are not cited', () => {
  expect(broken('src/a.ts', '// DESIGN §5')).toEqual(["src/a.ts: DESIGN § isn't in the repository"]);
  expect(broken('src/a.ts', 'const STYLE = 1; // DESIGNED')).toEqual([]);
});

test('the list of decisions of the real contract is found whole', () => {
  const { assumptions, sections } = contractTargets(readFileSync('docs/contract.md', 'utf8'));
  expect(assumptions.size).toBeGreaterThanOrEqual(77);
  expect([...sections]).toEqual(expect.arrayContaining(['0.4', '3.4', '12', '14']));
});
