/**
 * The completion script of each shell: a handwritten engine from this folder, plus tables of the command tree in the
 * shell's own syntax.
 *
 * A flag is written as `name/char=slot`, without `=slot` if it takes no value. Slots: f for a file, d for a folder,
 * w:a,b for fixed words, l:NAME for a list of the script, i:KIND for ids from the daemon; L: and I: are
 * comma-separated lists; empty if the values are unknown.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Slot } from '../../cli/completion/slots.ts';
import { fishQuoted, shQuoted } from '../../kernel/shell-word.ts';
import { type CommandWords, type Completions, completionsOf, type FlagWord, type ManifestCommand, type Topics, type Word } from './model.ts';

interface Dialect {
  /** Writes a function or table `name` that returns `entries` for each key. */
  readonly table: (name: string, rows: readonly Row[]) => string;
  /** Writes the entries common to all commands. */
  readonly common: (entries: readonly string[]) => string;
  readonly hasMeanings: boolean;
}
interface Row {
  readonly key: string;
  readonly entries: readonly string[];
}

const ENGINES = dirname(fileURLToPath(import.meta.url));
const TAB = '\t';

/** File names of the scripts, as each shell expects them. */
export const COMPLETION_FILES = {
  bash: 'kyclone.bash',
  zsh: '_kyclone',
  fish: 'kyclone.fish',
  powershell: 'kyclone.ps1',
} as const;
type CompletionShell = keyof typeof COMPLETION_FILES;

/** The script of one shell. Throws when the shell could interpret one of its words as code. */
export function completionScript(shell: CompletionShell, model: Completions): string {
  const { engine, dialect } = SHELLS[shell];
  const template = readFileSync(join(ENGINES, engine), 'utf8');
  return template.replace('#DATA', () => tables(model, dialect));
}

function tables({ topics, commands, common, lists }: Completions, dialect: Dialect): string {
  const { hasMeanings, table } = dialect;
  const entryOf = ({ word, summary }: Word) => withMeaning(plainWord(word), summary, hasMeanings);
  const flagOf = (flag: FlagWord) => withMeaning(flagSpec(flag), flag.summary, hasMeanings);
  const rowOf = <Item>(key: string, items: readonly Item[], entry: (item: Item) => string): Row => ({
    key,
    entries: items.map(entry),
  });
  return [
    table(
      'children',
      topics.map(({ path, words }) => rowOf(path, words, entryOf)),
    ),
    table(
      'flags',
      commands.map(({ path, flags }) => rowOf(path, flags, flagOf)),
    ),
    table(
      'slots',
      commands.map((command) => ({ key: command.path, entries: slotEntries(command) })),
    ),
    table(
      'list',
      Object.entries(lists).map(([name, words]) => rowOf(name, words, entryOf)),
    ),
    dialect.common(common.map(flagOf)),
  ].join('\n\n');
}

function withMeaning(entry: string, summary: string, hasMeanings: boolean): string {
  return hasMeanings && summary !== '' ? entry + TAB + summary : entry;
}

function flagSpec({ name, char, slot }: FlagWord): string {
  return `${plainWord(name)}/${char}${slot === undefined ? '' : `=${slotCode(slot)}`}`;
}

function slotEntries({ slots, goesOn }: CommandWords): string[] {
  if (slots.every((slot) => slot.is === 'nothing')) return [];
  return [...slots.map((slot) => slotCode(slot) || '-'), ...(goesOn ? ['+'] : [])];
}

function slotCode(slot: Slot): string {
  switch (slot.is) {
    case 'nothing':
      return '';
    case 'file':
      return 'f';
    case 'folder':
      return 'd';
    case 'words':
      return `w:${slot.words.map(plainWord).join(',')}`;
    case 'list':
      return `${slot.commas === true ? 'L' : 'l'}:${slot.list}`;
    case 'live':
      return `${slot.commas === true ? 'I' : 'i'}:${slot.kind}`;
  }
}

