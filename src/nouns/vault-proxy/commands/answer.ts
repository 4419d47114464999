/**
 * Reads the response of POST /vault_proxy/jit back as the target's own response (contract §3.3, response). A failure
 * of the target and a refusal of the proxy look alike on the wire, but only the first comes from the target.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { JSON_TYPE } from '../../requests/facts.ts';
import type { BodyEncoding } from '../../vault/facts.ts';
import { FORWARD_PREFIX, INGRESS_SKIPPED_HEADER, UPSTREAM_STATUS_HEADER } from '../../requests/facts.ts';
import type { Exchange } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { CliError, describeFailure } from '../../../cli/shell/failure.ts';
import { losslessJson } from '../../../cli/shell/json-text.ts';

const EXPLAIN = 'kyclone proxy explain';

/** The target's response, as `proxy send --json` prints it. */
export interface PrintedAnswer {
  /** The id of the call to the daemon, for `proxy explain`. */
  readonly request_id: string | null;
  readonly status: number;
  /** The target's own headers, under their own names; each cookie separately. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Numbers, from 1, of the ingress rules that selected nothing. */
  readonly ingress_skipped: readonly number[];
  readonly encoding: 'json' | BodyEncoding;
  readonly body: unknown;
}

/**
 * Whether the response comes from the target. The proxy reports the target's status in its own failures too, for
 * example when a response is too large or a value isn't valid for its identifier. Such a failure has a different
 * status; or, if the statuses happen to be equal, a catalogued error as its body and none of the target's headers, or
 * also the target's content type with the prefix, which an answer of the target has under its own name.
 */
export function isFromTarget(exchange: Exchange<Buffer>): boolean {
  const { status, headers } = exchange;
  if (status < 400) return true;
  if (headers[UPSTREAM_STATUS_HEADER] !== String(status)) return false;
  if (headers[`${FORWARD_PREFIX}content-type`] !== undefined) return false;
  return Object.keys(headers).some((name) => name.startsWith(FORWARD_PREFIX)) || !isFailureOfDaemon(exchange);
}

/** Like `isFromTarget`, for a response that may not come from the proxy at all. */
export function isTargetAnswer(exchange: Exchange<Buffer>): boolean {
  return exchange.headers[UPSTREAM_STATUS_HEADER] !== undefined && isFromTarget(exchange);
}

function isFailureOfDaemon(exchange: Exchange<Buffer>): boolean {
  const { encoding, body } = decodedBody(exchange);
  if (encoding !== 'json' || typeof body !== 'object' || body === null || !('code' in body)) return false;
  const { code } = body;
  return (
    typeof code === 'string' &&
    Object.hasOwn(ERRORS, code) &&
    ERRORS[code as ErrorCode].status === exchange.status
  );
}

export function targetAnswer(exchange: Exchange<Buffer>): PrintedAnswer {
  const { status, headers } = exchange;
  return {
    request_id: requestId(exchange) ?? null,
    status,
    headers: ownHeaders(headers),
    ingress_skipped: (headers[INGRESS_SKIPPED_HEADER]?.toString() ?? '')
      .split(',')
      .filter(Boolean)
      .map(Number),
    ...decodedBody(exchange),
  };
}

export function explainHint(exchange: Exchange<Buffer>): string {
  return [EXPLAIN, requestId(exchange)].filter(Boolean).join(' ');
}

/** `302 from api.example.com, location: /b; kyclone proxy explain req_1`: a redirect is reported and not followed. */
export function outcomeNote(exchange: Exchange<Buffer>, host: string): string {
  const { status, headers } = exchange;
  const location = headers[`${FORWARD_PREFIX}location`]?.toString();
  const whereTo = status >= 300 && status < 400 && location !== undefined ? `, location: ${location}` : '';
  return `${status} from ${host}${whereTo}; ${explainHint(exchange)}`;
}

export function failureOfTarget(exchange: Exchange<Buffer>, host: string): CliError {
  return new CliError(`${host} returned ${exchange.status}`, {
    code: 'target_failed',
    hint: explainHint(exchange),
    requestId: requestId(exchange),
  });
}

/** The host of a target URL, for messages. An invalid URL could contain anything, so it is not shown. */
export function hostOf(target: string | undefined): string {
  return target !== undefined && URL.canParse(target) ? new URL(target).host : 'the target';
}

/** Adds a hint to a refusal or failure of the proxy itself that leads to its explanation, if there is one. */
export function refusalOfProxy(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.requestId === undefined || !isExplained(error)) return error;
  const { message, hint = EXPLAIN, ...failure } = describeFailure(error);
  const command = `${EXPLAIN} ${error.requestId}`;
  const text = hint.includes(EXPLAIN) ? hint.replace(EXPLAIN, command) : `${hint}; ${command}`;
  return new CliError(message, { ...failure, hint: text, cause: error });
}

/** Statuses of calls that were refused before they reached the proxy: for their credential, size, type or head. */
const BEFORE_THE_PROXY: ReadonlySet<number> = new Set([401, 405, 413, 415, 421, 431, 503]);

/**
 * A refusal for missing token or rule permissions has a context; a refusal of the proxy permission itself has none.
 */
function isExplained({ status, context }: ApiError): boolean {
  return status === 403 ? context !== undefined : !BEFORE_THE_PROXY.has(status);
}

export function noProxyCall(message: string): CliError {
  const hint = 'x-request-id of the response identifies the call; kyclone proxy send shows it too';
  return new CliError(message, { code: 'not_found', hint });
}

function requestId({ headers }: Exchange<Buffer>): string | undefined {
  return headers['x-request-id']?.toString();
}

function ownHeaders(headers: IncomingHttpHeaders): PrintedAnswer['headers'] {
  const own: Record<string, string | readonly string[]> = {};
  const type = headers['content-type'];
  if (type !== undefined) own['content-type'] = type;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(FORWARD_PREFIX) || value === undefined) continue;
    const text = String(value);
    const ownName = name.slice(FORWARD_PREFIX.length);
    own[ownName] = ownName === 'set-cookie' ? cookies(text) : text;
  }
  return own;
}

/** Node joins repeated headers with names it doesn't know. A comma within a date is not followed by `name=`. */
function cookies(joined: string): readonly string[] {
  return joined.split(/, (?=[^\s;,=]+=)/);
}

/** JSON that would change when parsed and printed stays text. */
function decodedBody({ headers, body }: Exchange<Buffer>): Pick<PrintedAnswer, 'encoding' | 'body'> {
  if (!isUtf8(body)) return { encoding: 'base64', body: body.toString('base64') };
  const text = body.toString('utf8');
  const json = isOfJson(headers) ? losslessJson(text) : undefined;
  return json ? { encoding: 'json', body: json.value } : { encoding: 'utf8', body: text };
}

export function isOfJson(headers: IncomingHttpHeaders): boolean {
  return JSON_TYPE.test(headers['content-type'] ?? '');
}
