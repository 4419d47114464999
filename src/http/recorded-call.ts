/**
 * A finished request as a recording stores it: with its values, without its credential. Secrets that a control call
 * creates or receives are left out, since a replay gets its own secrets.
 */
import { defined } from '../kernel/defined.ts';
import {
  LOOKS_ON,
  NEVER_RECORDED,
  RECORDED_PARAMETERS,
  SECRET_MEMBERS,
} from '../contract/facts/recording.ts';
import { CLIENT_TOKEN_HEADER, CREDENTIAL_HEADERS } from '../contract/facts/credentials.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { RecordedCall } from '../resources/recording/index.ts';
import type { Call } from './call.ts';

/** The server did not read the bodies of these requests. */
const UNREAD_STATUSES: ReadonlySet<number> = new Set([413, 415]);

/** Whether a recording includes the request: it calls an endpoint that does more than inspect. */
export function isPartOfSession({ endpoint }: Call): boolean {
  return endpoint !== undefined && !LOOKS_ON.test(endpoint.key);
}

/**
 * Undefined for calls that a fixture can't contain: files, bodies that are not JSON, and secrets of the vault's own
 * keys.
 */
export function recordedCall(call: Call, status: number): RecordedCall | undefined {
  const { endpoint, caller, requestBody, responseBody } = call;
  if (!endpoint || endpoint.takesFile || endpoint.takesAnyBody || endpoint.produces !== undefined)
    return undefined;
  if (NEVER_RECORDED.test(endpoint.key) || UNREAD_STATUSES.has(status) || call.method === 'HEAD')
    return undefined;
  const path = pathWithoutQuery(call.url, endpoint, status);
  if (path === undefined) return undefined;
  const secrets = SECRET_MEMBERS[endpoint.key] ?? [];
  const token = call.headers[CLIENT_TOKEN_HEADER];
  const isByToken = caller?.kind === 'client_token' && typeof token === 'string';
  const recorded = defined({
    method: call.method,
    path,
    headers: readHeaders(call, endpoint),
    body: requestBody === undefined ? undefined : without(requestBody, secrets),
    caller: callerOf(call, status),
    tenant: caller?.tenant ?? null,
    key_id: caller?.kind === 'api_key' ? caller.id : undefined,
    token: isByToken ? token : undefined,
    status,
  });
  return { ...recorded, response: without(responseBody ?? null, secrets) };
}

const KEPT_PARAMETERS: ReadonlySet<string> = new Set(RECORDED_PARAMETERS);

/**
 * A query may contain any value, so only the parameters in `RECORDED_PARAMETERS` are kept. Undefined when the call
 * would have another result without the rest.
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

/** The headers that the endpoint declares; it never declares a credential. */
function readHeaders(call: Call, { headers }: Endpoint): Record<string, string> {
  const names = Object.keys((headers?.['properties'] as object | undefined) ?? {});
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = call.headers[name];
      return typeof text === 'string' && !CREDENTIALS.has(name) ? [[name, text]] : [];
    }),
  );
}

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_HEADERS);

function callerOf({ endpoint, caller }: Call, status: number): RecordedCall['caller'] {
  if (caller?.kind === 'client_token') return 'token';
  if (caller) return caller.environment === 'live' ? 'live_key' : 'key';
  return endpoint?.auth.kind === 'control' && status !== 401 ? 'control' : 'none';
}

function without(body: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
