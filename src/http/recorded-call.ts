/**
 * A finished request as a recording keeps it: with its values, without its credential. What a control call makes or
 * takes as a secret is not in it: whoever replays the recording gets secrets of their own.
 */
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { RecordedCall } from '../resources/recording/index.ts';
import type { Call } from './call.ts';

/** Control calls whose secrets stay out, by member. */
const SECRET_MEMBERS: Readonly<Partial<Record<EndpointKey, readonly string[]>>> = {
  'POST /_kyclone/api-keys': ['key'],
  'POST /_kyclone/proxies': ['secret_headers', 'client_identity'],
  'PATCH /_kyclone/proxies/{id}': ['secret_headers', 'client_identity'],
  'POST /_kyclone/webhooks': ['secret'],
  'POST /_kyclone/webhooks/{id}/rotate': ['secret'],
};
/**
 * Nothing of these is kept: keys of the vault, credentials of a partner; and what throws a whole state away, which
 * nobody expects of a fixture. Nor of rules for faults: what they strike is in no recording, so that the fixture tells
 * what the API does, and passes where it does so.
 */
const LEFT_OUT =
  /^\w+ \/(?:_kyclone\/(?:faults|keyring|reset|snapshots)|users\/\{fp_id\}\/integrations\/\{partner_b\})/;
const ASIDE = /^(?:GET \/_kyclone\/|\w+ \/_kyclone\/recording$)/;
/** What a body would have been is not known of these. */
const UNREAD_STATUSES: ReadonlySet<number> = new Set([413, 415]);

/** Whether a request is one that a recording tells of: an endpoint's, and not of somebody who only looks on. */
export function isPartOfSession({ endpoint }: Call): boolean {
  return endpoint !== undefined && !ASIDE.test(endpoint.key);
}

/** Undefined for what a fixture cannot hold: files, bodies that are no JSON, and secrets of the vault's own keys. */
export function recordedCall(call: Call, status: number): RecordedCall | undefined {
  const { endpoint, caller, requestBody, responseBody } = call;
  if (!endpoint || endpoint.takesFile || endpoint.takesAnyBody || endpoint.produces !== undefined)
    return undefined;
  if (LEFT_OUT.test(endpoint.key) || UNREAD_STATUSES.has(status) || call.method === 'HEAD') return undefined;
  const path = pathWithoutQuery(call.url, endpoint, status);
  if (path === undefined) return undefined;
  const secrets = SECRET_MEMBERS[endpoint.key] ?? [];
  const token = call.headers['x-fp-authorization'];
  const isByToken = caller?.kind === 'client_token' && typeof token === 'string';
  return {
    method: call.method,
    path,
    headers: readHeaders(call, endpoint),
    ...(requestBody !== undefined && { body: without(requestBody, secrets) }),
    caller: callerOf(call, status),
    tenant: caller?.tenant ?? null,
    ...(caller?.kind === 'api_key' && { key_id: caller.id }),
    ...(isByToken && { token }),
    status,
    response: without(responseBody ?? null, secrets),
  };
}

/** Where a control call goes, and nothing that a person could be found by. */
const KEPT_PARAMETERS: ReadonlySet<string> = new Set(['tenant', 'environment']);

/**
 * A query may hold anything, and stays out but for the words that say which tenant a control call is about. Undefined
 * when the call would come to something else without it.
 */
function pathWithoutQuery(url: string, { query }: Endpoint, status: number): string | undefined {
  const mark = url.indexOf('?');
  if (mark === -1) return url;
  const path = url.slice(0, mark);
  const given = [...new URLSearchParams(url.slice(mark))];
  const known = (query?.['properties'] ?? {}) as object;
  const kept = given.filter(([name]) => KEPT_PARAMETERS.has(name) && Object.hasOwn(known, name));
  const required = (query?.['required'] ?? []) as readonly string[];
  if (kept.length < given.length && (status >= FIRST_FAILURE_STATUS || required.length > 0)) return undefined;
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}

const FIRST_FAILURE_STATUS = 400;

/** Those that the endpoint names; of credentials it names none. */
function readHeaders(call: Call, { headers }: Endpoint): Record<string, string> {
  const names = Object.keys((headers?.['properties'] as object | undefined) ?? {});
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = call.headers[name];
      return typeof text === 'string' && !CREDENTIALS.has(name) ? [[name, text]] : [];
    }),
  );
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-fp-authorization', 'cookie']);

function callerOf({ endpoint, caller }: Call, status: number): RecordedCall['caller'] {
  if (caller?.kind === 'client_token') return 'token';
  if (caller) return caller.environment === 'live' ? 'live_key' : 'key';
  return endpoint?.auth.kind === 'control' && status !== 401 ? 'control' : 'none';
}

function without(body: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
