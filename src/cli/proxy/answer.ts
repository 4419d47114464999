/**
 * What POST /vault_proxy/jit answered, read back as the target's own answer (contract §3.3, response): a failure of the
 * target and a refusal of the proxy look alike on the wire, and only the first is the target's word.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { losslessJson } from '../shell/json-text.ts';

const FORWARDED = 'x-fp-proxy-fwd-';
const STATUS = 'x-fp-proxy-upstream-status-code';
const SKIPPED = 'x-fp-proxy-ingress-skipped';
const EXPLAIN = 'kyclone proxy explain';

/** The target's answer, as `proxy send --json` prints it. */
export interface TargetAnswer {
  /** Of the call to the daemon, for `proxy explain`. */
  readonly request_id: string | null;
  readonly status: number;
  /** The target's own, by their own names; each cookie apart. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Numbers, from 1, of the ingress rules that selected nothing. */
  readonly ingress_skipped: readonly number[];
  readonly encoding: 'json' | 'utf8' | 'base64';
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
  if (headers[STATUS] !== String(status)) return false;
  return Object.keys(headers).some((name) => name.startsWith(FORWARDED)) || !isFailureOfDaemon(exchange);
}

/** As `isFromTarget`, for an answer that may have nothing to do with the proxy. */
export function isTargetAnswer(exchange: Exchange<Buffer>): boolean {
  return exchange.headers[STATUS] !== undefined && isFromTarget(exchange);
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
    ingress_skipped: (headers[SKIPPED]?.toString() ?? '').split(',').filter(Boolean).map(Number),
    ...decodedBody(exchange),
  };
}

/** Names the command that tells a call step by step. */
export function explainHint(exchange: Exchange<Buffer>): string {
  return [EXPLAIN, requestId(exchange)].filter(Boolean).join(' ');
}

/** `302 from api.example.com, location: /b; kyclone proxy explain req_1`: a redirect is not followed, only told of. */
export function outcomeNote(exchange: Exchange<Buffer>, host: string): string {
  const { status, headers } = exchange;
  const location = headers[`${FORWARDED}location`]?.toString();
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
  const told = hint.includes(EXPLAIN) ? hint.replace(EXPLAIN, command) : `${hint}; ${command}`;
  return new CliError(message, { ...failure, hint: told, cause: error });
}

/** Refused before the call came to the proxy: for its credential, its size, its type or its head. */
const BEFORE_THE_PROXY: ReadonlySet<number> = new Set([401, 405, 413, 415, 421, 431, 503]);

/** A permission that is lacking for tokens or rules is told with its context; for the proxy as such, without one. */
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
    if (!name.startsWith(FORWARDED) || value === undefined) continue;
    const text = String(value);
    const ownName = name.slice(FORWARDED.length);
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
  return /^application\/(?:[\w.+-]+\+)?json\b/.test(headers['content-type'] ?? '');
}
