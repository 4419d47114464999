/**
 * The text transforms, in slices (contract §3.2). Each takes time linear in the length of its text, whatever the text
 * is.
 */
import anyAscii from 'any-ascii';
import { cutAt, piecesOf, SLICE_UNITS, type Slices } from './chain.ts';

/**
 * The most UTF-16 units in the result of a transform, for a process without a budget. It is more than the largest file
 * has when it is encrypted.
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

/** Appends ASCII texts, and keeps digits apart that were not one number: `123½` is `123 1/2`, `10²` is `10^2`. */
class AsciiText {
  #last = '';
  #isApart = false;

  /** The text to append for this character. */
  next(character: string): string {
    const ascii = character <= '\u007f' ? character : asciiOf(character);
    const isNumeral = NUMERAL.test(character);
    if (ascii === '') {
      this.#isApart ||= !UNSEEN.test(character);
      return '';
    }
    const joins = DIGIT.test(this.#last) && DIGIT.test(ascii.charAt(0));
    const separator = joins && (isNumeral || this.#isApart) ? (RAISED.test(character) ? '^' : ' ') : '';
    this.#last = ascii.charAt(ascii.length - 1);
    this.#isApart = isNumeral;
    return separator + ascii;
  }
}

const DIGIT = /[0-9]/;
/** Fractions, raised, circled and Roman numerals, which are a number of their own. */
const NUMERAL = /[\p{No}\p{Nl}]/u;
const RAISED = /[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]/;
/** Marks and formatting characters, whose loss changes no number. */
const UNSEEN = /[\p{M}\p{Cf}\p{Cc}]/u;

/**
 * NFKD, then the table, then the library, one character at a time: decomposing a long row of marks together takes
 * quadratic time. Only the order of the marks would differ, and all marks of Latin letters are dropped.
 */
export function* toAscii(text: string): Slices<string> {
  const written = new AsciiText();
  let ascii = '';
  for (const piece of piecesOf(text)) {
    yield isAscii(piece) ? piece.length : piece.length * STEPS_PER_DECOMPOSITION;
    // Joined in pieces: a text concatenated from single characters is slow to read.
    const made = Array.from(piece, (character) => written.next(character)).join('');
    yield { made: made.length };
    ascii += made;
  }
  return ascii;
}

const LATIN_MARK = /[\u0300-\u036f]/;
const LONE_SURROGATE = /^[\ud800-\udfff]$/;
const EMOJI_NAME = /^:.*:$/;

function asciiOf(character: string): string {
  let ascii = '';
  for (const part of character.normalize('NFKD')) {
    const letter = part <= '\u007f' ? part : LATIN_MARK.test(part) ? '' : ASCII_LETTERS.get(part);
    if (letter === undefined) return transliterated(character);
    ascii += letter;
  }
  return ascii;
}

/** Emoji are dropped: their names are no part of a text. */
function transliterated(character: string): string {
  if (LONE_SURROGATE.test(character)) return '';
  const ascii = anyAscii(character);
  return EMOJI_NAME.test(ascii) ? '' : ascii;
}

export function* toUpperCase(text: string): Slices<string> {
  let upper = '';
  for (const piece of piecesOf(text)) {
    yield stepsOf(piece);
    const made = piece.toUpperCase();
    yield { made: made.length };
    upper += made;
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
    const made = piece.toLowerCase();
    yield { made: made.length };
    lower += made;
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
        yield { made: units };
        yield units + pieces.length * STEPS_PER_PIECE;
        replaced += pieces.join('');
        [pieces, units] = [[], 0];
      }
      yield { made: units };
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