function plainWord(word: string): string {
  if (/^[A-Za-z0-9/_][A-Za-z0-9._:/-]*=?$/.test(word)) return word;
  throw new Error(`${JSON.stringify(word)} is not a plain word for a completion script`);
}

/** Leaves out rows without entries. */
function filled(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ entries }) => entries.length > 0);
}

/** Older PowerShells read a file in the machine's code page, and treat curly quotes as straight ones. */
const powerShellQuoted = (text: string) =>
  `'${text
    .replaceAll('…', '...')
    .replaceAll(/[^\t\x20-\x7e]/g, '?')
    .replaceAll("'", "''")}'`;

const bash: Dialect = {
  hasMeanings: false,
  table: (name, rows) =>
    [
      `_kyclone_${name}() {`,
      '  case "$1" in',
      ...filled(rows).map(({ key, entries }) => `    ${shQuoted(key)}) REPLY=${shQuoted(entries.join(' '))} ;;`),
      "    *) REPLY='' ;;",
      '  esac',
      '}',
    ].join('\n'),
  common: (entries) => `_kyclone_common=${shQuoted(entries.join(' '))}`,
};

const zsh: Dialect = {
  hasMeanings: true,
  table: (name, rows) =>
    [
      `_kyclone_${name}() {`,
      '  case "$1" in',
      ...filled(rows).map(
        ({ key, entries }) => `    ${shQuoted(key)}) reply=(${entries.map(shQuoted).join(' ')}) ;;`,
      ),
      '    *) reply=() ;;',
      '  esac',
      '}',
    ].join('\n'),
  common: (entries) => `_kyclone_common_flags() {\n  reply=(${entries.map(shQuoted).join(' ')})\n}`,
};

const fish: Dialect = {
  hasMeanings: true,
  table: (name, rows) =>
    [
      `function __kyclone_${name}`,
      `    switch "$argv[1]"`,
      ...filled(rows).flatMap(({ key, entries }) => [
        `        case ${fishQuoted(key)}`,
        `            printf '%s\\n' ${entries.map(fishQuoted).join(' ')}`,
      ]),
      '    end',
      'end',
    ].join('\n'),
  common: (entries) =>
    `function __kyclone_common\n    printf '%s\\n' ${entries.map(fishQuoted).join(' ')}\nend`,
};

const powershell: Dialect = {
  hasMeanings: true,
  table: (name, rows) =>
    [
      `$global:Kyclone${POWERSHELL_NAMES[name] ?? ''} = @{`,
      ...filled(rows).map(
        ({ key, entries }) => `  ${powerShellQuoted(key)} = @(${entries.map(powerShellQuoted).join(', ')})`,
      ),
      '}',
    ].join('\n'),
  common: (entries) => `$global:KycloneCommon = @(${entries.map(powerShellQuoted).join(', ')})`,
};
const POWERSHELL_NAMES: Readonly<Record<string, string>> = {
  children: 'Children',
  flags: 'Flags',
  slots: 'Slots',
  list: 'Lists',
};

const SHELLS: Readonly<Record<CompletionShell, { engine: string; dialect: Dialect }>> = {
  bash: { engine: 'engine.bash', dialect: bash },
  zsh: { engine: 'engine.zsh', dialect: zsh },
  fish: { engine: 'engine.fish', dialect: fish },
  powershell: { engine: 'engine.ps1', dialect: powershell },
};

export interface CompletionSources {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

/** The files of completions/, for the commands of the manifest and the topics of package.json. */
export function completionFiles(root: string, { commands }: CompletionSources) {
  const { oclif } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    oclif: { topics: Topics };
  };
  const model = completionsOf(Object.values(commands), oclif.topics);
  return Object.entries(COMPLETION_FILES).map(([shell, file]) => ({
    path: `completions/${file}`,
    content: completionScript(shell as CompletionShell, model),
  }));
}
