/**
 * What a request probably meant whose path or method nobody answers. Only words of the contract and of the vocabulary
 * are told, never a segment of the path: it could be a key or a value. Asked when a request has failed already.
 */
import { endpoints, splitKey, type Key } from '../contract/registry.ts';
import { editDistance } from '../kernel/nearest.ts';
import { ENTITY_ID, type PathWords } from './router.ts';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly words: PathWords;
}

interface Candidate {
  readonly method: string;
  readonly segments: readonly string[];
  readonly isControl: boolean;
}

/** Longer ones are not looked at: nobody mistyped those. */
const LONGEST_PATH = 1_024;
const MOST_SEGMENTS = 12;
const LONGEST_WORD = 40;

/** What tells a path from one that was asked for; above `TOO_FAR` in all it is another path. */
const COST = { segment: 1, id: 0.7, edit: 0.25, spelling: 0.05, method: 0.04, control: 0.1 } as const;
const TOO_FAR = 1.2;
const NEVER = 100;

let candidates: readonly Candidate[] | undefined;

/** `POST /users/{fp_id}/vault`; undefined when no endpoint is near. */
export function nearestRoute({ method, url, words }: Asked): string | undefined {
  const typed = segmentsOf(url);
  if (!typed) return undefined;
  const comparison = comparisonWith(words);
  const isShared = (wanted: string) =>
    isWord(wanted) && typed.some((segment) => comparison(segment, wanted) < COST.segment);
  let best: Candidate | undefined;
  let least = TOO_FAR;
  for (const candidate of (candidates ??= allRoutes())) {
    const missed = Math.abs(candidate.segments.length - typed.length) * COST.segment;
    if (missed >= least || !candidate.segments.some(isShared)) continue;
    const cost =
      distance(typed, candidate.segments, comparison) +
      (isMethod(candidate.method, method) ? 0 : COST.method) +
      (candidate.isControl ? COST.control : 0);
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best && named(best.method, best.segments, words);
}

/** Of the methods that a path answers the one that was probably meant, with that path. */
export function nearestMethod({ method, url, words }: Asked, allowed: readonly string[]): string | undefined {
  const [only, ...others] = allowed.filter((each) => each !== 'HEAD');
  const meant = others.length === 0 ? only : MEANT_INSTEAD[method]?.find((each) => allowed.includes(each));
  const typed = meant === undefined ? undefined : segmentsOf(url);
  const comparison = comparisonWith(words);
  const exact =
    typed &&
    (candidates ??= allRoutes()).find(
      (each) => each.method === meant && distance(typed, each.segments, comparison) === 0,
    );
  return exact && named(exact.method, exact.segments, words);
}

/** The same of businesses where the id of one stands among users, and the other way; undefined for an id in its place. */
export function routeOfOtherKind(key: Key, id: string): string | undefined {
  const { method, path } = splitKey(key);
  const other = OTHER_KIND.find(({ from, prefix }) => path.startsWith(from) && id.startsWith(prefix));
  if (!other) return undefined;
  const meant = `${method} ${other.to}${path.slice(other.from.length)}`;
  return endpoints.some((endpoint) => endpoint.key === meant) ? meant : undefined;
}

const OTHER_KIND = [
  { from: '/users/{fp_id}', to: '/businesses/{fp_bid}', prefix: 'fp_bid_' },
  { from: '/businesses/{fp_bid}', to: '/users/{fp_id}', prefix: 'fp_id_' },
] as const;

const MEANT_INSTEAD: Readonly<Record<string, readonly string[]>> = {
  PUT: ['PATCH', 'POST'],
  PATCH: ['PUT', 'POST'],
  POST: ['PATCH', 'PUT'],
};

function allRoutes(): Candidate[] {
  return endpoints.map(({ key }) => {
    const { method, path } = splitKey(key);
    return { method, segments: path.slice(1).split('/'), isControl: path.startsWith('/_kyclone/') };
  });
}

function named(method: string, segments: readonly string[], words: PathWords): string {
  const path = segments.map((segment) => vocabularyWord(segment, words) ?? segment).join('/');
  return `${method} /${path}`;
}

/** Undefined for a path that is too long to be a slip, or empty. */
function segmentsOf(url: string): string[] | undefined {
  const mark = url.indexOf('?');
  const length = mark === -1 ? url.length : mark;
  if (length > LONGEST_PATH) return undefined;
  const segments = url
    .slice(0, length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  // Where other services have their endpoints.
  while (segments.length > 1 && /^(?:api|rest|v\d)$/i.test(segments[0] ?? '')) segments.shift();
  return segments.length === 0 || segments.length > MOST_SEGMENTS ? undefined : segments;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function isMethod(answered: string, asked: string): boolean {
  return answered === asked || (answered === 'GET' && asked === 'HEAD');
}

/** What it costs to get from the one path to the other: segments left out, put in, and taken for another. */
function distance(typed: readonly string[], template: readonly string[], comparison: Comparison): number {
  let row = Array.from({ length: template.length + 1 }, (_, index) => index * COST.segment);
  for (const segment of typed) {
    const next = [(row[0] ?? 0) + COST.segment];
    for (const [index, wanted] of template.entries()) {
      next.push(
        Math.min(
          (row[index] ?? 0) + comparison(segment, wanted),
          (row[index + 1] ?? 0) + COST.segment,
          (next[index] ?? 0) + COST.segment,
        ),
      );
    }
    row = next;
  }
  return row[template.length] ?? NEVER;
}

/** What it costs to take a segment for one of a template. */
type Comparison = (segment: string, wanted: string) => number;

/** Most templates have the same words: each is compared with each segment once. */
function comparisonWith(words: PathWords): Comparison {
  const known = new Map<string, number>();
  return (segment, wanted) => {
    const pair = `${wanted} ${segment}`;
    let cost = known.get(pair);
    if (cost === undefined) known.set(pair, (cost = instead(segment, wanted, words)));
    return cost;
  };
}

function instead(segment: string, wanted: string, words: PathWords): number {
  if (segment === wanted) return 0;
  const word = vocabularyWord(wanted, words) ?? wanted;
  switch (word) {
    case '{fp_id}':
      return entityCost(segment, 'fp_bid_');
    case '{fp_bid}':
      return entityCost(segment, 'fp_id_');
    case '{identifier}':
      return segment.includes('.') ? 0 : COST.id;
    default:
      if (word.startsWith('{')) return ANY_ID.test(segment) ? 0 : COST.id;
      return otherWord(segment, word, wanted);
  }
}

/** As ids and keys of ours look. */
const ANY_ID = /^[a-z]{1,6}_[A-Za-z0-9_]{1,64}$/;

/** An id of the other kind stands there by mistake; what is no id at all may be one of somebody else's making. */
function entityCost(segment: string, otherPrefix: string): number {
  if (segment.startsWith(otherPrefix)) return COST.edit;
  return ENTITY_ID.test(segment) ? 0 : COST.id;
}

function otherWord(segment: string, word: string, template: string): number {
  if (segment === word) return 0;
  if (segment.length > LONGEST_WORD) return NEVER;
  const spelled = plain(segment);
  if (spelled === plain(word) || spelled === plain(template)) return COST.spelling;
  const longest = Math.min(3, Math.floor(Math.min(spelled.length, word.length) / 2));
  const edits = Math.abs(spelled.length - word.length) > longest ? NEVER : editDistance(spelled, plain(word));
  return edits > longest ? NEVER : edits * COST.edit;
}

/** Case, `-` for `_`, and what camel case and plurals do. */
function plain(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[-{}]/g, (character) => (character === '-' ? '_' : ''))
    .replace(/(?:(?<=business|address)es|(?<=[a-rt-z])s)$/, '');
}

/** Not a parameter, and not what all of the control plane begins with. */
function isWord(segment: string): boolean {
  return segment !== '_kyclone' && (!segment.startsWith('{') || segment.startsWith('{partner_'));
}

function vocabularyWord(segment: string, words: PathWords): string | undefined {
  if (segment === '{partner_a}') return words.partner_a;
  return segment === '{partner_b}' ? words.partner_b : undefined;
}
