/** The flags of common-flags.ts, which loads the framework and would cost time here: a test compares the two. */
export const LEADING_FLAGS = {
  withValue: ['instance', 'output', 'field'],
  alone: ['json', 'dry-run', 'with-values'],
};

/** The command line with the words of its command first. */
export interface Split {
  /** The words that name a command or a topic, as far as they do. */
  readonly words: readonly string[];
  /** Global flags that stood before or between them, then all the rest. */
  readonly rest: readonly string[];
  /** `rest` without those flags. */
  readonly others: readonly string[];
}

/**
 * Global flags may stand before the command and between its words: `kyclone --instance staging users list`. `ids` are
 * those of the manifest, such as `bank:links:list`.
 */
export function splitLeadingFlags(argv: readonly string[], ids: readonly string[]): Split {
  const words: string[] = [];
  const flags: string[] = [];
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    const length = lengthOfFlag(word);
    if (length > 0) flags.push(...argv.slice(at, at + length));
    else if (isPartOfCommand([...words, word], ids)) words.push(word);
    else break;
    at += Math.max(length, 1);
  }
  const others = argv.slice(at);
  return { words, rest: [...flags, ...others], others };
}

/** How many arguments a global flag takes up, itself included; 0 for anything else. */
function lengthOfFlag(word: string): number {
  const [, name = '', equals] = /^--([a-z-]+)(=)?/.exec(word) ?? [];
  if (LEADING_FLAGS.alone.includes(name)) return 1;
  if (!LEADING_FLAGS.withValue.includes(name)) return 0;
  return equals === undefined ? 2 : 1;
}

function isPartOfCommand(words: readonly string[], ids: readonly string[]): boolean {
  const id = words.join(':');
  return ids.some((known) => known === id || known.startsWith(`${id}:`));
}
