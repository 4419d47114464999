/**
 * Ingress rules (contract §3.1, §3.3): which values of a response are stored, and under which identifiers. Parsed
 * before anything is sent, in one pass. Messages give the number of a rule and positions; at most they repeat names.
 */
import { PROXY_HEADERS } from '../../contract/facts/requests.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { describeIdentifier } from '../../vault/identifiers/index.ts';
import {
  bindTransforms,
  ChainSyntaxError,
  scanChain,
  skipSpace,
  TransformBudget,
  type Scanned,
  type Transform,
} from '../../vault/transforms/index.ts';
import { addPath, emptyPathTree, RuleSyntaxError, scanJsonPath, type JsonPath } from './json-path.ts';

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
        throw new ServiceError(
          'invalid_request',
          `Header ${INGRESS_RULE_HEADER} has more than ${MAX_RULES} rules`,
        );
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
  if (fpId === undefined) throw new ServiceError('invalid_request', 'it names no entity, nor does x-fp-id');
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
