/** Texts: patterns with `*`, ranges of prefixes, endings, and whether a text can be encoded. */

/** A text pattern: `*` matches any part, also an empty one (contract §4.3). Matching never backtracks. */
export function textGlob(pattern: string): (text: string) => boolean {
  const [head = '', ...others] = pattern.split('*');
  const tail = others.pop();
  if (tail === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of others) {
      // The first match is the best one: it leaves the most text for the parts after it.
      const found = text.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Whether some text that begins with `prefix` can match the pattern. */
export function mayBeginWith(pattern: string, prefix: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix);
  const head = pattern.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}

// Compares texts by code points, as SQLite does.

const LAST = 0x10ffff;
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

/** The smallest text greater than all texts with this `prefix`. If there is none, a text that no id begins with. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST) points.pop();
  const last = points.pop();
  if (last === undefined) return String.fromCodePoint(LAST).repeat(2);
  return String.fromCodePoint(...points, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}

/** The bytes of canonical base64, at least one; undefined for any other text, of which Node would skip parts. */
export function canonicalBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * Removes trailing characters that are in `letters`. A pattern such as `/_+$/` would take time quadratic in the length
 * of the text.
 */
export function withoutTrailing(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Whether a text has no unpaired surrogates. A text that has one can't be encoded in UTF-8: encoders replace each with
 * U+FFFD, so that two different texts become the same bytes.
 */
export function isWellFormedText(text: string): boolean {
  // Node 20 has this method, but its type definitions don't.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** A name for a list with blanks between its names. */
export function nameInList(name: string): string {
  return name.includes(' ') ? JSON.stringify(name) : name;
}

/** A base URL without its trailing slashes, so that a path can be appended. */
export function withoutLastSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end -= 1;
  return url.slice(0, end);
}

// Reasons in the access log: why a caller reads personal data.

/** The reason as given; undefined when there is none, or only blanks and invisible characters. */
export function givenReason(text: string | null | undefined): string | undefined {
  // Inline, because the engine looks up Unicode classes when it first evaluates the expression. A constant would cost
  // that at every start.
  return text != null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : undefined;
}

/** A path pattern: `*` stands for one segment, `**` for any number of them (contract §11). Linear in the path. */
export function pathGlob(pattern: string): (path: string) => boolean {
  const matches = segmentGlob(pattern);
  return (path) => matches(segments(path));
}

/** The same for a path that is already split. */
export function segmentGlob(pattern: string): (segments: readonly string[]) => boolean {
  const wanted = segments(pattern);
  return (actual) => {
    // The classic two-pointer match: on a mismatch, let the last ** take one segment more.
    let [at, of, star, resume] = [0, 0, -1, 0];
    while (at < actual.length) {
      if (wanted[of] === '**') {
        star = of++;
        resume = at;
      } else if (of < wanted.length && (wanted[of] === '*' || wanted[of] === actual[at])) {
        at++;
        of++;
      } else if (star !== -1) {
        of = star + 1;
        at = ++resume;
      } else return false;
    }
    while (wanted[of] === '**') of++;
    return of === wanted.length;
  };
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
