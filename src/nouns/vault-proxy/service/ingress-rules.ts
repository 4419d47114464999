/**
 * Ingress rules (contract §3.1, §3.3): which values of a response are stored, and under which identifiers. Parsed
 * before anything is sent, in one pass. Messages give the number of a rule and positions; at most they repeat names.
 */
import { PROXY_HEADERS } from '../../requests/facts.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { describeIdentifier } from '../../../vault/identifiers/index.ts';
import {
  bindTransforms,
  ChainSyntaxError,
  scanChain,
  scanInteger,
  type Scanned,
  skipSpace,
  type Transform,
  TransformBudget,
} from '../../../vault/transforms/index.ts';

// The paths of ingress rules: the singular queries of RFC 9535 that contract §3.1 allows, each a sequence of names and
// indexes. One pass over the characters; nothing is evaluated. Messages never repeat the text.

/** From the root: a name selects in objects only, an index in lists only. Empty for the whole body. */
export type JsonPath = readonly (string | number)[];

/** The text doesn't follow the grammar. */
class RuleSyntaxError extends ServiceError {
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

export interface IngressRule {
  readonly fpId: string;
  /** As sent. */
  readonly identifier: string;
  readonly path: JsonPath;
  readonly transforms: readonly Transform[];
  /** In the form of an explanation: without transform arguments. */
  readonly text: string;
}

export const INGRESS_RULE_HEADER = PROXY_HEADERS.ingressRule;
const MAX_RULES = 100;

/**
 * The rules of all header lines, in order; each line may have several. `defaultEntity` applies to rules that name none;
 * `budget` is that of the request. An identifier may be set once per entity, paths must not overlap, and at most 100
 * rules are allowed (assumed).
 *
 * Throws `invalid_request` and, for an unknown transform or wrong arguments, `transform_invalid`; the message names the
 * header and the number of the rule, from 1.
 */
export function parseIngressRules(
  lines: readonly string[],
  defaultEntity: string | undefined,
  budget = new TransformBudget(),
): IngressRule[] {
  const rules: IngressRule[] = [];
  for (const line of lines) {
    for (let at = 0; at <= line.length; at++) {
      if (rules.length === MAX_RULES) {
        throw invalid(`Header ${INGRESS_RULE_HEADER} has more than ${MAX_RULES} rules`);
      }
      const rule = numbered(rules.length + 1, () => scanRule(line, at, { defaultEntity, budget }));
      rules.push(rule.value);
      at = rule.end;
    }
  }
  refuseRepeats(rules);
  refuseOverlaps(rules);
  return rules;
}

/** The error for the rule with this number, from 1. */
export function ruleRefused(number: number, problem: string, code = 'invalid_request'): ServiceError {
  return new ServiceError(code, `Header ${INGRESS_RULE_HEADER}: rule ${number}: ${problem}`);
}

function numbered<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw ruleRefused(number, error.message, error instanceof ChainSyntaxError ? undefined : error.code);
  }
}

/** Reads a rule from `start` up to the next comma or the end. */
function scanRule(
  line: string,
  start: number,
  { defaultEntity, budget }: { defaultEntity: string | undefined; budget: TransformBudget },
): Scanned<IngressRule> {
  const name = scanName(line, skipSpace(line, start));
  const { identifier, fpId = defaultEntity } = name.value;
  const equals = skipSpace(line, name.end);
  if (line[equals] !== '=') throw new RuleSyntaxError('an equals sign is expected', equals);
  if (fpId === undefined) throw invalid('it names no entity, nor does x-fp-id');
  const pathStart = skipSpace(line, equals + 1);
  const path = scanJsonPath(line, pathStart);
  const behindPath = skipSpace(line, path.end);
  const { chain, end } =
    line[behindPath] === '|' ? scanChain(line, behindPath + 1) : { chain: [], end: behindPath };
  if (end < line.length && line[end] !== ',') {
    throw new RuleSyntaxError('a comma, a | or the end is expected', end);
  }
  const transforms = bindTransforms(chain, budget);
  const shownPath = line.slice(pathStart, path.end);
  const text = [`${fpId}.${identifier}=${shownPath}`, ...transforms.map((transform) => transform.name)];
  return { value: { fpId, identifier, path: path.value, transforms, text: text.join(' | ') }, end };
}

const ENTITY_START = 'fp_';
const ENTITY = /^fp_[A-Za-z0-9_]+$/;
const NAME_CHARACTER = /^[A-Za-z0-9_.-]$/;

/** No identifier begins like an entity, so the first dot after that beginning separates them. */
function scanName(line: string, start: number): Scanned<{ fpId?: string; identifier: string }> {
  let end = start;
  while (NAME_CHARACTER.test(line[end] ?? '')) end++;
  const name = line.slice(start, end);
  if (name === '') throw new RuleSyntaxError('an identifier is expected', start);
  if (line[end] === ':') throw new RuleSyntaxError('no version may be named, but one is', end);
  if (!name.startsWith(ENTITY_START)) return { value: { identifier: name }, end };
  const dot = name.indexOf('.');
  const fpId = dot === -1 ? name : name.slice(0, dot);
  if (!ENTITY.test(fpId)) throw new RuleSyntaxError('an entity is expected', start);
  if (dot === -1 || dot === name.length - 1) throw new RuleSyntaxError('an identifier is expected', end);
  return { value: { fpId, identifier: name.slice(dot + 1) }, end };
}

/** Aliases count as the same datum. */
function refuseRepeats(rules: readonly IngressRule[]): void {
  const numbers = new Map<string, number>();
  rules.forEach(({ fpId, identifier }, index) => {
    const datum = `${fpId}.${describeIdentifier(identifier)?.canonical ?? identifier}`;
    const earlier = numbers.get(datum);
    if (earlier !== undefined) throw ruleRefused(index + 1, `its identifier is that of rule ${earlier}`);
    numbers.set(datum, index + 1);
  });
}

function refuseOverlaps(rules: readonly IngressRule[]): void {
  const tree = emptyPathTree();
  rules.forEach(({ path }, index) => {
    const overlapped = addPath(tree, path, index);
    if (overlapped !== undefined)
      throw ruleRefused(index + 1, `its path overlaps that of rule ${overlapped + 1}`);
  });
}
