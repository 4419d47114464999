/**
 * Decides who may use the port at all (contract §0.1). Localhost is hostile, since every web page in the user's browser
 * can send requests to it. The Host check stops names rebound to loopback; the Origin check stops foreign pages.
 */
import type { IncomingMessage } from 'node:http';
import { LOOPBACK_HOSTS } from '../contract/facts/requests.ts';
import { ServiceError } from '../kernel/errors.ts';
import { ID_PREFIX } from '../kernel/ids.ts';
import type { EntityKind } from '../resources/entities/index.ts';
import { isPageOrigin } from './cors.ts';
import { nearestRoute, type AskedPath } from './near-misses.ts';
import { type Match, ENTITY_ID, findRoute } from './router.ts';

// Explains a wrong user or business id in a path. The id itself is never repeated: it could be a value.

const FORMS = {
  user: { prefix: ID_PREFIX.user, pattern: /^fp_id_[0-9A-Za-z]{22}$/ },
  business: { prefix: ID_PREFIX.business, pattern: /^fp_bid_[0-9A-Za-z]{22}$/ },
} as const;

/** `not_found` for an unknown path, either because its id is malformed or with the nearest path as a suggestion. */
export function noEndpoint(asked: AskedPath): ServiceError {
  const kind = kindOfBadId(asked);
  if (kind !== undefined) return noSuchId(kind);
  return new ServiceError('not_found', 'No endpoint has this path', { meant: nearestRoute(asked) });
}

/**
 * The kind of entity whose id belongs in this path; undefined unless a malformed id is the reason that no endpoint
 * matches.
 */
function kindOfBadId({ method, url, words }: AskedPath): EntityKind | undefined {
  const [, family, id = '', rest = ''] = /^\/(users|businesses)\/([^/?]+)([^?]*)/.exec(url) ?? [];
  if (family === undefined || ENTITY_ID.test(id)) return undefined;
  const isPath = findRoute(method, `/${family}/fp_x${rest}`, words).allowed().length > 0;
  return isPath ? (family === 'users' ? 'user' : 'business') : undefined;
}

/** `not_found` for a malformed id. */
function noSuchId(kind: EntityKind): ServiceError {
  const form = `${FORMS[kind].prefix} followed by 22 letters and digits`;
  return new ServiceError('not_found', `The path has no id of a ${kind}, which is ${form}`);
}

/** `not_found` for an id that no entity of this kind has. `meant`: the same call for the other kind. */
export function noEntity(
  id: string,
  { kind, meant }: { kind: EntityKind; meant: string | undefined },
): ServiceError {
  const other = kind === 'user' ? 'business' : 'user';
  if (id.startsWith(FORMS[other].prefix)) {
    const message = `This path takes the id of a ${kind} (${FORMS[kind].prefix}…), not of a ${other} (${FORMS[other].prefix}…)`;
    return new ServiceError('not_found', message, { meant });
  }
  if (!FORMS[kind].pattern.test(id)) return noSuchId(kind);
  return new ServiceError('not_found', `No ${kind} has this id in this tenant and environment`, { meant });
}

export interface Served {
  readonly port: number;
  /** The address of --host, when it is not loopback. */
  readonly host: string | undefined;
  /** Names of the setting `hosts`. */
  readonly hosts: readonly string[];
  /** Origins of the setting `cors.origins`, for token endpoints. */
  readonly pageOrigins: readonly string[];
}

const HTTP_PORT = 80;

