/**
 * The paths of ingress rules: the singular queries of RFC 9535 that contract §3.1 allows, each a row of names and
 * indexes. One pass, each character is looked at once; nothing is evaluated. Messages never repeat the text.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { scanInteger, type Scanned } from '../../vault/transforms/index.ts';

/** From the root down: a name selects in objects only, an index in lists only. Empty: the whole. */
export type JsonPath = readonly (string | number)[];

/** The text doesn't follow the grammar. */
export class RuleSyntaxError extends ServiceError {
  constructor(expected: string, position: number) {
    super('invalid_request', `${expected} at character ${position + 1}`);
  }
}

/**
 * Reads the path that begins at `start`, up to the first character that can't go on with it.
 * Throws RuleSyntaxError.
 */
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

/** By the character that begins them; each goes on behind it. */
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

/** An index too large to be exact is as good as any other that no list reaches. */
function scanIndex(text: string, at: number): Scanned<number> | undefined {
  const digits = scanInteger(text, at);
  return digits && { value: Math.min(Number(digits.value), Number.MAX_SAFE_INTEGER), end: digits.end };
}

/** Paths laid over each other, so that one walk finds them all; none leads through the end of another. */
export interface PathTree {
  readonly children: Map<string | number, PathTree>;
  /** The position of the path that ends here, among those that were added. */
  position: number | undefined;
}

export function emptyPathTree(): PathTree {
  return { children: new Map(), position: undefined };
}

/** Adds a path; when it overlaps another (equal, or one begins with the other) adds nothing and returns that one. */
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
