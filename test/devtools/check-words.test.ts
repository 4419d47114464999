import { expect, test } from 'vitest';
import {
  BANNED_IN_PROSE,
  BANNED_NAMES,
  BANNED_TYPES_OF_SOURCE,
  bannedWords,
  longComments,
  missingRows,
  rowsOfGlossary,
} from '../../src/devtools/check-words.ts';

const [sentence, tell, , obey] = BANNED_IN_PROSE.map(({ word }) => word);
const found = (content: string, path = 'src/a.ts') =>
  bannedWords({ path, content }).map((problem) => problem.replace(`${path}:`, '').replace(/": .*/, '"'));
const not = (line: number, word: string | undefined) => `${String(line)}: not "${String(word)}"`;

test('a comment: its line, the word and what to write instead', () => {
  expect(bannedWords({ path: 'src/a.ts', content: 'const a = 1;\n// It obeys.' })).toEqual([
    'src/a.ts:2: not "obey": follow, apply, interpret',
  ]);
});

test.each([
  ['// Of all links'],
  ['/** Of all links. */'],
  ['/**\n * Links.\n * Whose they are\n */', 3],
  ['const a = 1; // Links. Of a user'],
  ['const a = 1; /* links: Of a user */'],
  ['// - Whose link it is'],
])('a sentence that begins with Of or Whose: %j', (content, line = 1) => {
  expect(found(content)).toEqual([not(line, sentence)]);
});

test.each([
  ['// The links of all users, whose names differ'],
  ['// Office hours'],
  ['const words = [\'Of all links\', "it tells", `obeys`];'],
  ["const quote = /'/; // it shows"],
  ['// The heading `Of links` and the word `told`'],
  ["const url = 'https://example.com'; // it shows"],
])('nothing is wrong with %j', (content) => {
  expect(found(content)).toEqual([]);
});

test.each(['it tells', 'Told again', 'was told', 'telling'])('a form of tell in a comment: %s', (words) => {
  expect(found(`// ${words}`)).toEqual([not(1, tell)]);
});

test.each([
  ["test('a: is told', () => {});"],
  ['it.skip("a: is told", () => {});'],
  ["test.each([1])('a: %s is told', () => {});"],
  ["test.each([\n  [1],\n  ['(']\n])('a: %s is told', () => {});", 4],
  ["test(\n  'a: is told',\n  () => {},\n);", 2],
])('the title of a test: %j', (content, line = 1) => {
  expect(found(content, 'test/a.test.ts')).toEqual([not(line, tell)]);
});

test.each([
  ['const told = 1;', 'tell, tells, told, isTold'],
  ['const { isTold } = state;', 'tell, tells, told, isTold'],
  ['const isSound = sound(text);', 'said, spoken, sound, worded, bury, revival, heldAlone'],
  ['run({ tell: (line) => line });', 'tell, tells, told, isTold'],
  ['return still(state);', 'still'],
  ['for (const one of underWay) stop(one);', 'underWay'],
  ['await shakeHands(socket);', 'shakeHands'],
  ['function obeyed() {}', 'obey, obeyed'],
  ['interface Course {}', 'course, book'],
  ['const book = 1;', 'course, book'],
  ['export type World = string;', 'World'],
])('a name in code: %s', (content, word) => {
  expect(found(content)).toEqual([not(1, `${word}, as a name`)]);
});

test('a test may build a world, and a file name or a text may hold any word', () => {
  expect(found('interface World {}', 'test/a.ts')).toEqual([]);
  expect(found("import { a } from './told.ts';\nconst b = 'still';")).toEqual([]);
});

test('an apostrophe in a regular expression or a comment begins no text', () => {
  expect(found('const quote = /[\'"]/;\nconst told = 1;')).toHaveLength(1);
  expect(found("// It isn't.\nconst told = 1;\n// Isn't it?")).toHaveLength(1);
});

test('Markdown: prose and tables, not code', () => {
  const page =
    '# Page\n\nIt tells.\n\n```console\nkyclone tells\n```\n\n| a | Of links |\n\nThe word `told`, - obeyed';
  expect(found(page, 'README.md')).toEqual([not(3, tell), not(9, sentence), not(11, obey)]);
});

test('the glossary shows each word, whatever the width of its columns', () => {
  const rows = rowsOfGlossary();
  expect(rows).toHaveLength([...BANNED_IN_PROSE, ...BANNED_NAMES, ...BANNED_TYPES_OF_SOURCE].length);
  const table = rows.map((row) => row.replaceAll(' | ', '     | ')).join('\n');
  expect(missingRows(table)).toEqual([]);
  expect(missingRows(table.split('\n').slice(1).join('\n'))).toEqual([rows[0]]);
});

test('longComments: a comment of more than 122 columns by its line, except a directive of the linter', () => {
  const wide = 'w'.repeat(122);
  const content = [
    `// ${wide}`,
    `/** ${wide} */`,
    ` * ${wide}`,
    `// eslint-disable-next-line ${wide}`,
    `const text = '${wide}';`,
    `// ${wide.slice(3)}`,
  ].join('\n');
  expect(longComments({ path: 'src/a.ts', content })).toEqual(
    [1, 2, 3].map((line) => `src/a.ts:${line}: a comment wider than 122 columns`),
  );
  expect(longComments({ path: 'README.md', content })).toEqual([]);
});
