/**
 * The completion script of each shell: a handwritten engine from this folder, plus tables of the command tree in the
 * shell's own syntax.
 *
 * A flag is written as `name/char=slot`, without `=slot` if it takes no value. Slots: f for a file, d for a folder,
 * w:a,b for fixed words, l:NAME for a list of the script, i:KIND for ids from the daemon; L: and I: are
 * comma-separated lists; empty if the values are unknown.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CompletionShell, SCRIPTS } from '../../cli/completion/shells.ts';
import { type Slot, slotOf, STATIC_LISTS, type StaticList } from '../../cli/completion/slots.ts';
import { SETTING_NAMES } from '../../cli/config/preferences.ts';
import { ERRORS } from '../../contract/errors.ts';
import { PERMISSIONS, SCOPES } from '../../contract/facts/permissions.ts';
import { EVENT_KINDS } from '../../nouns/webhooks/facts.ts';
import { endpoints, splitKey } from '../../contract/registry.ts';
import { BANK_PERSONAS } from '../../fixtures/bank-personas/index.ts';
import reasonCodes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { fishQuoted, shQuoted } from '../../kernel/text/shell-word.ts';
import { SECTIONS } from '../../pages/docs/anchors.ts';
import { fixedIdentifiers } from '../../vault/identifiers/registry.ts';
import { TRANSFORM_NAMES } from '../../vault/transforms/catalogue.ts';
import type { CommandManifest } from '../command-surface.ts';

// The data: the words of the command tree, the flags, and the values for each place.

// The word lists that completion scripts contain.

/** Families whose names end in a word that the caller chooses. */
const OPEN_FAMILIES = ['bank.', 'business.beneficial_owners.', 'card.', 'custom.', 'document.custom.'];

