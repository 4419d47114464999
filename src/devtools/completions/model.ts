/** The data for completions: the words of the command tree, the flags, and the values for each place. */
import { slotOf, STATIC_LISTS, type Slot, type StaticList } from '../../cli/completion/slots.ts';
import { SETTING_NAMES } from '../../cli/config/preferences.ts';
import { SECTIONS } from '../../pages/docs/anchors.ts';
import { ERRORS } from '../../contract/errors.ts';
import { PERMISSIONS, SCOPES } from '../../contract/facts/permissions.ts';
import { EVENT_KINDS } from '../../contract/facts/webhooks.ts';
import { endpoints, splitKey } from '../../contract/registry.ts';
import { BANK_PERSONAS } from '../../fixtures/bank-personas/index.ts';
import reasonCodes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { fixedIdentifiers } from '../../vault/identifiers/registry.ts';
import { TRANSFORM_NAMES } from '../../vault/transforms/catalogue.ts';

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
export interface Word {
  readonly word: string;
  readonly summary: string;
}

interface ManifestFlag {
  readonly type: string;
  readonly char?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly options?: readonly string[];
  readonly helpValue?: unknown;
  readonly allowNo?: boolean;
  readonly aliases?: readonly string[];
}

interface ManifestArgument {
  readonly options?: readonly string[];
  readonly multiple?: boolean;
}

export interface ManifestCommand {
  readonly id: string;
  readonly summary?: string;
  readonly hidden?: boolean;
  readonly strict?: boolean;
  readonly args?: Readonly<Record<string, ManifestArgument>>;
  readonly flags?: Readonly<Record<string, ManifestFlag>>;
}

export type Topics = Readonly<Record<string, { readonly description?: string }>>;

export interface FlagWord {
  readonly name: string;
  readonly char: string;
  readonly summary: string;
  /** Undefined for a flag without a value. */
  readonly slot: Slot | undefined;
}

export interface CommandWords {
  /** With spaces, as the user types it. */
  readonly path: string;
  readonly slots: readonly Slot[];
  /** Whether the last slot repeats for all further words. */
  readonly goesOn: boolean;
  /** Flags in addition to the common ones. */
  readonly flags: readonly FlagWord[];
}

export interface Completions {
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
        ...(flag.aliases ?? []).map((alias) => ({ ...word, name: alias, char: '' })),
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
