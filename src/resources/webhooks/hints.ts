/** Explains the failure of an attempt, with a remedy. Pure. */
import { durationText } from '../../kernel/duration-text.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import type { FailureKind } from '../../outbound/index.ts';
import { TOLERANCE_MS } from './verdict.ts';

/** An attempt without a complete response. */
export interface NoReceiverAnswer {
  readonly kind: FailureKind;
  readonly message: string;
  /** The code of the underlying system error, such as ECONNREFUSED. */
  readonly code: string | undefined;
  /** Whether the failure happened after the connection was established. */
  readonly wasConnected: boolean;
}

/** Statuses by which receivers refuse a signature or its time. */
const CHECKS_SIGNATURES: ReadonlySet<number> = new Set([400, 401, 403]);

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The receiver did not accept it: if it checks the signature, it must do so over the raw bytes of the body',
  401: 'The receiver refused it: does it verify with the secret of this endpoint, over the raw bytes of the body?',
  403: 'The receiver refused it: does it verify with the secret of this endpoint, over the raw bytes of the body?',
  404: 'Nothing answers at this path: is the path of the URL right?',
  405: 'The path is there but takes no POST',
  410: 'The receiver says that this path is gone: disable or delete the endpoint if it is',
  415: 'The receiver takes no application/json',
  429: 'The receiver wants fewer at a time',
};

/** Undefined for a success. `aheadMs`: by how much the signature's timestamp was ahead of the real time. */
export function hintForStatus(status: number, aheadMs: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (CHECKS_SIGNATURES.has(status) && Math.abs(aheadMs) > TOLERANCE_MS) {
    const seconds = Math.round(aheadMs / SECOND_MS) * SECOND_MS;
    return (
      `The receiver did not accept it: its timestamp is ${durationText(seconds)} ${aheadMs < 0 ? 'behind' : 'ahead of'} ` +
      'the real time, since webhooks.timestamp is clock, and receivers take five minutes'
    );
  }
  if (status < 200) return 'The receiver wants another protocol here: is the URL that of a WebSocket?';
  if (status > 599) return 'The receiver sent an invalid HTTP status';
  if (status < 400) return 'Redirects are failures and never followed: register the final URL';
  if (status >= 500) return 'The receiver failed: its own log says why';
  return BY_STATUS[status] ?? 'The receiver did not accept it';
}

/** `url`: of the endpoint. */
export function hintForNoAnswer(
  failure: NoReceiverAnswer,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): string {
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
  const { kind, code } = failure;
  if (kind === 'refused') return 'Not sent: change egress.policy, or the URL of the endpoint';
  if (kind === 'timeout') {
    return `No answer within ${timeoutMs / 1000} s: a receiver should answer first and work afterwards`;
  }
  if (kind === 'too_large') return 'The response is too large: only its status is needed';
  if (code === 'ECONNREFUSED') return `Nothing listens at ${place}: is the receiver running?`;
  if (/speaks TLS, but the URL says http/.test(failure.message)) return 'Register the https URL';
  if (/speaks no TLS/.test(failure.message)) return 'Register the http URL';
  if (!failure.wasConnected) return `${place} can't be reached from here: is the host of the URL right?`;
  if (url.protocol === 'https:' && code !== 'ECONNRESET' && code !== 'EPIPE') {
    return "The connection isn't trusted or broke in TLS: for a certificate of your own add its root to egress.extra_roots";
  }
  return 'The receiver closed the connection without an answer: did it crash?';
}
