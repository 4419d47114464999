/**
 * What POST /vault_proxy/jit answered, read back as the target's own answer (contract §3.3, response): a failure of the
 * target and a refusal of the proxy look alike on the wire, and only the first is the target's word.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '../client/client.ts';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';

const FORWARDED = 'x-fp-proxy-fwd-';
const STATUS = 'x-fp-proxy-upstream-status-code';
const SKIPPED = 'x-fp-proxy-ingress-skipped';

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
  return ['kyclone proxy explain', requestId(exchange)].filter(Boolean).join(' ');
}

/** The target was reached and says no. */
export function failureOfTarget(message: string, hint: string): CliError {
  return new CliError(message, { code: 'target_failed', exitCode: EXIT.failed, hint });
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

function decodedBody({ headers, body }: Exchange<Buffer>): Pick<TargetAnswer, 'encoding' | 'body'> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return { encoding: 'base64', body: body.toString('base64') };
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(headers['content-type'] ?? '')) {
    return { encoding: 'utf8', body: text };
  }
  try {
    return { encoding: 'json', body: JSON.parse(text) as unknown };
  } catch {
    return { encoding: 'utf8', body: text };
  }
}
