/** Selects the values for ingress rules from a response, and removes them from it (contract §3.3, Ingress). */
import { parseJson, isJson, jsonTextOf, stringEnd, type JsonValue } from '../../../kernel/text/json.ts';
import { skipSpace } from '../../../vault/transforms/index.ts';
import { type IngressRule, addPath, emptyPathTree, type PathTree } from './ingress-rules.ts';

// Finds places in a JSON text by one scan, without parsing it into values. So a value is replaced exactly where it is,
// and the rest stays as written: digits of numbers, escapes, the order of members. The scan is iterative, so neither
// nesting nor length is limited.
//
// The text must be JSON (RFC 8259), already parsed by the caller with `JSON.parse`.

interface TextRange {
  readonly start: number;
  /** The position after its last character. */
  readonly end: number;
  /**
   * The path that leads here. Undefined for a member, with its comma, that is hidden by a later one of the same name.
   */
  readonly position?: number;
}

interface Member {
  readonly start: number;
  /** The start of the next member, once known. */
  end: number;
}

/** An open list or object that has paths continuing in it. */
interface Container {
  readonly node: PathTree;
  readonly isList: boolean;
  /** The number of list elements started so far. */
  begun: number;
  /** The members of an object on a path. */
  readonly members: Map<string, Member>;
  last: Member | undefined;
}

/**
 * The places that the paths of a tree select, in the order of the text, none inside another. As in `JSON.parse`, the
 * last of several members with one name counts; earlier ones on a path are returned, too.
 */
function locate(text: string, tree: PathTree): TextRange[] {
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

/** Removes places within a hidden member; of two nested places, the outer one begins first. */
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

/** Removes blanks between tokens of a JSON text, or of a piece that cuts no string. */
function compact(text: string): string {
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

/** Whether a string of this JSON text, decoded from UTF-8, has an unpaired surrogate, which takes an escape. */
function holdsUnpairedSurrogate(text: string): boolean {
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

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

const isOpening = (code: number): boolean => code === OPENING_BRACE || code === OPENING_BRACKET;
const isClosing = (code: number): boolean => code === CLOSING_BRACE || code === CLOSING_BRACKET;
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

export interface SelectedValue {
  readonly value: JsonValue;
  /** A string unchanged; anything else as compact JSON, with numbers as written. */
  readonly text: string;
  /** False when a string in it has an unpaired surrogate, which UTF-8 can't encode. */
  readonly isWellFormed: boolean;
}

export interface Selection {
  /** By rule; undefined when the path selected nothing or null. */
  readonly values: readonly (SelectedValue | undefined)[];
  /**
   * The compact body, with the value of each of these rules (from 0) replaced by `<entity>.<identifier>`; the rest
   * stays as written. Members along a path that are hidden by a later one of the same name are left out.
   */
  rewritten(stored: ReadonlySet<number>): Buffer;
}

/** Undefined when the body is not JSON in UTF-8. Paths must not overlap. */
export function selectIngress(body: Buffer, rules: readonly IngressRule[]): Selection | undefined {
  const text = jsonTextOf(body);
  if (text === undefined || !isJson(text)) return undefined;
  const tree = emptyPathTree();
  rules.forEach(({ path }, index) => addPath(tree, path, index));
  const places = locate(text, tree);
  const values = rules.map((): SelectedValue | undefined => undefined);
  for (const { start, end, position } of places) {
    if (position !== undefined) values[position] = selectedValue(text.slice(start, end));
  }

  return {
    values,
    rewritten(stored) {
      const kept: string[] = [];
      let copied = 0;
      for (const { start, end, position } of places) {
        const rule = position === undefined ? undefined : rules[position];
        if (position !== undefined && !stored.has(position)) continue;
        kept.push(compact(text.slice(copied, start)));
        if (rule) kept.push(JSON.stringify(`${rule.fpId}.${rule.identifier}`));
        copied = end;
      }
      kept.push(compact(text.slice(copied)));
      return Buffer.from(kept.join(''), 'utf8');
    },
  };
}

function selectedValue(json: string): SelectedValue | undefined {
  const value = parseJson(json);
  if (value === null) return undefined;
  return {
    value,
    text: typeof value === 'string' ? value : compact(json),
    isWellFormed: !holdsUnpairedSurrogate(json),
  };
}
