/**
 * Checks the head of a request: host and origin, then query and headers.
 *
 * Decides who may use the port at all (contract §0.1). Localhost is hostile, since every web page in the user's browser
 * can send requests to it. The Host check stops names rebound to loopback; the Origin check stops foreign pages.
 */
import type { IncomingMessage } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import { CONSOLE_HEADER } from '../contract/facts/credentials.ts';
import { LOOPBACK_HOSTS } from '../nouns/requests/facts.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { ID_PREFIX, withoutCredentials } from '../kernel/ids/ids.ts';
import type { EntityKind } from '../nouns/entities/service/index.ts';
import type { Call } from './call.ts';
import { isPageOrigin } from './cors.ts';
import { type AskedPath, nearestRoute } from './near-misses.ts';
import { ENTITY_ID, findRoute, type Match } from './router.ts';
import { NO_ENDPOINT } from '../contract/hints.ts';
import { nulIn } from '../contract/nul.ts';
import { requireValid } from '../contract/validity.ts';
import { nearest } from '../kernel/text/nearest.ts';
import { OPERATOR_HEADER, SEEN_HEADER } from '../nouns/access-log/facts.ts';
import { decodeOperator, OPERATOR_RULE } from '../contract/operator-name.ts';

// Explains a wrong user or business id in a path. The id itself is never repeated: it could be a value.

const FORMS = {
  user: { prefix: ID_PREFIX.user, pattern: /^fp_id_[0-9A-Za-z]{22}$/ },
  business: { prefix: ID_PREFIX.business, pattern: /^fp_bid_[0-9A-Za-z]{22}$/ },
} as const;

/** `not_found` for an unknown path, either because its id is malformed or with the nearest path as a suggestion. */
export function noEndpoint(asked: AskedPath): ServiceError {
  const kind = kindOfBadId(asked);
  if (kind !== undefined) return noSuchId(kind);
  return new ServiceError('not_found', NO_ENDPOINT, { meant: nearestRoute(asked) });
}

/** The words before the id of an entity in a path, and what has the id. */
const BEFORE_ID: ReadonlyMap<string | undefined, EntityKind | 'user or business'> = new Map([
  ['users', 'user'],
  ['owners', 'user'],
  ['businesses', 'business'],
  ['entities', 'user or business'],
]);

/** What has the id that belongs in this path; undefined unless a malformed id is the reason that no endpoint matches. */
function kindOfBadId({ method, url, words }: AskedPath): EntityKind | 'user or business' | undefined {
  const segments = url.replace(/\?.*/s, '').split('/');
  const at = segments.findIndex((id, index) => BEFORE_ID.has(segments[index - 1]) && !ENTITY_ID.test(id));
  const isPath = at > 0 && findRoute(method, segments.with(at, 'fp_x').join('/'), words).allowed().length > 0;
  return isPath ? BEFORE_ID.get(segments[at - 1]) : undefined;
}

