/** One attempt to deliver an event to an endpoint (contract §9.1): checks, signs and sends it. Stores nothing. */
import { durationText } from '../../../kernel/time/duration.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import { beginDeadline, OutboundFailure } from '../../../outbound/index.ts';
import { isSuccess, TOLERANCE_MS } from '../facts.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { findWebhook, secretsOf, type WebhookRow } from './endpoints.ts';
import { bodyOf, type WebhooksContext } from './events.ts';
import { keyOf, newSecret, signatures, signedHeaders } from './signing.ts';
import { type AttemptResult, type DeliveryTampering, isDropped } from './verdict.ts';

// Explains the failure of an attempt, with a remedy. Pure.

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
function hintForStatus(status: number, aheadMs: number): string | undefined {
  if (isSuccess(status)) return undefined;
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

/** For an attempt without a complete response. `url`: of the endpoint. */
function hintForNoAnswer({ kind, message, cause, connection }: OutboundFailure, url: URL, timeoutMs: number) {
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
  /** The underlying system error's, such as ECONNREFUSED. */
  const code = (cause as { code?: string } | undefined)?.code;
  if (kind === 'refused') return 'Not sent: change egress.policy, or the URL of the endpoint';
  if (kind === 'timeout') {
    return `No answer within ${timeoutMs / 1000} s: a receiver should answer first and work afterwards`;
  }
  if (kind === 'too_large') return 'The response is too large: only its status is needed';
  if (code === 'ECONNREFUSED') return `Nothing listens at ${place}: is the receiver running?`;
  if (/speaks TLS, but the URL says http/.test(message)) return 'Register the https URL';
  if (/speaks no TLS/.test(message)) return 'Register the http URL';
  if (/no HTTP\/1\.1/.test(message))
    return `What answers at ${place} is no HTTP/1.1: is the port of the URL right?`;
  if (connection === undefined) return `${place} can't be reached from here: is the host of the URL right?`;
  if (url.protocol === 'https:' && code !== 'ECONNRESET' && code !== 'EPIPE') {
    return "The connection isn't trusted or broke in TLS: for a certificate of your own add its root to egress.extra_roots";
  }
  return 'The receiver closed the connection without an answer: did it crash?';
}

export const ATTEMPT_TIMEOUT_MS = 15 * SECOND_MS;
/** Only the status matters; the rest of a response is neither stored nor waited for. */
const ANSWER_LIMIT_BYTES = 64 * 1024;
const USER_AGENT = 'service-webhooks/1';

/** Never throws. Undefined when `givenUp` aborted first: the result is unknown, and the attempt must be repeated. */
export type Attempt = (delivery: DueDelivery, givenUp: AbortSignal) => Promise<AttemptResult | undefined>;

export function createAttempt(context: WebhooksContext): Attempt {
  const { queue, clock, settings, outbound, privateValues, timeoutMs = ATTEMPT_TIMEOUT_MS } = context;

  function keysOf(webhook: WebhookRow, tampering: DeliveryTampering): Uint8Array[] {
    const secrets =
      tampering.bad_signature === true
        ? [newSecret()]
        : secretsOf(webhook, { now: clock.now(), privateValues });
    return secrets.map((secret) => keyOf(secret) ?? failWith('a stored secret is none'));
  }

  const now = () => (settings.current.webhooks.timestamp === 'clock' ? clock.now() : clock.realNow());
  const aheadMs = (seconds: number) => seconds * SECOND_MS - clock.realNow();

  function answered(status: number, ms: number, seconds: number): Unsigned {
    const hint = hintForStatus(status, aheadMs(seconds)) ?? null;
    return { isAccepted: isSuccess(status), response_status: status, error: null, ms, hint };
  }

  function failed(error: unknown, url: string, seconds: number): Unsigned {
    if (!(error instanceof OutboundFailure)) {
      const isDamaged = error instanceof ServiceError && error.code === 'vault_damaged';
      const words = isDamaged ? error.message : 'Something went wrong inside; nothing was sent';
      return { isAccepted: false, response_status: null, error: words, ms: 0, hint: null };
    }
    const { status = null, message, msTotal: ms } = error;
    // The head is sufficient: errors in the body after it don't matter.
    if (status !== null && isSuccess(status)) return answered(status, ms, seconds);
    const hint =
      (status === null ? undefined : hintForStatus(status, aheadMs(seconds))) ??
      hintForNoAnswer(error, new URL(url), timeoutMs);
    return { isAccepted: false, response_status: status, error: message, ms, hint };
  }

  return async ({ event: id, ...delivery }, givenUp) => {
    const tampering = readTampering(delivery.tampering);
    if (isDropped(delivery.attempts + 1, tampering)) return DROPPED;
    const seconds = Math.floor((now() + (tampering.skew_ms ?? 0)) / SECOND_MS);
    const { signal, end } = beginDeadline(timeoutMs, givenUp);
    let url = '';
    let signature: string | undefined;
    try {
      // Throws `vault_damaged` when another program has changed the endpoint.
      const webhook = findWebhook(queue.database, delivery.webhook) ?? failWith('the endpoint is gone');
      ({ url } = webhook);
      const { egress, vocabulary } = settings.current;
      const destination = await outbound.admit(new URL(url), egress.policy, signal);
      const body = bodyOf(privateValues, { id, body: delivery.body });
      signature = signatures(keysOf(webhook, tampering), { id, seconds, body });
      const request = {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          ...signedHeaders({ id, seconds, signature }, vocabulary.webhook_style),
        },
        body: Buffer.from(body, 'utf8'),
        tls: { pins: [], extraRoots: egress.extra_roots },
      };
      const answer = await outbound.send(destination, request, { signal, maxBodyBytes: ANSWER_LIMIT_BYTES });
      return { ...answered(answer.status, answer.msTotal, seconds), ...sentSignature(seconds, signature) };
    } catch (error) {
      const result = failed(error, url, seconds);
      if (givenUp.aborted && !result.isAccepted) return undefined;
      return { ...result, ...(wasSent(error) ? sentSignature(seconds, signature) : NOTHING_SENT) };
    } finally {
      end();
    }
  };
}

type Signature = Pick<AttemptResult, 'webhook_timestamp' | 'webhook_signature'>;
type Unsigned = Omit<AttemptResult, keyof Signature>;

const NOTHING_SENT: Signature = { webhook_timestamp: null, webhook_signature: null };

function sentSignature(seconds: number, signature: string | undefined): Signature {
  return signature === undefined
    ? NOTHING_SENT
    : { webhook_timestamp: seconds, webhook_signature: signature };
}

function wasSent(error: unknown): boolean {
  return error instanceof OutboundFailure && error.connection?.wasSent === true;
}

const DROPPED: AttemptResult = {
  ...NOTHING_SENT,
  isAccepted: false,
  response_status: null,
  error: 'dropped on purpose',
  ms: 0,
  hint: 'Lost on its way on purpose: the next attempt follows by the schedule',
};

export function readTampering(text: string | null): DeliveryTampering {
  return text === null ? {} : (JSON.parse(text) as DeliveryTampering);
}

function failWith(message: string): never {
  throw new Error(message);
}
