/** Records a request when it ends, whatever the result. */
import type { RecordedCall, Recorder } from '../nouns/recording/service.ts';
import { type Journal, type JournalEntry, maskedAnswer, maskedRequest } from '../nouns/requests/service.ts';
import type { Call } from './call.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ID_PREFIX, withoutCredentials } from '../kernel/ids/ids.ts';
import type { JsonValue } from '../kernel/text/json.ts';
import { describeIdentifier, maskFile } from '../vault/identifiers/index.ts';
import { realTime } from '../kernel/time/real-time.ts';
import { ignoredParameters } from './request-head.ts';
import { defined } from '../kernel/defined.ts';
import { LOOKS_ON, NEVER_RECORDED, RECORDED_PARAMETERS, SECRET_MEMBERS } from '../nouns/recording/facts.ts';
import { CLIENT_TOKEN_HEADER, CREDENTIAL_HEADERS } from '../contract/facts/credentials.ts';

export interface RequestLog {
  readonly journal: Journal;
  readonly recorder: Recorder;
  /** One line for each request, allow-listed fields only (docs/architecture.md#daemon). */
  readonly log: (line: Readonly<Record<string, string | number | null | undefined>>) => void;
}

/** Writes to the journal, the log, and the recording if there is one; once for each call. */
export function logRequest(context: RequestLog, call: Call, status: number): void {
  if (call.isLogged) return;
  call.isLogged = true;
  try {
    record(context, call, status);
  } catch (error) {
    // Nothing awaits this function: a failure here must not end the daemon.
    context.log({
      level: 'error',
      request_id: call.id,
      status,
      code: 'internal_error',
      failure: traceOf(error),
    });
  }
}

function record(context: RequestLog, call: Call, status: number): void {
  const entry = journalEntry(call, status);
  context.journal.add(entry, call.sender);
  if (context.recorder.isRecording && isPartOfSession(call)) context.recorder.add(recordedCall(call, status));
  context.log({
    level: status >= 500 ? 'error' : 'info',
    request_id: entry.id,
    method: entry.method,
    route: entry.route,
    status,
    code: entry.code,
    ms: entry.ms,
    key_id: entry.key_id,
    token_id: entry.token_id,
    failure: status >= 500 && call.fault === undefined ? traceOf(call.failure) : undefined,
  });
}

/** The stack of a failure, without its message, which could contain anything. */
function traceOf(failure: unknown): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  const cause = failure.cause instanceof Error ? failure.cause : failure;
  const frames = cause.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [cause.name, ...(frames ?? []).slice(0, 12).map((line) => line.trim())].join(' | ');
}

// Prepares the journal's view of a request: our own words and ids, and masks of everything else (contract §11).

/** The journal's entry for a finished request: no value, no credential, no query value (contract §11). */
function journalEntry(call: Call, status: number): JournalEntry {
  const { endpoint, caller, upload, download } = call;
  const entry: JournalEntry = {
    id: call.id,
    at: call.at,
    method: call.method,
    path: maskedPath(call.url),
    route: call.route?.template ?? null,
    status,
    code: call.code ?? null,
    ms: Math.round((realTime.elapsed() - call.startedAt) * 1000) / 1000,
    tenant: caller?.tenant ?? null,
    environment: caller?.environment ?? null,
    request: upload
      ? maskFile(shownType(upload.contentType, endpoint), upload.bytesRead)
      : maskedRequest(call.requestBody),
    response: download
      ? maskFile(shownType(download.contentType, endpoint), download.bytes)
      : (call.shownResponse ?? shownAnswer(call)),
    faults: call.fault === undefined ? [] : [call.fault],
  };
  const meant = call.failure?.meant;
  const hints = [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(call.repeatedMember === undefined
      ? []
      : [`Member ${call.repeatedMember} stands more than once in one object: the last one counts`]),
    ...(endpoint ? ignoredParameters(endpoint.query, queryNames(call.url)) : []),
  ];
  if (hints.length > 0) entry.hint = hints.join(' ');
  if (caller?.kind === 'api_key') entry.key_id = caller.id;
  else if (caller) entry.token_id = caller.id;
  if (call.session) entry.operator = call.session.operator;
  return entry;
}

function queryNames(url: string): Iterable<string> {
  const mark = url.indexOf('?');
  return mark === -1 ? [] : new URLSearchParams(url.slice(mark)).keys();
}

/** The response body as the journal shows it. */
export function shownAnswer({ endpoint, code, responseBody }: Call): JsonValue {
  // A failure holds names only (contract §0.5).
  const holdsValues = endpoint?.carriesVaultData === true && code === undefined;
  return maskedAnswer(responseBody, { holdsValues });
}

/** A file's type comes from a target or a caller and could be any text, so only common types are shown. */
function shownType(contentType: string, endpoint: Endpoint | undefined): string {
  return !endpoint?.takesAnyBody || COMMON_TYPE.test(contentType) ? contentType : '***';
}

const COMMON_TYPE =
  /^(?:application\/(?:json|xml|pdf|zip|gzip|octet-stream|javascript|x-www-form-urlencoded|(?:problem|hal|ld)\+json)|text\/(?:plain|html|css|csv|xml|javascript)|image\/(?:png|jpeg|gif|webp|svg\+xml)|multipart\/form-data)\s*(?:;|$)/i;

/** The path in a form that may be stored: our own words and ids. Any other segment could be a key or a value. */
export function maskedPath(url: string): string {
  const mark = url.indexOf('?');
  const whole = mark === -1 ? url : url.slice(0, mark);
  const path = SHOWN_PATH.test(whole) ? whole : whole.split('/').map(shownOrMasked).join('/');
  if (mark === -1) return path;
  const names = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => `${shownOrMasked(pair.split('=')[0] ?? '')}=***`);
  return `${path}?${names.join('&')}`;
}

function shownOrMasked(word: string): string {
  return SHOWN_WORD.test(word) ? word : describeIdentifier(word) ? withoutCredentials(word) : '***';
}

const ID_PREFIXES = [...Object.values(ID_PREFIX), 'slot_'].join('|');
/**
 * An empty segment, a word as paths have them (mistyped ones too, so that they can be found), or an id with its prefix.
 */
const SHOWN_WORD = new RegExp(`^(?:|[a-z_-]{1,32}|openapi\\.json|(?:${ID_PREFIXES})[0-9A-Za-z]{1,32})$`);
/**
 * Nearly every path: words, and ids with a digit or a capital. Without that an id could be read as a word as well, and
 * a path of such ids in two to the power of their number ways.
 */
const SHOWN_PATH = new RegExp(
  `^(?:/(?:|[a-z_-]{1,32}|(?:${ID_PREFIXES})(?=[0-9A-Za-z]{1,32}(?:/|$))[a-z]*[0-9A-Z][0-9A-Za-z]*))*$`,
);

// A finished request as a recording stores it: with its values, without its credential. Secrets that a control call
// creates or receives are left out, since a replay gets its own secrets.

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
function recordedCall(call: Call, status: number): RecordedCall | undefined {
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
