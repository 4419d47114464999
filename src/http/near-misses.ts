/**
 * Suggests what a request with an unknown path or method probably meant. Only words of the contract and of the
 * vocabulary are suggested, never a segment of the path: it could be a key or a value. Runs only for a request that has
 * already failed.
 */
import { CONTROL_PREFIX } from '../nouns/requests/facts.ts';
import { endpoints, splitKey, type EndpointKey } from '../contract/registry.ts';
import { ID_PREFIX } from '../kernel/ids/ids.ts';
import { editDistance } from '../kernel/text/nearest.ts';
import { decodedSegment, ENTITY_ID, type PathWords } from './router.ts';

export interface AskedPath {
  readonly method: string;
  readonly url: string;
  readonly words: PathWords;
}

interface Candidate {
  readonly method: string;
  /** Its words, as indexes into the list of all words. */
  readonly words: readonly number[];
  readonly segments: readonly string[];
  readonly isControl: boolean;
}

/** All paths with the current vocabulary. Most share a few words, and each distinct word is compared once. */
interface Paths {
  readonly candidates: readonly Candidate[];
  readonly words: readonly Word[];
  /** Segments of the longest path. */
  readonly longest: number;
}

interface Word {
  /** As the contract writes it. */
  readonly template: string;
  /** As it occurs in a path. */
  readonly word: string;
  /** Both after normalising their spelling. */
  readonly plain: string;
  readonly plainTemplate: string;
  /** Neither a parameter nor the prefix of the control plane. */
  readonly isWord: boolean;
}

/** The cost of reading a segment as each of the words. */
type Costs = readonly number[];

/** Longer paths are not compared: they are no typing errors. */
const LONGEST_PATH = 1_024;
const MOST_SEGMENTS = 12;
const LONGEST_WORD = 40;

/**
 * The costs of differences between a path and the requested one. A total above `TOO_FAR` means that it is another path.
 */
const COST = { segment: 1, id: 0.7, edit: 0.25, spelling: 0.05, method: 0.04, control: 0.1 } as const;
const TOO_FAR = 1.2;
const NEVER = 100;

let known: { readonly paths: Paths; readonly of: string } | undefined;

/** `POST /users/{fp_id}/vault`; undefined when no endpoint is near. */
export function nearestRoute({ method, url, words }: AskedPath): string | undefined {
  const typed = segmentsOf(url);
  if (!typed) return undefined;
  const paths = pathsWith(words);
  if (typed.length > paths.longest + TOO_FAR) return undefined;
  const rows = typed.map((segment) => costsOf(segment, paths.words));
  const shared = paths.words.map(
    ({ isWord }, word) => isWord && rows.some((row) => at(row, word) < COST.segment),
  );
  let best: Candidate | undefined;
  let least = TOO_FAR;
  for (const candidate of paths.candidates) {
    const missed = Math.abs(candidate.words.length - typed.length) * COST.segment;
    if (missed >= least || !candidate.words.some((word) => shared[word])) continue;
    const extra =
      (isMethod(candidate.method, method) ? 0 : COST.method) + (candidate.isControl ? COST.control : 0);
    const cost = distance(rows, candidate.words) + extra;
    if (cost < least) [best, least] = [candidate, cost];
  }
  return best && named(best);
}

/** The method that was probably meant, among those that a path supports, with that path. */
export function nearestMethod(
  { method, url, words }: AskedPath,
  allowed: readonly string[],
): string | undefined {
  const [only, ...others] = allowed.filter((each) => each !== 'HEAD');
  const meant = others.length === 0 ? only : MEANT_INSTEAD[method]?.find((each) => allowed.includes(each));
  const typed = meant === undefined ? undefined : segmentsOf(url);
  if (!typed) return undefined;
  const paths = pathsWith(words);
  const rows = typed.map((segment) => costsOf(segment, paths.words));
  const exact = paths.candidates.find(
    (each) => each.method === meant && each.words.length === typed.length && distance(rows, each.words) === 0,
  );
  return exact && named(exact);
}

/**
 * The same endpoint for the other kind, when the id of a business is used among users or the reverse, with `id` in its
 * place; undefined if there is none.
 */
export function routeOfOtherKind(key: EndpointKey, id: string): string | undefined {
  const { method, path } = splitKey(key);
  const other = OTHER_KIND.find(({ from, prefix }) => path.startsWith(from) && id.startsWith(prefix));
  if (!other) return undefined;
  const meant = `${method} ${other.to}${path.slice(other.from.length)}`;
  return endpoints.some((endpoint) => endpoint.key === meant) ? meant : undefined;
}

const OTHER_KIND = [
  { from: '/users/{fp_id}', to: '/businesses/{fp_bid}', prefix: ID_PREFIX.business },
  { from: '/businesses/{fp_bid}', to: '/users/{fp_id}', prefix: ID_PREFIX.user },
] as const;

const MEANT_INSTEAD: Readonly<Record<string, readonly string[]>> = {
  PUT: ['PATCH', 'POST'],
  PATCH: ['PUT', 'POST'],
  POST: ['PATCH', 'PUT'],
};