export function guardHost(request: IncomingMessage, served: Pick<Served, 'host' | 'hosts'>): void {
  if (!request.url?.startsWith('/')) {
    throw new ServiceError('invalid_request', 'The request target must be a path, not an absolute URL');
  }
  if (countHeader(request, 'host') !== 1) {
    throw new ServiceError('invalid_request', 'Header host must be given exactly once');
  }
  const authority = (request.headers.host ?? '').toLowerCase();
  if (!isServed(authority, served)) {
    const name = nameIn(authority) ?? '';
    const caller = CALLERS.get(name);
    const remedy =
      caller === undefined
        ? 'kyclone config set hosts NAME --now adds a name'
        : `${caller} calls this machine ${name}, which kyclone config set hosts ${name} --now adds`;
    throw new ServiceError(
      'misdirected_request',
      `Header host must be localhost, 127.0.0.1, [::1] or a name of the setting hosts, with any port: ${remedy}`,
    );
  }
}

/** Known callers that use these names for this machine. Nothing else of a refused header is repeated. */
const CALLERS: ReadonlyMap<string, string> = new Map([
  ['host.docker.internal', 'a container'],
  ['gateway.docker.internal', 'a container'],
  ['host.containers.internal', 'a container'],
  ['host.lima.internal', 'a virtual machine'],
  ['10.0.2.2', 'the emulator of an Android phone'],
  ['10.0.3.2', 'the emulator of an Android phone'],
]);

/** `match`: the requested endpoint determines which pages may call it. Throws `origin_refused`. */
export function guardOrigin(request: IncomingMessage, served: Served, match: Match): void {
  const origin = request.headers.origin;
  if (origin === undefined) {
    const isForeign = request.headers['sec-fetch-site'] === 'cross-site';
    if (!isForeign || opensDownloadLink(request, match) || opensHostedPage(request, match)) return;
    throw new ServiceError('origin_refused', 'A web page of another site may not call this');
  }
  if (match.letsPagesIn && isPageOrigin(origin, served.pageOrigins)) return;
  const prefix = 'http://';
  if (origin.startsWith(prefix) && isOwnOrigin(origin.slice(prefix.length).toLowerCase(), request, served))
    return;
  throw new ServiceError(
    'origin_refused',
    match.letsPagesIn
      ? 'A web page of this origin may not call this: the setting cors.origins admits it'
      : 'A web page of another origin may not call this: call it from your server, or use a client token',
  );
}

/**
 * Whether a browser follows a download link or shows it as an image. Any page may contain such a link, since its token
 * is the only credential it needs. A script can read neither.
 */
function opensDownloadLink({ headers }: IncomingMessage, { route }: Match): boolean {
  const auth = route?.endpoint.auth;
  if (auth?.kind !== 'token' || auth.place !== 'path') return false;
  return headers['sec-fetch-mode'] === 'navigate' || headers['sec-fetch-dest'] === 'image';
}

/**
 * Whether a browser follows a link to a hosted page or frames it. The page's own policy says which pages may frame it.
 */
function opensHostedPage({ headers }: IncomingMessage, { route }: Match): boolean {
  return route?.endpoint.isHostedPage === true && headers['sec-fetch-mode'] === 'navigate';
}

/** The name in front of an optional port; undefined for any other text. */
function nameIn(authority: string): string | undefined {
  return /^([^:]+|\[[^\]]*\])(?::\d{1,5})?$/.exec(authority)?.[1];
}

/**
 * A mapped port is any port, so the name decides alone: a web page can rebind its own name to loopback, but can't have a
 * loopback name or one of the settings.
 */
function isServed(authority: string, { host, hosts }: Pick<Served, 'host' | 'hosts'>): boolean {
  const name = nameIn(authority);
  return (
    name !== undefined &&
    (LOOPBACK_HOSTS.includes(name) || name === host || hosts.some((each) => each.toLowerCase() === name))
  );
}

/**
 * Whether a page of this authority is the instance's own: the one that the request was sent to, or another served name
 * with the listening port.
 */
function isOwnOrigin(authority: string, request: IncomingMessage, served: Served): boolean {
  if (authority === request.headers.host?.toLowerCase()) return true;
  const port = /:(\d+)$/.exec(authority)?.[1] ?? String(HTTP_PORT);
  return port === String(served.port) && isServed(authority, served);
}

function countHeader(request: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const header = request.rawHeaders[index];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