function staticLists(): Record<StaticList, readonly Word[]> {
  const fixed = fixedIdentifiers();
  return {
    identifiers: words([...fixed, ...OPEN_FAMILIES]),
    fields: words([...fixed.map((name) => `${name}=`), ...OPEN_FAMILIES]),
    events: words(EVENT_KINDS),
    personas: BANK_PERSONAS.map(({ name, description }) => ({ word: name, summary: description })),
    signals: reasonCodes.map(({ reason_code, note }) => ({ word: reason_code, summary: note })),
    settings: words(SETTING_NAMES),
    assignments: words(SETTING_NAMES.map((name) => `${name}=`)),
    scopes: words(SCOPES),
    permissions: words(PERMISSIONS),
    errors: words(Object.keys(ERRORS)),
    topics: words([...Object.keys(SECTIONS), ...fixed, ...TRANSFORM_NAMES, ...Object.keys(ERRORS)]),
    paths: words(new Set(endpoints.map(({ key }) => splitKey(key).path.replace(/\{.*$/, '')))),
  };
}

function words(names: Iterable<string>): Word[] {
  return [...names].sort().map((word) => ({ word, summary: '' }));
}

/** A word that the user can type, with its meaning. */
interface Word {
  readonly word: string;
  readonly summary: string;
}

type ManifestCommand = CommandManifest['commands'][string];

export type Topics = Readonly<Record<string, { readonly description?: string }>>;

interface FlagWord {
  readonly name: string;
  readonly char: string;
  readonly summary: string;
  /** Undefined for a flag without a value. */
  readonly slot: Slot | undefined;
}

interface CommandWords {
  /** With spaces, as the user types it. */
  readonly path: string;
  readonly slots: readonly Slot[];
  /** Whether the last slot repeats for all further words. */
  readonly goesOn: boolean;
  /** Flags in addition to the common ones. */
  readonly flags: readonly FlagWord[];
}

interface Completions {
  /** Words that may follow each path. The root comes first, with an empty path. */
  readonly topics: readonly { readonly path: string; readonly words: readonly Word[] }[];
  readonly commands: readonly CommandWords[];
  /** Flags that every command has. */
  readonly common: readonly FlagWord[];
  readonly lists: Readonly<Record<StaticList, readonly Word[]>>;
}

const HELP: FlagWord = { name: 'help', char: 'h', summary: 'show help', slot: undefined };

/** Leaves out hidden commands and flags. */
export function completionsOf(commands: readonly ManifestCommand[], topics: Topics): Completions {
  const visible = commands
    .filter(({ hidden }) => hidden !== true)
    .map((command) => ({ command, path: command.id.replaceAll(':', ' ') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const flags = new Map(visible.map(({ command, path }) => [path, flagWords(path, command)]));
  const common = commonFlags([...flags.values()]);
  const isCommon = new Set(common.map(keyOf));
  const lists = staticLists();
  for (const name of STATIC_LISTS) {
    if (lists[name].length === 0) throw new Error(`the list ${name} of the completions is empty`);
  }
  return {
    topics: topicWords(visible, topics),
    commands: visible.map(({ command, path }) => {
      const args = Object.entries(command.args ?? {});
      return {
        path,
        slots: args.map(([name, { options }]) => slotOf(`${path} ${name}`, { options })),
        goesOn: command.strict === false || args.at(-1)?.[1].multiple === true,
        flags: (flags.get(path) ?? []).filter((flag) => !isCommon.has(keyOf(flag))),
      };
    }),
    common: [...common, HELP],
    lists,
  };
}

function flagWords(path: string, command: ManifestCommand): FlagWord[] {
  return Object.entries(command.flags ?? {})
    .filter(([, { hidden }]) => hidden !== true)
    .flatMap(([name, flag]) => {
      const { char = '', summary = flag.description ?? '', options } = flag;
      const helpValue = typeof flag.helpValue === 'string' ? flag.helpValue : undefined;
      const slot = flag.type === 'option' ? slotOf(`${path} --${name}`, { options, helpValue }) : undefined;
      const word = { name, char, summary: oneLine(summary), slot };
      return [
        word,
        ...(flag.allowNo === true ? [{ ...word, name: `no-${name}`, char: '' }] : []),
      ];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Flags that every command has with the same definition. */
function commonFlags(lists: readonly (readonly FlagWord[])[]): FlagWord[] {
  const [first = [], ...others] = lists;
  return first.filter((flag) => others.every((list) => list.some((each) => keyOf(each) === keyOf(flag))));
}

function keyOf(flag: FlagWord): string {
  return JSON.stringify(flag);
}

function topicWords(
  visible: readonly { command: ManifestCommand; path: string }[],
  topics: Topics,
): Completions['topics'] {
  const found = new Map<string, Map<string, string>>([['', new Map()]]);
  const put = (path: string, word: string, summary: string) => {
    const words = found.get(path) ?? new Map<string, string>();
    found.set(path, words.set(word, summary));
  };
  for (const { command, path } of visible) {
    const words = path.split(' ');
    for (let depth = 0; depth < words.length - 1; depth++) {
      const topic = words.slice(0, depth + 1);
      put(words.slice(0, depth).join(' '), topic.at(-1) ?? '', topics[topic.join(':')]?.description ?? '');
    }
    put(words.slice(0, -1).join(' '), words.at(-1) ?? '', oneLine(command.summary ?? ''));
  }
  put('', 'help', 'Show help of a command or topic');
  return [...found].map(([path, words]) => ({
    path,
    words: [...words].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, summary]) => ({ word, summary })),
  }));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

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

const ENGINES = import.meta.dirname;
const TAB = '\t';

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

/** The files of completions/, for the commands of the manifest and the topics of package.json. */
export function completionFiles({ commands }: CommandManifest, topics: Topics) {
  const model = completionsOf(Object.values(commands), topics);
  return Object.entries(SCRIPTS).map(([shell, file]) => ({
    path: `completions/${file}`,
    content: completionScript(shell as CompletionShell, model),
  }));
}