/** Rebuilt when the vocabulary has changed. */
function pathsWith(words: PathWords): Paths {
  const of = `${words.partner_a}/${words.partner_b}`;
  if (known?.of !== of) known = { of, paths: readPaths(words) };
  return known.paths;
}

function readPaths(words: PathWords): Paths {
  const places = new Map<string, number>();
  const all: Word[] = [];
  const placeOf = (template: string) => {
    let place = places.get(template);
    if (place === undefined) {
      const word = vocabularyWord(template, words) ?? template;
      const isWord = template !== '_kyclone' && !word.startsWith('{');
      place = all.push({ template, word, plain: plain(word), plainTemplate: plain(template), isWord }) - 1;
      places.set(template, place);
    }
    return place;
  };
  const candidates = endpoints.map(({ key }) => {
    const { method, path } = splitKey(key);
    const segments = path.slice(1).split('/');
    const placed = segments.map(placeOf);
    return {
      method,
      words: placed,
      segments: placed.map((place, index) => all[place]?.word ?? segments[index] ?? ''),
      isControl: path.startsWith(CONTROL_PREFIX),
    };
  });
  return { candidates, words: all, longest: Math.max(...candidates.map(({ segments }) => segments.length)) };
}

function named({ method, segments }: Candidate): string {
  return `${method} /${segments.join('/')}`;
}

/** Undefined for an empty path, or one that is too long to be a typing error. */
function segmentsOf(url: string): string[] | undefined {
  const mark = url.indexOf('?');
  const length = mark === -1 ? url.length : mark;
  if (length > LONGEST_PATH) return undefined;
  const segments = url
    .slice(0, length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodedSegment);
  // Prefixes under which other services have their endpoints.
  while (segments.length > 1 && /^(?:api|rest|v\d)$/i.test(segments[0] ?? '')) segments.shift();
  return segments.length === 0 || segments.length > MOST_SEGMENTS ? undefined : segments;
}

function isMethod(answered: string, asked: string): boolean {
  return answered === asked || (answered === 'GET' && asked === 'HEAD');
}

/** The edit distance between two paths: segments removed, added and replaced. */
function distance(typed: readonly Costs[], template: readonly number[]): number {
  let row = Array.from({ length: template.length + 1 }, (_, index) => index * COST.segment);
  for (const costs of typed) {
    const next = [at(row, 0) + COST.segment];
    for (const [index, word] of template.entries()) {
      next.push(
        Math.min(
          at(row, index) + at(costs, word),
          at(row, index + 1) + COST.segment,
          at(next, index) + COST.segment,
        ),
      );
    }
    row = next;
  }
  return at(row, template.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? NEVER;
}

function costsOf(segment: string, words: readonly Word[]): Costs {
  const spelled = segment.length > LONGEST_WORD ? undefined : plain(segment);
  return words.map((word) => instead(segment, spelled, word));
}

/** `spelled` is undefined for a text that is too long to be a word. */
function instead(segment: string, spelled: string | undefined, wanted: Word): number {
  const { word, template } = wanted;
  if (segment === template || segment === word) return 0;
  switch (word) {
    case '{fp_id}':
      return entityCost(segment, ID_PREFIX.business);
    case '{fp_bid}':
      return entityCost(segment, ID_PREFIX.user);
    case '{identifier}':
      return segment.includes('.') ? 0 : COST.id;
    default:
      if (word.startsWith('{')) return ANY_ID.test(segment) ? 0 : COST.id;
      return spelled === undefined ? NEVER : otherWord(spelled, wanted);
  }
}

/** The form of our ids and keys. */
const ANY_ID = /^[a-z]{1,6}_[A-Za-z0-9_]{1,64}$/;

/** An id of the other kind is probably a mistake; a text that is no id may be an external id. */
function entityCost(segment: string, otherPrefix: string): number {
  if (segment.startsWith(otherPrefix)) return COST.edit;
  return ENTITY_ID.test(segment) ? 0 : COST.id;
}

function otherWord(spelled: string, { word, plain: wanted, plainTemplate }: Word): number {
  if (spelled === wanted || spelled === plainTemplate) return COST.spelling;
  const longest = Math.min(3, Math.floor(Math.min(spelled.length, word.length) / 2));
  if (Math.abs(spelled.length - wanted.length) > longest || !sharesLetters(spelled, wanted)) return NEVER;
  const edits = editDistance(spelled, wanted);
  return edits > longest ? NEVER : edits * COST.edit;
}

/** A cheap filter: words that differ in their first two and last two characters are different. */
function sharesLetters(one: string, other: string): boolean {
  return (
    one[0] === other[0] ||
    one[1] === other[1] ||
    one[0] === other[1] ||
    one[1] === other[0] ||
    one.at(-1) === other.at(-1)
  );
}

/** Removes differences of case, `-` and `_`, camel case and plurals. */
function plain(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[-{}]/g, (character) => (character === '-' ? '_' : ''))
    .replace(/(?:(?<=business|address)es|(?<=[a-rt-z])s)$/, '');
}

function vocabularyWord(segment: string, words: PathWords): string | undefined {
  if (segment === '{partner_a}') return words.partner_a;
  return segment === '{partner_b}' ? words.partner_b : undefined;
}