/** `not_found` for a malformed id. */
function noSuchId(kind: EntityKind | 'user or business'): ServiceError {
  const prefix = kind === 'user or business' ? 'fp_id_ or fp_bid_' : FORMS[kind].prefix;
  const form = `${prefix} followed by 22 letters and digits`;
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
  if (!request.url?.startsWith('/')) throw invalid('The request target must be a path, not an absolute URL');
  if (countHeader(request, 'host') !== 1) throw invalid('Header host must be given exactly once');
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
  if (match.route?.endpoint.isOwnPageCall === true || request.headers[CONSOLE_HEADER] !== undefined) {
    guardConsole(request);
    return;
  }
  const origin = request.headers.origin;
  if (origin === undefined) {
    const isForeign = request.headers['sec-fetch-site'] === 'cross-site';
    const isLink =
      opensDownloadLink(request, match) || opensHostedPage(request, match) || opensConsole(request, match);
    if (!isForeign || isLink) return;
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

/** Whether a browser follows a link to the console: at the top of a window only, since no page may frame it. */
function opensConsole({ headers }: IncomingMessage, { route }: Match): boolean {
  return (
    route?.endpoint.isLinkedPage === true &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * Only the console's own page makes a call of a session (contract §11.1): its origin is the address that the request was
 * sent to, not another name or port of this machine. Browsers send no Origin with a read of the same origin.
 */
function guardConsole({ headers, method }: IncomingMessage): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  const isRead = method === 'GET' || method === 'HEAD';
  const isOwn =
    origin === undefined ? isRead : origin.toLowerCase() === `http://${headers.host?.toLowerCase()}`;
  if (isOwn && site === 'same-origin') return;
  throw new ServiceError('origin_refused', "Only the console's own page may call this");
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

// Reads query and headers by the schemas of the contract.

/** Converts the texts of a query to the types of their schema; unknown parameters are left out (contract §0.8). */
export function readQuery(
  schema: TSchema | undefined,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!schema) return values;
  for (const [name, expected] of Object.entries(schema['properties'] as Record<string, TSchema>)) {
    const text = query[name];
    // An empty parameter counts as absent.
    if (text === undefined || text === '') continue;
    if (typeof text !== 'string') {
      const form = isCommaList(expected) ? `: separate several with commas, as in ${name}=a,b` : '';
      throw invalid(`Query parameter ${name} is given more than once${form}`);
    }
    if (text.includes('\0')) throw nulIn(`Query parameter ${name}`);
    values[name] = typed(expected, text);
  }
  requireValid(schema, values, 'Query parameter');
  return values;
}

function isCommaList({ description }: TSchema): boolean {
  return description?.includes('comma') === true;
}

const LISTED_PARAMETERS = 5;
/** `fields[]` and `fields[0]`, as clients write lists. */
const IN_BRACKETS = /^([a-z_]{1,32})\[\d{0,3}\]$/;
const SHOWN_PARAMETER = /^[a-z_-]{1,32}$/i;

/**
 * A hint for each query parameter that is ignored (contract §0.8): a client that writes a list in another form would
 * otherwise get everything without a word. Shows only names that can't be a value.
 */
export function ignoredParameters(schema: TSchema | undefined, names: Iterable<string>): string[] {
  const known = (schema?.['properties'] ?? {}) as Record<string, TSchema>;
  const unknown = [...new Set(names)].filter((name) => name !== '' && !Object.hasOwn(known, name));
  const hints = unknown.map((name) => {
    const list = IN_BRACKETS.exec(name)?.[1] ?? '';
    const expected = Object.hasOwn(known, list) ? known[list] : undefined;
    if (expected) {
      const form = isCommaList(expected) ? `${list}=a,b, with commas` : `${list}=`;
      return `Query parameter ${name} is ignored: send ${form}`;
    }
    const near = nearest(name, Object.keys(known));
    const shown = SHOWN_PARAMETER.test(name) ? withoutCredentials(name) : '***';
    return `Query parameter ${shown} is unknown here and ignored${near === undefined ? '' : `: did you mean ${near}?`}`;
  });
  return [...new Set(hints)].slice(0, LISTED_PARAMETERS);
}

/** A text that doesn't convert stays as it is: the schema check then says what it must be. */
function typed(schema: TSchema, text: string): unknown {
  if (schema['type'] === 'integer') {
    if (isExactInteger(text)) return Number(text);
    // What is capped, or may be anything, is as large as can be.
    return schema['maximum'] === undefined && /^\d+$/.test(text) ? Number.MAX_SAFE_INTEGER : text;
  }
  if (schema['type'] === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function isExactInteger(text: string): boolean {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** The headers named by the schema, checked. */
export function readHeaders(
  schema: TSchema | undefined,
  headers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!schema) return values;
  for (const name of Object.keys(schema['properties'] as object)) {
    if (headers[name] !== undefined) values[name] = headers[name];
  }
  requireValid(schema, values, 'Header');
  return values;
}

// Reads the operator's name from the emulator's own header (contract §11).

/**
 * The operator of the console session, whatever the request says; else that of the header, and null when it is absent.
 * Throws `invalid_request`, which doesn't quote the header.
 */
export function readOperator({ request, session }: Pick<Call, 'request' | 'session'>): string | null {
  if (session) return session.operator;
  const operator = operatorIn(request);
  if (operator !== undefined) return operator;
  throw invalid(`Header ${OPERATOR_HEADER} must be one name in UTF-8, percent-encoded: ${OPERATOR_RULE}`);
}

/** The number in the header `x-kyclone-seen`; null when it is absent. Throws `invalid_request`. */
export function readSeen({ headers }: IncomingMessage): number | null {
  const given = headers[SEEN_HEADER];
  if (given === undefined) return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw invalid(`Header ${SEEN_HEADER} must be the number of an entry of the access log`);
}

/** As `readOperator`, but null for an invalid name, since the request is refused for another reason. */
export function operatorOfRefused({ request, session }: Pick<Call, 'request' | 'session'>): string | null {
  return (session ? session.operator : operatorIn(request)) ?? null;
}

/** Undefined for an invalid name, or more than one. */
function operatorIn(request: IncomingMessage): string | null | undefined {
  const given = request.headers[OPERATOR_HEADER];
  if (given === undefined) return null;
  const isRepeated = countHeader(request, OPERATOR_HEADER) > 1;
  return isRepeated || typeof given !== 'string' ? undefined : decodeOperator(given);
}
