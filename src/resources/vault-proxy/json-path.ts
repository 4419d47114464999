/**
 * The paths of ingress rules: the singular queries of RFC 9535 that contract §3.1 allows, each a sequence of names and
 * indexes. One pass over the characters; nothing is evaluated. Messages never repeat the text.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { scanInteger, type Scanned } from '../../vault/transforms/index.ts';

/** From the root: a name selects in objects only, an index in lists only. Empty for the whole body. */
export type JsonPath = readonly (string | number)[];

/** The text doesn't follow the grammar. */
export class RuleSyntaxError extends ServiceError {
  constructor(expected: string, position: number) {
    super('invalid_request', `${expected} at character ${position + 1}`);
  }
}

/** Reads the path that begins at `start`, up to the first character that can't continue it. Throws RuleSyntaxError. */
export function scanJsonPath(text: string, start: number): Scanned<JsonPath> {
  if (text[start] !== '$') throw new RuleSyntaxError('a path that begins with $ is expected', start);
  const path: (string | number)[] = [];
  let end = start + 1;
  for (;;) {
    const scan = SEGMENTS.get(text[end] ?? '');
    if (!scan) return { value: path, end };
    const segment = scan(text, end + 1);
    path.push(segment.value);
    end = segment.end;
  }
}

/** By their first character; each reader starts after it. */
const SEGMENTS: ReadonlyMap<string, (text: string, at: number) => Scanned<string | number>> = new Map([
  ['.', scanMember],
  ['[', scanBracketed],
]);

const MEMBER_START = /^[A-Za-z_]$/;
const MEMBER_CHARACTER = /^[A-Za-z0-9_-]$/;

function scanMember(text: string, at: number): Scanned<string> {
  if (!MEMBER_START.test(text[at] ?? '')) throw new RuleSyntaxError('a member name is expected', at);
  let end = at + 1;
  while (MEMBER_CHARACTER.test(text[end] ?? '')) end++;
  return { value: text.slice(at, end), end };
}

function scanBracketed(text: string, at: number): Scanned<string | number> {
  const selector = scanQuoted(text, at) ?? scanIndex(text, at);
  if (!selector) throw new RuleSyntaxError('an index or a quoted member name is expected', at);
  if (text[selector.end] !== ']') throw new RuleSyntaxError('a closing bracket is expected', selector.end);
  return { value: selector.value, end: selector.end + 1 };
}

function scanQuoted(text: string, at: number): Scanned<string> | undefined {
  const quote = text[at];
  if (quote !== "'" && quote !== '"') return undefined;
  const close = text.indexOf(quote, at + 1);
  if (close === -1) throw new RuleSyntaxError('a quote is not closed; it opens', at);
  return { value: text.slice(at + 1, close), end: close + 1 };
}

/** An index too large to be exact selects nothing, like any other beyond the end of a list. */
function scanIndex(text: string, at: number): Scanned<number> | undefined {
  const digits = scanInteger(text, at);
  return digits && { value: Math.min(Number(digits.value), Number.MAX_SAFE_INTEGER), end: digits.end };
}

/** Paths merged into a tree, so that one traversal finds them all; no path is the beginning of another. */
export interface PathTree {
  readonly children: Map<string | number, PathTree>;
  /** The position of the path that ends here, among the added ones. */
  position: number | undefined;
}

export function emptyPathTree(): PathTree {
  return { children: new Map(), position: undefined };
}

/**
 * Adds a path. If it overlaps another (equal, or one begins with the other), adds nothing and returns that one's
 * position.
 */
export function addPath(tree: PathTree, path: JsonPath, position: number): number | undefined {
  let node = tree;
  for (const segment of path) {
    if (node.position !== undefined) return node.position;
    let next = node.children.get(segment);
    if (!next) {
      next = emptyPathTree();
      node.children.set(segment, next);
    }
    node = next;
  }
  const overlapped = firstPosition(node);
  if (overlapped === undefined) node.position = position;
  return overlapped;
}

/** The first position of the paths that end here or below. */
function firstPosition(tree: PathTree): number | undefined {
  let node: PathTree | undefined = tree;
  while (node && node.position === undefined) [node] = node.children.values();
  return node?.position;
}
