/**
 * Prepares the command line before the framework parses it: moves global flags behind the command's words, and
 * handles flags with optional values.
 *
 * The framework is not loaded here, because that would take time. A test compares the global flags with those of
 * flags.ts.
 */
export const LEADING_FLAGS = {
  withValue: ['instance', 'as', 'output', 'field'],
  alone: ['json', 'dry-run', 'with-values'],
};

/**
 * Global flags may come before the command and between its words: `kyclone --instance staging users list`. `ids` are
 * those of the manifest, such as `bank:links:list`. Returns the words that name a command or a topic, as far as they
 * match, the global flags and what follows, and what follows alone.
 */
export function splitLeadingFlags(argv: readonly string[], ids: readonly string[]) {
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

/** How many arguments a global flag takes, including itself; 0 for anything else. */
export function lengthOfFlag(word: string): number {
  const [, name = '', equals] = /^--([a-z-]+)(=)?/.exec(word) ?? [];
  if (LEADING_FLAGS.alone.includes(name)) return 1;
  if (!LEADING_FLAGS.withValue.includes(name)) return 0;
  return equals === undefined ? 2 : 1;
}

function isPartOfCommand(words: readonly string[], ids: readonly string[]): boolean {
  const id = words.join(':');
  return ids.some((known) => known === id || known.startsWith(`${id}:`));
}

/**
 * Handles flags with optional values, such as `--export-on-exit`, which the parser doesn't support: one that ends the
 * line or is followed by another flag gets an empty value before parsing.
 */
export function withOptionalValues(argv: readonly string[], flags: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  const bare = new Set(flags.map((flag) => `--${flag}`));
  const isAlone = (at: number) => before[at + 1]?.startsWith('-') ?? true;
  return argv.map((word, at) => (at < before.length && bare.has(word) && isAlone(at) ? `${word}=` : word));
}
