/**
 * Maps method and path to an endpoint of the contract (§0.4, §0.6). Uses one tree over the segments of all paths,
 * because a per-route router costs more at start than everything else.
 */
import { attempt } from '../kernel/attempt.ts';
import { CONTROL_PREFIX, ENDPOINT_METHODS } from '../nouns/requests/facts.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EntityKind } from '../nouns/entities/facts.ts';
import { endpoints, splitKey, type EndpointKey } from '../contract/registry.ts';

export interface Route {
  readonly endpoint: Endpoint & { readonly key: EndpointKey };
  /** The path as the contract writes it. */
  readonly template: string;
  /** The parameter that names the caller's entity, and its kind; undefined in the control plane. */
  readonly entity: { readonly parameter: 'fp_id' | 'fp_bid'; readonly kind: EntityKind } | undefined;
}

export interface Match {
  /** Undefined when no endpoint has this path, or none has this method. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /**
   * Whether all endpoints below the matching beginning of the path admit pages. This lets a page read why a path is
   * unknown. A differently spelled path matches nothing.
   */
  readonly letsPagesIn: boolean;
  /** The methods that the path supports; HEAD goes with GET. */
  allowed(): string[];
}

/** The path words that replace `{partner_a}` and `{partner_b}` (contract §0.13). */
export type PathWords = Readonly<Record<'partner_a' | 'partner_b', string>>;

/** The ids that `{fp_id}` and `{fp_bid}` match; any other word there belongs to another path. */
export const ENTITY_ID = /^fp_[A-Za-z0-9_]{1,200}$/;
/** The ids that `{proxy_id}` matches: /vault_proxy has sibling words, which may be misspelt. */
const PROXY_ID = /^proxy_id_[A-Za-z0-9]{1,200}$/;
/** Longer than any id, token or identifier. */
const SEGMENT_LIMIT = 512;

interface RouteNode {
  readonly words: Map<string, RouteNode>;
  readonly parameters: Map<string, RouteNode>;
  readonly routes: Map<string, Route>;
  /** Whether every endpoint here and below admits pages. */
  letsPagesIn: boolean;
}

const newPlace = (): RouteNode => ({
  words: new Map(),
  parameters: new Map(),
  routes: new Map(),
  letsPagesIn: true,
});

const root = newPlace();
for (const endpoint of endpoints) {
  const { method, path } = splitKey(endpoint.key);
  let place = root;
  root.letsPagesIn = false;
  for (const segment of path.slice(1).split('/')) {
    const isParameter = segment.startsWith('{');
    const branches = isParameter ? place.parameters : place.words;
    const name = isParameter ? segment.slice(1, -1) : segment;
    let next = branches.get(name);
    if (!next) branches.set(name, (next = newPlace()));
    place = next;
    place.letsPagesIn &&= 'letsPagesIn' in endpoint;
  }
  place.routes.set(method, { endpoint, template: path, entity: entityOf(endpoint) });
}

function entityOf(endpoint: { readonly key: EndpointKey }): Route['entity'] {
  if (isControlPlane(endpoint)) return undefined;
  if (endpoint.key.includes('{fp_bid}')) return { parameter: 'fp_bid', kind: 'business' };
  return endpoint.key.includes('{fp_id}') ? { parameter: 'fp_id', kind: 'user' } : undefined;
}

/**
 * `url` is a path with or without a query; a slash at its end is ignored. Segments are percent-decoded once. `words`
 * are the current ones and compared exactly.
 */
export function findRoute(method: string, url: string, words: PathWords): Match {
  const sent = sentSegments(url);
  const segments = decoded(sent);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = segments && descend({ segments, method: wanted, words }, root, 0);
  return {
    route: found?.route,
    params: found?.params ?? {},
    letsPagesIn: standsWithPages(sent),
    allowed: () => (segments ? allowedMethods(segments, words) : []),
  };
}

/** Whether the first words of a path, without decoding, lead to a subtree in which every endpoint admits pages. */
function standsWithPages(segments: readonly string[]): boolean {
  let place: RouteNode | undefined = root;
  for (const segment of segments) {
    place = place.words.get(segment);
    if (!place) return false;
    if (place.letsPagesIn) return true;
  }
  return false;
}

/** The path is not decoded; a slash at its end is ignored. */
export function sentSegments(url: string): string[] {
  const mark = url.indexOf('?');
  const end = mark === -1 ? url.length : mark;
  return url.slice(1, end > 1 && url[end - 1] === '/' ? end - 1 : end).split('/');
}

function decoded(segments: string[]): string[] | undefined {
  const hasEscape = segments.some((segment) => segment.includes('%'));
  const plain = hasEscape ? attempt(() => segments.map(decodeURIComponent)) : segments;
  return plain?.every(({ length }) => length <= SEGMENT_LIMIT) ? plain : undefined;
}

/** Decoded once; a segment that can't be decoded stays as it is. */
export function decodedSegment(segment: string): string {
  return attempt(() => decodeURIComponent(segment)) ?? segment;
}

interface Search {
  readonly segments: readonly string[];
  readonly method: string;
  readonly words: PathWords;
}

/**
 * Tries words before parameters, and parameters when the words lead to no route of this method. Collects the parameters
 * of a route on the way back.
 */
function descend(
  search: Search,
  place: RouteNode,
  depth: number,
): { route: Route; params: Record<string, string> } | undefined {
  const segment = search.segments[depth];
  if (segment === undefined) {
    const route = place.routes.get(search.method);
    return route && { route, params: {} };
  }
  const word = place.words.get(segment);
  const found = word && descend(search, word, depth + 1);
  if (found) return found;
  for (const [name, next] of place.parameters) {
    const within = fits(name, segment, search.words) ? descend(search, next, depth + 1) : undefined;
    if (!within) continue;
    within.params[name] = segment;
    return within;
  }
  return undefined;
}

function fits(parameter: string, segment: string, words: PathWords): boolean {
  switch (parameter) {
    case 'fp_id':
    case 'fp_bid':
      return ENTITY_ID.test(segment);
    case 'proxy_id':
      return PROXY_ID.test(segment);
    case 'partner_a':
    case 'partner_b':
      return segment === words[parameter];
    default:
      return segment !== '';
  }
}

function allowedMethods(segments: readonly string[], words: PathWords): string[] {
  const methods = new Set<string>();
  for (const method of ENDPOINT_METHODS) {
    if (!descend({ segments, method, words }, root, 0)) continue;
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
  }
  return [...methods];
}

/**
 * Whether it belongs to the control plane, whose bodies are bounded and have no unknown members (contract §0.8, §11).
 */
export function isControlPlane({ key }: { readonly key: string }): boolean {
  return key.includes(` ${CONTROL_PREFIX}`);
}
