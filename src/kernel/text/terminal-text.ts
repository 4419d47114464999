/**
 * Makes text safe for a terminal: text from an API caller can contain control sequences, and characters of any width.
 */
import { jsonText } from './json.ts';

// Control characters (C0, DEL, C1), line and paragraph separators, marks that reorder text on screen (U+061C too), and
// characters that hide or annotate text: interlinear annotations and tags.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Anything but visible ASCII and blanks. */
const NOT_PLAIN = /[^ -~]/;
// Matches a colour or weight sequence of our own views as one piece.
const STYLE_OR_UNPRINTABLE =
  /\u001b\[[\d;]*m|[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const LINE_END = /\r?\n/g;
const LINE_END_MARK = ' ↵ ';

/** A value on one line: a mark for a line end, visible escapes for other control characters, `-` for no value. */
export function printable(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  const text = typeof value === 'string' ? value : jsonText(value);
  return text.replace(LINE_END, LINE_END_MARK).replace(UNPRINTABLE, visibleEscape);
}

/** The lines of a text that has room for them, each as `printable` shows it. */
export function shownLines(text: string): string[] {
  if (text === '') return [printable(text)];
  return text.split(LINE_END).map((line) => (line === '' ? '' : printable(line)));
}

/** Whether `printable` would change the text. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}

/** Several lines of text for a terminal: keeps line ends and tabs, and escapes everything else as `printable` does. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    isLayout(character) ? character : visibleEscape(character),
  );
}

/** As `printableLines`, for text styled by our own views: keeps colours, too. */
export function printableStyled(text: string): string {
  return text.replace(STYLE_OR_UNPRINTABLE, (found) =>
    found.length > 2 || isLayout(found) ? found : visibleEscape(found),
  );
}

/**
 * JSON for a terminal: the same value, with characters escaped that a terminal would interpret. `json` is valid JSON.
 */
export function printableJson(json: string): string {
  // A test costs much less than a replacement that finds nothing.
  if (!NOT_PLAIN.test(json)) return json;
  return json.replace(UNPRINTABLE, (character) => {
    // In valid JSON these occur only between tokens.
    if (isLayout(character)) return character;
    return character === '\r' ? ' ' : jsonEscape(character);
  });
}

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t';
}

function visibleEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
}

function jsonEscape(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(
    '',
  );
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** The width of a text in terminal cells, accurate enough to align columns of masked values, ids and names. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Lines of at most `width` cells, broken at blanks; a longer word is broken at the line end. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => pieces(part, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** A word in pieces that fit on a line. */
function pieces(word: string, width: number): string[] {
  const parts: string[] = [''];
  for (const character of word) {
    const longer = (parts.at(-1) ?? '') + character;
    if (displayWidth(longer) > width && longer !== character) parts.push(character);
    else parts[parts.length - 1] = longer;
  }
  return parts;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** At most `width` cells, with an ellipsis when the text is cut. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let left = width - 1;
  let kept = '';
  for (const character of text) {
    left -= displayWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** `2026-01-31 12:00:00`, for a column labelled UTC; `-` for none. */
export function shortTime(at: string | null): string {
  return at === null ? '-' : at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '');
}

/** A timestamp of today as `12:04`. */
export function timeOfDay(at: string): string {
  return at.slice(11, 16);
}
