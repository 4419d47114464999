/** Known differences, one per line, as --output id prints them; `*` matches any text, `#` begins a comment. */
import { readFileOf } from '../shell/files.ts';

export interface KnownDifferences {
  has(id: string): boolean;
  /** Lines that matched no difference. */
  readonly unused: readonly string[];
}

export const NONE_KNOWN: KnownDifferences = { has: () => false, unused: [] };

/** Throws UsageError, which doesn't contain the path. */
export function readKnown(path: string | undefined): KnownDifferences {
  if (path === undefined) return NONE_KNOWN;
  const lines = readFileOf('--allow', path)
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const used = new Set<string>();
  return {
    has(id) {
      const matching = lines.filter((line) => matches(line, id));
      for (const line of matching) used.add(line);
      return matching.length > 0;
    },
    get unused() {
      return lines.filter((line) => !used.has(line));
    },
  };
}

/** Uses no regular expression, so that every line matches quickly. */
function matches(pattern: string, id: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === id;
  const last = rest.pop() ?? '';
  if (!id.startsWith(first) || id.length < first.length + last.length || !id.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= id.length - last.length;
}
