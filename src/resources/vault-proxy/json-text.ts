/**
 * Places in a JSON text, found by one scan without building what it says. So a value is replaced where it stands and
 * nowhere else, and all the rest stays as it was written: digits of numbers, escapes, the order of members. No nesting
 * is too deep and no text too long for it, as nothing here calls itself.
 *
 * The text must be JSON (RFC 8259): the caller has parsed it with `JSON.parse` before.
 */
import type { PathTree } from './json-path.ts';

export interface TextRange {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** The path that leads here. Undefined: a member, its comma included, that a later one of the same name hides. */
  readonly position?: number;
}

interface Member {
  readonly start: number;
  /** Where the next member begins, as soon as that is known. */
  end: number;
}

/** A list or object that the scan is inside of, with paths leading on from it. */
interface Container {
  readonly node: PathTree;
  readonly isList: boolean;
  /** How many elements of a list have begun. */
  begun: number;
  /** The members of an object that paths lead to. */
  readonly members: Map<string, Member>;
  last: Member | undefined;
}

/**
 * Where the paths of a tree lead to, in the order of the text, no place inside another. As in `JSON.parse`, the last
 * of several members with one name is the one that counts; those before it, where a path leads to them, are returned, too.
 */
export function locate(text: string, tree: PathTree): TextRange[] {
  const places: TextRange[] = [];
  const open: Container[] = [];
  let node: PathTree | undefined = tree;
  let at = skipSpace(text, 0);
  for (;;) {
    if (node && node.children.size > 0 && isOpening(text.charCodeAt(at))) {
      const isList = text.charCodeAt(at) === OPENING_BRACKET;
      open.push({ node, isList, begun: 0, members: new Map(), last: undefined });
      at = skipSpace(text, at + 1);
    } else {
      const end = valueEnd(text, at);
      if (node?.position !== undefined) places.push({ start: at, end, position: node.position });
      at = skipSpace(text, end);
    }
    for (; isClosing(text.charCodeAt(at)); at = skipSpace(text, at + 1)) open.pop();
    const container = open.at(-1);
    if (!container) return outermost(places);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    if (container.isList) node = container.node.children.get(container.begun++);
    else {
      const end = stringEnd(text, at);
      node = enterMember(container, { name: nameOf(text.slice(at, end)), start: at }, places);
      const colon = skipSpace(text, end);
      at = skipSpace(text, colon + 1);
    }
  }
}

function enterMember(
  container: Container,
  { name, start }: { name: string; start: number },
  places: TextRange[],
): PathTree | undefined {
  if (container.last) container.last.end = start;
  container.last = undefined;
  const node = container.node.children.get(name);
  if (!node) return undefined;
  const hidden = container.members.get(name);
  if (hidden) places.push({ start: hidden.start, end: hidden.end });
  container.last = { start, end: start };
  container.members.set(name, container.last);
  return node;
}

/** What stands within a hidden member goes with it: of two places, the outer one begins first. */
function outermost(places: TextRange[]): TextRange[] {
  places.sort((one, other) => one.start - other.start);
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** The text without the blanks between its parts; of a JSON text, or a piece of one that cuts no string. */
export function compact(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) {
      pieces.push(text.slice(copied, at));
      at = copied = skipSpace(text, at);
    } else at = code === QUOTE ? stringEnd(text, at) : at + 1;
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}

/** Whether a string of this JSON text, which came as UTF-8, holds half a surrogate pair: only an escape can. */
export function holdsUnpairedSurrogate(text: string): boolean {
  const unpaired = text.replace(/\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]../g, ' ');
  return /\\u[dD][89a-fA-F]/.test(unpaired);
}

function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  return isOpening(first) ? containerEnd(text, start) : wordEnd(text, start);
}

function containerEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ;) {
    const code = text.charCodeAt(at);
    if (isOpening(code)) depth++;
    else if (isClosing(code)) depth--;
    at = code === QUOTE ? stringEnd(text, at) : at + 1;
    if (depth === 0) return at;
  }
}

/** The end of a number, true, false or null. */
function wordEnd(text: string, start: number): number {
  for (let end = start; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === COMMA || isClosing(code) || isBlank(code)) return end;
  }
  return text.length;
}

/** Each run of backslashes is looked at once: the quote before it is behind. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

const isOpening = (code: number): boolean => code === OPENING_BRACE || code === OPENING_BRACKET;
const isClosing = (code: number): boolean => code === CLOSING_BRACE || code === CLOSING_BRACKET;
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
