/**
 * Flags whose value may be left out: `--export-on-exit` and `--export-on-exit=FILE`. The parser knows none such and
 * would take the next word; so where `=` is missing the empty value is put in before it looks.
 */
export function withOptionalValues(argv: readonly string[], flags: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  const bare = new Set(flags.map((flag) => `--${flag}`));
  return [...before.map((word) => (bare.has(word) ? `${word}=` : word)), ...argv.slice(before.length)];
}
