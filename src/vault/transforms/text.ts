/**
 * The text transforms, in slices (contract §3.2). Each takes time linear in the length of its text, whatever the text
 * is.
 */
import { cutAt, piecesOf, SLICE_UNITS, type Slices } from './slices.ts';

/**
 * The most UTF-16 units in the result of a transform. Chains can multiply the size (`replace` by a longer text,
 * `encrypt` of an `encrypt`). 64 Mi is enough for the largest file encrypted twice, and keeps one request from
 * exhausting the daemon.
 */
export const RESULT_LIMIT_UNITS = 64 * 1024 * 1024;

/** Letters without a compatibility decomposition into ASCII and marks (contract §3.2). */
const ASCII_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ł', 'l'],
  ['Ł', 'L'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['þ', 'th'],
  ['Þ', 'Th'],
  ['ð', 'd'],
  ['Ð', 'D'],
  ['ı', 'i'],
]);

const STEPS_PER_LETTER_OF_UNICODE = 16;
const STEPS_PER_DECOMPOSITION = 64;
const NOT_ASCII = /[^\0-\x7f]/;

const isAscii = (text: string): boolean => !NOT_ASCII.test(text);

function stepsOf(piece: string): number {
  return isAscii(piece) ? piece.length : piece.length * STEPS_PER_LETTER_OF_UNICODE;
}

/**
 * NFKD, then the table, one character at a time: decomposing a long row of marks together takes quadratic time. Only
 * the order of the marks would differ, and all marks are dropped, as are all other characters above U+007F.
 */
export function* toAscii(text: string): Slices<string> {
  let ascii = '';
  for (const piece of piecesOf(text)) {
    if (isAscii(piece)) {
      yield piece.length;
      ascii += piece;
      continue;
    }
    yield piece.length * STEPS_PER_DECOMPOSITION;
    // Joined in pieces: a text concatenated from single characters is slow to read.
    ascii += Array.from(piece, (character) => (character <= '\u007f' ? character : asciiOf(character))).join(
      '',
    );
  }
  return ascii;
}

function asciiOf(character: string): string {
  let ascii = '';
  for (const part of character.normalize('NFKD')) {
    ascii += part <= '\u007f' ? part : (ASCII_LETTERS.get(part) ?? '');
  }
  return ascii;
}

export function* toUpperCase(text: string): Slices<string> {
  let upper = '';
  for (const piece of piecesOf(text)) {
    yield stepsOf(piece);
    upper += piece.toUpperCase();
  }
  return upper;
}

const CAPITAL_SIGMA = 'Σ';
const LONGEST_ROW = 4 * SLICE_UNITS;

/**
 * A capital sigma becomes another letter at the end of a word, and marks in between are ignored. So the text is cut
 * only between two plain characters. Undefined for a text without such a place within 64 Ki, which no text of a person
 * is.
 */
export function* toLowerCase(text: string): Slices<string | undefined> {
  const hasSigma = text.includes(CAPITAL_SIGMA);
  let lower = '';
  for (let start = 0; start < text.length;) {
    const end = hasSigma ? plainCut(text, start + SLICE_UNITS) : cutAt(text, start + SLICE_UNITS);
    if (end === undefined) return undefined;
    const piece = text.slice(start, end);
    yield stepsOf(piece);
    lower += piece.toLowerCase();
    start = end;
  }
  return lower;
}

/** The first position at or after `at` between two plain characters, neither of them a capital sigma. */
function plainCut(text: string, at: number): number | undefined {
  for (let cut = at; cut < at + LONGEST_ROW; cut++) {
    if (cut >= text.length) return text.length;
    if (isPlain(text.charAt(cut - 1)) && isPlain(text.charAt(cut))) return cut;
  }
  return undefined;
}

/**
 * A character at which the end of a word doesn't depend on its neighbours. The expression is inline because the engine
 * looks up Unicode classes when it first evaluates it, which would slow down the start.
 */
function isPlain(character: string): boolean {
  return character !== CAPITAL_SIGMA && /^[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nd}\s]$/u.test(character);
}

/** The first `count` code points; the whole text when it has fewer. */
export function* firstCodePoints(text: string, count: number): Slices<string> {
  if (count >= text.length) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    if (taken % SLICE_UNITS === 0) yield SLICE_UNITS;
    end += isPair(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The last `count` code points; the whole text when it has fewer. */
export function* lastCodePoints(text: string, count: number): Slices<string> {
  if (count >= text.length) return text;
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken++) {
    if (taken % SLICE_UNITS === 0) yield SLICE_UNITS;
    start -= start > 1 && isPair(text, start - 2) ? 2 : 1;
  }
  return text.slice(start);
}

/** Whether a complete surrogate pair is at `at`; a lone surrogate counts as a code point of its own. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

const STEPS_PER_COMPARISON = 4;
const STEPS_PER_PIECE = 16;
/** The most characters that are joined without a pause. */
const LONGEST_JOIN = 16 * SLICE_UNITS;

/**
 * Replaces every occurrence of `from`, literally and left to right. `indexOf` may take quadratic time on a long text;
 * this algorithm looks at each character once or twice (Knuth, Morris and Pratt).
 */
export function replacing(from: string, to: string): (text: string) => Slices<string | undefined> {
  const fallbacks = fallbacksOf(from);
  return function* (text) {
    let replaced = '';
    let copied = 0;
    let matched = 0;
    let pieces: string[] = [];
    let units = 0;
    for (let start = 0; start < text.length; start += SLICE_UNITS) {
      const end = Math.min(start + SLICE_UNITS, text.length);
      yield (end - start) * STEPS_PER_COMPARISON;
      for (let at = start; at < end; at++) {
        const code = text.charCodeAt(at);
        while (matched > 0 && from.charCodeAt(matched) !== code) matched = fallbacks[matched - 1] ?? 0;
        if (from.charCodeAt(matched) === code) matched++;
        if (matched < from.length) continue;
        pieces.push(text.slice(copied, at + 1 - from.length), to);
        units += at + 1 - from.length - copied + to.length;
        copied = at + 1;
        matched = 0;
        if (units < LONGEST_JOIN) continue;
        if (replaced.length + units > RESULT_LIMIT_UNITS) return undefined;
        yield units + pieces.length * STEPS_PER_PIECE;
        replaced += pieces.join('');
        [pieces, units] = [[], 0];
      }
      yield units + pieces.length * STEPS_PER_PIECE;
      replaced += pieces.join('');
      [pieces, units] = [[], 0];
    }
    return copied === 0 ? text : replaced + text.slice(copied);
  };
}

/** For each prefix of `from`: the length of its longest proper suffix that is also a prefix of `from`. */
function fallbacksOf(from: string): Uint16Array {
  const fallbacks = new Uint16Array(from.length);
  for (let at = 1, matched = 0; at < from.length; at++) {
    while (matched > 0 && from.charCodeAt(matched) !== from.charCodeAt(at))
      matched = fallbacks[matched - 1] ?? 0;
    if (from.charCodeAt(matched) === from.charCodeAt(at)) matched++;
    fallbacks[at] = matched;
  }
  return fallbacks;
}
