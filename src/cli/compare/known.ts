/** Known differences, one per line, as --output id prints them; `*` matches any text, `#` begins a comment. */
import { textGlob } from '../../kernel/text/text.ts';
import { readFileOf } from '../shell/files.ts';

export interface KnownDifferences {
  has(id: string): boolean;
  /** Lines that matched no difference. */
  readonly unused: readonly string[];
}

/** Throws UsageError, which doesn't contain the path. */
export function readKnown(path: string | undefined): KnownDifferences {
  if (path === undefined) return { has: () => false, unused: [] };
  const lines = readFileOf('--allow', path)
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const globs = lines.map((line) => ({ line, matches: textGlob(line) }));
  const used = new Set<string>();
  return {
    has(id) {
      const matching = globs.filter(({ matches }) => matches(id));
      for (const { line } of matching) used.add(line);
      return matching.length > 0;
    },
    get unused() {
      return lines.filter((line) => !used.has(line));
    },
  };
}
