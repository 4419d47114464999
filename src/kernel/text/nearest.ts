/** Finds the word that a mistyped one probably meant. */

const FARTHEST = 3;

/**
 * The word of `words` nearest to `typed` by edit distance, when it is near enough to be a suggestion. Only words of
 * about the same length are compared, however long `typed` is.
 */
export function nearest(typed: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.min(FARTHEST, 1 + Math.floor((typed.length + 1) / 4)) + 1;
  for (const word of words) {
    if (Math.abs(word.length - typed.length) >= least) continue;
    const distance = editDistance(typed, word);
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** `; did you mean WORD?` for the nearest word; empty if none is near. */
export function didYouMean(typed: string, words: Iterable<string>, prefix = ''): string {
  const meant = nearest(typed, words);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** Levenshtein distance, one row at a time. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
