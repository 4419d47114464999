/**
 * From method and path to the endpoint of the contract (§0.4, §0.6). One tree over the segments of all paths: what
 * the HTTP library's own router builds for each route costs a start more than everything else it does.
 */
import { ENDPOINT_METHODS } from '../contract/facts/requests.ts';
import { isControlPlane, type Endpoint } from '../contract/endpoint.ts';
import type { EntityKind } from '../contract/facts/entities.ts';
import { endpoints, splitKey, type EndpointKey } from '../contract/registry.ts';

export interface Route {
  readonly endpoint: Endpoint & { readonly key: EndpointKey };
  /** The path as the contract writes it. */
  readonly template: string;
  /** The parameter that names an entity of the caller's, and its kind; none in the control plane. */
  readonly entity: { readonly parameter: 'fp_id' | 'fp_bid'; readonly kind: EntityKind } | undefined;
}

export interface Match {
  /** Undefined: no endpoint has this path, or none this method. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /**
   * Whether all endpoints that begin as this path does let pages in. So a page can read why a path is none, and a path
   * with another spelling matches nothing.
   */
  readonly letsPagesIn: boolean;
  /** The methods that the path answers; HEAD goes with GET. */
  allowed(): string[];
}

/** The words that stand in paths in the place of `{partner_a}` and `{partner_b}` (contract §0.13). */
export type PathWords = Readonly<Record<'partner_a' | 'partner_b', string>>;

/** The only ids that `{fp_id}` and `{fp_bid}` stand for; with another word there it is another path. */
export const ENTITY_ID = /^fp_[A-Za-z0-9_]{1,200}$/;
/** The only ids that `{proxy_id}` stands for: /vault_proxy has words beside it, which may be misspelt. */
const PROXY_ID = /^proxy_id_[A-Za-z0-9]{1,200}$/;
/** Longer than any id, token or identifier. */
const SEGMENT_LIMIT = 512;

interface RouteNode {
  readonly words: Map<string, RouteNode>;
  readonly parameters: Map<string, RouteNode>;
  readonly routes: Map<string, Route>;
  /** Whether everything here and below lets pages in. */
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
 * `url` is a path with or without a query; a slash at its end changes nothing. Segments are percent-decoded once.
 * `words`: those of now, compared exactly.
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

/** Whether the words that a path begins with, as they came, lead to where every endpoint lets pages in. */
function standsWithPages(segments: readonly string[]): boolean {
  let place: RouteNode | undefined = root;
  for (const segment of segments) {
    place = place.words.get(segment);
    if (!place) return false;
    if (place.letsPagesIn) return true;
  }
  return false;
}

function sentSegments(url: string): string[] {
  const mark = url.indexOf('?');
  const end = mark === -1 ? url.length : mark;
  return url.slice(1, end > 1 && url[end - 1] === '/' ? end - 1 : end).split('/');
}

function decoded(segments: string[]): string[] | undefined {
  try {
    const plain = segments.some(hasEscape) ? segments.map(decodeURIComponent) : segments;
    return plain.every(isShort) ? plain : undefined;
  } catch {
    return undefined;
  }
}

function hasEscape(segment: string): boolean {
  return segment.includes('%');
}

function isShort(segment: string): boolean {
  return segment.length <= SEGMENT_LIMIT;
}

interface Search {
  readonly segments: readonly string[];
  readonly method: string;
  readonly words: PathWords;
}

/**
 * Words before parameters; where the words lead to no route of this method, the parameters may. The parameters of a route
 * are noted on the way back from it.
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
