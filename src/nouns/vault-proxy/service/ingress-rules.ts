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

const SEGMENT = /\.([A-Za-z_][\w-]*)|\[(?:(['"])(.*?)\2|(\d+))(\]?)/sy;

/** Reads the path that begins at `start`, up to the first character that can't continue it. Throws RuleSyntaxError. */
export function scanJsonPath(text: string, start: number): Scanned<JsonPath> {
  if (text[start] !== '$') throw new RuleSyntaxError('a path that begins with $ is expected', start);
  const path: (string | number)[] = [];
  let end = start + 1;
  while (text[end] === '.' || text[end] === '[') {
    SEGMENT.lastIndex = end;
    const [segment, member, , quoted, index, bracket] = SEGMENT.exec(text) ?? [];
    if (segment === undefined) throw new RuleSyntaxError(expectedIn(text, end), end + 1);
    end += segment.length;
    if (bracket === '') throw new RuleSyntaxError('a closing bracket is expected', end);
    // An index too large to be exact selects nothing, like any other beyond the end of a list.
    path.push(member ?? quoted ?? Math.min(Number(index), Number.MAX_SAFE_INTEGER));
  }
  return { value: path, end };
}

function expectedIn(text: string, at: number): string {
  if (text[at] === '.') return 'a member name is expected';
  const isQuoted = text[at + 1] === "'" || text[at + 1] === '"';
  return isQuoted ? 'a quote is not closed; it opens' : 'an index or a quoted member name is expected';
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
        throw invalid(`Header ${PROXY_HEADERS.ingressRule} has more than ${MAX_RULES} rules`);
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
  return new ServiceError(code, `Header ${PROXY_HEADERS.ingressRule}: rule ${number}: ${problem}`);
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

const NAME = /[\w.-]*/y;

/** No identifier begins like an entity, so the first dot after that beginning separates them. */
function scanName(line: string, start: number): Scanned<{ fpId?: string; identifier: string }> {
  NAME.lastIndex = start;
  const [name = ''] = NAME.exec(line) ?? [];
  const end = start + name.length;
  if (name === '') throw new RuleSyntaxError('an identifier is expected', start);
  if (line[end] === ':') throw new RuleSyntaxError('no version may be named, but one is', end);
  if (!name.startsWith('fp_')) return { value: { identifier: name }, end };
  const [, fpId, identifier] = /^(fp_\w+)(?:\.(.*))?$/.exec(name) ?? [];
  if (fpId === undefined) throw new RuleSyntaxError('an entity is expected', start);
  if (!identifier) throw new RuleSyntaxError('an identifier is expected', end);
  return { value: { fpId, identifier }, end };
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
