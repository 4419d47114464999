/**
 * Fails on words that the project doesn't use, on a glossary that doesn't list them all, and on comments that are too
 * wide (`npm run check`).
 *
 * The search covers comments, titles of tests, names in code and the prose of Markdown. It skips other strings in
 * code, because some are data, and quotations between backticks.
 */
import './gone-reader.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Text } from './references.ts';

/** A word to avoid, and its replacement. */
interface BannedWord {
  /** As shown in the glossary. */
  readonly word: string;
  /** Matches the word in a line. */
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Banned in comments, titles of tests and Markdown. */
export const BANNED_IN_PROSE: readonly BannedWord[] = [
  {
    word: 'a sentence that begins with "Of" or "Whose"',
    pattern: /(?:^|[.!?:;|("'] *|^[-*#>] +)(?:Of|Whose)(?= )/,
    instead: 'begin with the subject',
  },
  {
    word: 'tell, tells, told, telling',
    pattern: /\b(?:tells?|told|telling)\b/i,
    instead: 'report, say, show, return; know, is given; distinguish for "tell apart"',
  },
  {
    word: 'suffer, endure',
    pattern: /\b(?:suffer|endure)(?:s|d|ed|ing)?\b/i,
    instead: 'have, meet, survive',
  },
  { word: 'obey', pattern: /\bobey(?:s|ed|ing)?\b/i, instead: 'follow, apply, interpret' },
];

/** Banned as names in code: of variables, functions, types and members. */
export const BANNED_NAMES: readonly BannedWord[] = [
  name('tell, tells, told, isTold', {
    pattern: /\b(?:tells?|telling|[tT]old|TOLD|[a-z]\w*Told|(?:tell|told)[A-Z]\w*)\b/,
    instead: 'what it is or does: report, send, reported, lines',
  }),
  name('said, spoken, sound, worded, bury, revival, heldAlone', {
    pattern: /\b(?:said|\w+Said|\w+Unsaid|(?:un)?spoken|sound|worded|bury|buried|revival|heldAlone)\b/,
    instead: 'the thing: printed, valid, label, erase, restore',
  }),
  name('still', { pattern: /\bstill\b/, instead: 'isCurrent, unchanged, stays' }),
  name('underWay', { pattern: /\bunderWay\b/, instead: 'inFlight' }),
  name('obey, obeyed', { pattern: /\bobey(?:s|ed)?\b/, instead: 'apply, isApplied' }),
  name('shakeHands', { pattern: /\bshakeHands\b/, instead: 'tlsHandshake' }),
  name('suffer, endure', {
    pattern: /\b(?:suffer|endure)(?:s|d|ed|ing)?\b/,
    instead: 'injectFault, or what happens',
  }),
  name('admission', { pattern: /\badmission\b/, instead: 'authorize, authorization' }),
  name('course, book', { pattern: /\b(?:[cC]ourse|[bB]ook)\b/, instead: 'what it holds: state, ledger' }),
];

/** Banned as names of types in `src/`. A test may build a small world. */
export const BANNED_TYPES_OF_SOURCE: readonly BannedWord[] = [
  name('World', {
    pattern: /\b(?:type|interface|class) World\b/,
    instead: 'BankSimulation, or what it holds',
  }),
];

const BANNED = [...BANNED_IN_PROSE, ...BANNED_NAMES, ...BANNED_TYPES_OF_SOURCE];

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/;
const TEXT = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/;
/** Matches the code before the title of a test: `test(`, `it.each(cases)(`, `describe.skip(`. */
const BEFORE_TITLE = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*/;
/** Matches the code after which a slash begins a regular expression and is not a division. */
const BEFORE_REGEXP = /(?:[=(,:!&|?{};[\n>]|\breturn)\s*/;
const REGEXP = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/;

/** The first comment, title of a test, other string or regular expression. */
const TOKEN = new RegExp(
  [
    `(?<comment>${COMMENT.source})`,
    `(?<=${BEFORE_TITLE.source})(?<title>${TEXT.source})`,
    TEXT.source,
    `(?<=${BEFORE_REGEXP.source})${REGEXP.source}`,
  ].join('|'),
  'g',
);

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The places of a text that use a banned word, as `path:line: word: instead`. */
export function bannedWords({ path, content }: Text): string[] {
  const { prose, code } = path.endsWith('.md') ? { prose: proseOfPage(content), code: [] } : parts(content);
  const names = path.startsWith('src/') ? [...BANNED_NAMES, ...BANNED_TYPES_OF_SOURCE] : BANNED_NAMES;
  const found = [
    ...prose.flatMap((line) => findings(line, BANNED_IN_PROSE)),
    ...code.flatMap((line) => findings(line, names)),
  ];
  return found
    .sort((a, b) => a.number - b.number)
    .map(({ number, text }) => `${path}:${String(number)}: ${text}`);
}

const COMMENT_COLUMNS = 122;

/** The lines of comments that are too wide. A directive for the linter has to be one line. */
export function longComments({ path, content }: Text): string[] {
  if (path.endsWith('.md')) return [];
  return numbered(content)
    .filter(({ text }) => text.length > COMMENT_COLUMNS && /^\s*(?:\/\/(?! eslint-)|\/?\*)/.test(text))
    .map(
      ({ number }) => `${path}:${String(number)}: a comment wider than ${String(COMMENT_COLUMNS)} columns`,
    );
}

/** The rows of the glossary's table. */
export function rowsOfGlossary(): string[] {
  return BANNED.map(({ word, instead }) => `| ${word} | ${instead} |`);
}

/** The rows that the glossary lacks, regardless of column width. */
export function missingRows(glossary: string): string[] {
  const rows = new Set(glossary.split('\n').map((row) => row.replace(/ {2,}/g, ' ')));
  return rowsOfGlossary().filter((row) => !rows.has(row));
}

function name(word: string, banned: Pick<BannedWord, 'pattern' | 'instead'>): BannedWord {
  return { word: `${word}, as a name`, ...banned };
}

function findings({ number, text }: Line, banned: readonly BannedWord[]): Line[] {
  return banned
    .filter(({ pattern }) => pattern.test(text))
    .map(({ word, instead }) => ({ number, text: `not "${word}": ${instead}` }));
}

/** The comments and titles of a source, without their markers, and its code without strings. */
function parts(content: string): { prose: Line[]; code: Line[] } {
  const prose: Line[] = [];
  const code = content.replace(TOKEN, (...match) => {
    const { comment, title } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const whole = match[0];
    const prosePart = comment ?? title?.slice(1, -1);
    if (prosePart !== undefined) {
      const first = content.slice(0, Number(match.at(-3))).split('\n').length;
      for (const line of numbered(prosePart)) {
        const text = comment === undefined ? line.text : line.text.replace(/^\s*(?:\/\/|\/\*\*?|\*)?\s*/, '');
        prose.push({ number: first + line.number - 1, text: withoutQuotations(text) });
      }
    }
    return whole.replace(/[^\n]/g, ' ');
  });
  return { prose, code: numbered(code) };
}

/** The lines of a page outside code blocks. */
function proseOfPage(content: string): Line[] {
  const withoutBlocks = content.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
  return numbered(withoutBlocks).map(({ number, text }) => ({ number, text: withoutQuotations(text) }));
}

function withoutQuotations(text: string): string {
  return text.replace(/`[^`]*`/g, '``');
}

function numbered(text: string): Line[] {
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

const ROOTS = ['bin', 'src', 'test', 'docs', '.github', 'README.md', 'CHANGELOG.md'];
const READ = /\.(?:[cm]?[jt]s|tsx|md)$/;
/** Generated files, foreign data, and files about the words themselves. */
const NOT_READ = /^test\/(?:snapshots|vectors)$|^(?:src|test)\/devtools\/(?:check-)?words(?:\.test)?\.ts$/;

const GLOSSARY = 'docs/glossary.md';
const HEADING = "## Words that we don't use";

/** Skips the glossary's table, which contains the banned words. */
function withoutTable(path: string, content: string): string {
  return path === GLOSSARY ? content.slice(0, content.indexOf(HEADING)) : content;
}

function pathsIn(path: string): string[] {
  if (NOT_READ.test(path)) return [];
  if (READ.test(path)) return [path];
  if (path.includes('.') && !path.startsWith('.')) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name).replaceAll('\\', '/');
    return entry.isDirectory() || READ.test(entry.name) ? pathsIn(inside) : [];
  });
}

if (process.argv[1] === import.meta.filename) {
  const problems = [
    ...ROOTS.flatMap(pathsIn).flatMap((path) => {
      const text = { path, content: withoutTable(path, readFileSync(path, 'utf8')) };
      return [...bannedWords(text), ...longComments(text)];
    }),
    ...missingRows(readFileSync(GLOSSARY, 'utf8')).map((row) => `${GLOSSARY}: the table lacks ${row}`),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
