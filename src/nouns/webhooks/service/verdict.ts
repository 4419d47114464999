/** The effect of an attempt on its delivery (contract §9.1). Pure. */
import type { Static } from '@sinclair/typebox';
import { RETRIES_AFTER_MS, TOLERANCE_MS, type DeliveryStatus } from '../facts.ts';
import type { Tampering } from '../endpoints/index.ts';

/** The deliberate irregularities of one delivery, in the form stored in its row. */
export interface DeliveryTampering extends Pick<
  Static<typeof Tampering>,
  'bad_signature' | 'skew_ms' | 'drop_first'
> {
  /** Not started while another delivery to its endpoint is in flight, since the order is under test. */
  readonly serial?: boolean;
}

export interface AttemptResult {
  readonly isAccepted: boolean;
  readonly response_status: number | null;
  /** Why there was no complete response. */
  readonly error: string | null;
  /** Milliseconds of real time. */
  readonly ms: number;
  readonly hint: string | null;
  /** The header that was sent, in Unix seconds; null if nothing was. */
  readonly webhook_timestamp: number | null;
  /** Likewise. */
  readonly webhook_signature: string | null;
}

export interface Verdict {
  readonly status: DeliveryStatus;
  /** Milliseconds until the next attempt; null when there is none. */
  readonly retryAfterMs: number | null;
  readonly hint: string | null;
  /** Whether the endpoint is at fault: a deliberate failure, or one before the endpoint was reached, doesn't count. */
  readonly isEndpointFailing: boolean;
}

/** `attempt`: its number, from 1. */
export function judge(attempt: number, result: AttemptResult, tampering: DeliveryTampering): Verdict {
  if (isProbe(tampering)) return judgeProbe(result, tampering);
  if (result.isAccepted) {
    return { status: 'delivered', retryAfterMs: null, hint: result.hint, isEndpointFailing: false };
  }
  const retryAfterMs = RETRIES_AFTER_MS[attempt - 1] ?? null;
  return {
    status: retryAfterMs === null ? 'failed' : 'pending',
    retryAfterMs,
    hint: result.hint,
    isEndpointFailing: !isDropped(attempt, tampering),
  };
}

export function isDropped(attempt: number, { drop_first }: DeliveryTampering): boolean {
  return drop_first === true && attempt === 1;
}

/** Whether the receiver should refuse it; such a delivery has only one attempt. */
function isProbe({ bad_signature, skew_ms }: DeliveryTampering): boolean {
  return bad_signature === true || skew_ms !== undefined;
}

function judgeProbe(result: AttemptResult, tampering: DeliveryTampering): Verdict {
  const hasAnswered = result.response_status !== null;
  return {
    status: result.isAccepted ? 'delivered' : 'failed',
    retryAfterMs: null,
    hint: result.isAccepted ? acceptedHint(tampering) : hasAnswered ? refusedHint(tampering) : result.hint,
    isEndpointFailing: false,
  };
}

function acceptedHint({ bad_signature, skew_ms = 0 }: DeliveryTampering): string {
  if (bad_signature === true) return "the receiver accepted a bad signature: it doesn't verify";
  if (Math.abs(skew_ms) <= TOLERANCE_MS) {
    return `the receiver accepted a timestamp ${Math.abs(skew_ms) / 1000} s off, which most do up to 300 s`;
  }
  return `the receiver accepted ${skew_ms < 0 ? 'an old' : 'a future'} timestamp: anyone who saw the event can send it again`;
}

function refusedHint({ bad_signature, skew_ms = 0 }: DeliveryTampering): string {
  if (bad_signature !== true && Math.abs(skew_ms) <= TOLERANCE_MS) {
    return `refused, though the timestamp is only ${Math.abs(skew_ms) / 1000} s off`;
  }
  return 'refused, as it should be';
}
