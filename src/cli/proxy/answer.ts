/**
 * What POST /vault_proxy/jit answered, read back as the target's own answer (contract §3.3, response): a failure of the
 * target and a refusal of the proxy look alike on the wire, and only the first is the target's word.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { JSON_TYPE } from '../../contract/facts/requests.ts';
import type { BodyEncoding } from '../../contract/facts/vault.ts';
import {
  FORWARD_PREFIX,
  INGRESS_SKIPPED_HEADER,
  UPSTREAM_STATUS_HEADER,
} from '../../contract/facts/requests.ts';
import type { Exchange } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { losslessJson } from '../shell/json-text.ts';

const EXPLAIN = 'kyclone proxy explain';

/** The target's answer, as `proxy send --json` prints it. */
export interface TargetAnswer {
  /** The id of the call to the daemon, for `proxy explain`. */
  readonly request_id: string | null;
  readonly status: number;
  /** The target's own, by their own names; each cookie apart. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Numbers, from 1, of the ingress rules that selected nothing. */
  readonly ingress_skipped: readonly number[];
  readonly encoding: 'json' | BodyEncoding;
  readonly body: unknown;
}

/**
 * Whether this is what the target answered. The proxy names the target's status in its own failures too (an answer that
 * is too large, a value that isn't valid for its identifier): these come under a status of theirs, or, where it happens
 * to be the same, with a failure of the catalogue as body and none of the target's headers.
 */
export function isFromTarget(exchange: Exchange<Buffer>): boolean {
  const { status, headers } = exchange;
  if (status < 400) return true;
  if (headers[UPSTREAM_STATUS_HEADER] !== String(status)) return false;
  return Object.keys(headers).some((name) => name.startsWith(FORWARD_PREFIX)) || !isFailureOfDaemon(exchange);
}

/** As `isFromTarget`, for an answer that may have nothing to do with the proxy. */
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

export function targetAnswer(exchange: Exchange<Buffer>): TargetAnswer {
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

/** Names the command that explains a call step by step. */
export function explainHint(exchange: Exchange<Buffer>): string {
  return [EXPLAIN, requestId(exchange)].filter(Boolean).join(' ');
}

/** `302 from api.example.com, location: /b; kyclone proxy explain req_1`: a redirect is not followed, only reported. */
export function outcomeNote(exchange: Exchange<Buffer>, host: string): string {
  const { status, headers } = exchange;
  const location = headers[`${FORWARD_PREFIX}location`]?.toString();
  const whereTo = status >= 300 && status < 400 && location !== undefined ? `, location: ${location}` : '';
  return `${status} from ${host}${whereTo}; ${explainHint(exchange)}`;
}

/** The target was reached and says no. */
export function failureOfTarget(exchange: Exchange<Buffer>, host: string): CliError {
  return new CliError(`${host} answered ${exchange.status}`, {
    code: 'target_failed',
    exitCode: EXIT.failed,
    hint: explainHint(exchange),
    requestId: requestId(exchange),
  });
}

/** The host of a target URL, to name it by; what is no URL could hold anything. */
export function hostOf(target: string | undefined): string {
  return target !== undefined && URL.canParse(target) ? new URL(target).host : 'the target';
}

/** What the proxy itself refused or failed at; its hint leads to the explanation when there is one. */
export function refusalOfProxy(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.requestId === undefined || !isExplained(error)) return error;
  const { message, hint = EXPLAIN, ...failure } = describeFailure(error);
  const command = `${EXPLAIN} ${error.requestId}`;
  const text = hint.includes(EXPLAIN) ? hint.replace(EXPLAIN, command) : `${hint}; ${command}`;
  return new CliError(message, { ...failure, hint: text, cause: error });
}

/** Refused before the call reached the proxy: for its credential, its size, its type or its head. */
const BEFORE_THE_PROXY: ReadonlySet<number> = new Set([401, 405, 413, 415, 421, 431, 503]);

/** The refusal of a permission for tokens or rules has a context; that for the proxy as such has none. */
function isExplained({ status, context }: ApiError): boolean {
  return status === 403 ? context !== undefined : !BEFORE_THE_PROXY.has(status);
}

export function noProxyCall(message: string): CliError {
  const hint = 'x-request-id of an answer names the call; kyclone proxy send says it too';
  return new CliError(message, { code: 'not_found', exitCode: EXIT.notFound, hint });
}

function requestId({ headers }: Exchange<Buffer>): string | undefined {
  return headers['x-request-id']?.toString();
}

function ownHeaders(headers: IncomingHttpHeaders): TargetAnswer['headers'] {
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

/** Node joins what comes repeatedly under a name it doesn't know; a comma within a date has no `name=` behind it. */
function cookies(joined: string): readonly string[] {
  return joined.split(/, (?=[^\s;,=]+=)/);
}

/** JSON that would not come out as it went in stays the text that it is. */
function decodedBody({ headers, body }: Exchange<Buffer>): Pick<TargetAnswer, 'encoding' | 'body'> {
  if (!isUtf8(body)) return { encoding: 'base64', body: body.toString('base64') };
  const text = body.toString('utf8');
  const json = isOfJson(headers) ? losslessJson(text) : undefined;
  return json ? { encoding: 'json', body: json.value } : { encoding: 'utf8', body: text };
}

/** Whether the content type says JSON. */
export function isOfJson(headers: IncomingHttpHeaders): boolean {
  return JSON_TYPE.test(headers['content-type'] ?? '');
}
