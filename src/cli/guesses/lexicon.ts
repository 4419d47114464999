/** The tables of words.ts as maps, with every word in the singular, and the names of all commands. */
import { ADVICE, FILLERS, GENERAL_VERBS, GUESSES, THINGS, VERBS, type Thing } from './words.ts';

/** A word, or a part of `access-log`, in the singular. */
export interface Atom {
  readonly text: string;
  readonly isPlural: boolean;
}

/** A thing, with its tables read. */
export interface KnownThing {
  readonly topics: readonly string[];
  readonly acts: ReadonlyMap<string, readonly string[]>;
  readonly alone: readonly string[] | undefined;
}

export interface Lexicon {
  readonly names: readonly string[];
  readonly things: ReadonlyMap<string, KnownThing>;
  readonly guesses: ReadonlyMap<string, readonly string[]>;
  readonly advice: ReadonlyMap<string, string>;
  readonly words: ReadonlySet<string>;
}

export const fillers: ReadonlySet<string> = new Set(split(FILLERS));
const generalVerbs: ReadonlySet<string> = new Set(split(GENERAL_VERBS));
const meanings = new Map<string, readonly string[]>();
for (const { words, means } of VERBS)
  for (const word of split(words)) meanings.set(word, [...(meanings.get(word) ?? []), ...split(means)]);

/** The verbs that a word may mean, itself first. */
export function verbsOf(word: string): readonly string[] {
  return [word, ...(meanings.get(word) ?? [])];
}

export function isGeneral(verb: string): boolean {
  return generalVerbs.has(verb);
}

const lexicons = new WeakMap<readonly string[], Lexicon>();

/** `ids` are those of all commands, such as `bank:links:list`. Reads the tables once for each list. */
export function lexiconOf(ids: readonly string[]): Lexicon {
  const lexicon = lexicons.get(ids) ?? readLexicon(ids);
  lexicons.set(ids, lexicon);
  return lexicon;
}

function readLexicon(ids: readonly string[]): Lexicon {
  const names = ids.map((id) => id.replaceAll(':', ' '));
  const topics = new Set(names.flatMap(topicsOf));
  const things = new Map<string, KnownThing>();
  for (const topic of topics) things.set(phrase(topic), known({ words: topic, topics: topic }));
  for (const thing of THINGS) {
    const read = known(thing);
    for (const word of split(thing.words)) things.set(phrase(word), read);
  }
  const guesses = byPhrase(GUESSES, split);
  const advice = byPhrase(ADVICE, (text) => text);
  const acts = [...new Set(things.values())].flatMap((thing) => [...thing.acts.keys()]);
  const phrases = [...names.map(phrase), ...things.keys(), ...guesses.keys(), ...advice.keys(), ...acts];
  const words = new Set([...phrases.flatMap((each) => each.split(' ')), ...meanings.keys(), ...fillers]);
  return { names, things, guesses, advice, words };
}

function known({ topics = '', acts = {}, alone }: Thing): KnownThing {
  return {
    topics: split(topics),
    acts: byPhrase(acts, split),
    alone: alone === undefined ? undefined : split(alone),
  };
}

function byPhrase<Value>(
  table: Readonly<Record<string, string>>,
  read: (text: string) => Value,
): Map<string, Value> {
  return new Map(
    Object.entries(table).flatMap(([keys, text]) =>
      split(keys).map((key) => [phrase(key), read(text)] as const),
    ),
  );
}

/** Returns `bank` and `bank links` for `bank links list`. */
function topicsOf(name: string): string[] {
  const words = name.split(' ');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
}

/** The parts of words, also of `access-log`, `users:list` and `apiKeys`. */
export function atomsOf(words: string): Atom[] {
  return words
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s:_-]+/)
    .filter((word) => word !== '')
    .map((word) => {
      const text = singular(word);
      return { text, isPlural: text !== word };
    });
}

/** A phrase in the singular, as a key. */
export function phrase(words: string): string {
  return atomsOf(words)
    .map(({ text }) => text)
    .join(' ');
}

function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|us)es$/.test(word)) return word.slice(0, -2);
  return /^.{2,}[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function split(list: string): string[] {
  return list === '' ? [] : list.split(', ');
}
