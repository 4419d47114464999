/** What an attempt makes of its delivery (contract §9.1). Pure. */
import type { Static } from '@sinclair/typebox';
import type { DELIVERY_STATUSES } from '../../contract/facts/webhooks.ts';
import type { Tampering } from '../../contract/webhooks.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { retryAfter } from './schedule.ts';

/** What is done wrong on purpose with one delivery, as it is kept in its row. */
export interface DeliveryTampering extends Pick<
  Static<typeof Tampering>,
  'bad_signature' | 'skew_ms' | 'drop_first'
> {
  /** Not begun while another delivery to its endpoint is under way: the order is what is tested. */
  readonly serial?: boolean;
}

export interface AttemptResult {
  readonly isAccepted: boolean;
  readonly response_status: number | null;
  /** Why there was no whole answer. */
  readonly error: string | null;
  /** Milliseconds of real time. */
  readonly ms: number;
  readonly hint: string | null;
}

export interface Verdict {
  readonly status: (typeof DELIVERY_STATUSES)[number];
  /** Milliseconds until the next attempt; null when there is none. */
  readonly retryAfterMs: number | null;
  readonly hint: string | null;
  /** Whether the endpoint is to blame: a failure it was led into, or that never reached it, isn't one of its own. */
  readonly isEndpointFailing: boolean;
}

/** By how much receivers let a timestamp be off. */
const TOLERANCE_MS = 5 * MINUTE_MS;

/** `attempt`: its number, 1 is the first. */
export function judge(attempt: number, result: AttemptResult, tampering: DeliveryTampering): Verdict {
  if (isProbe(tampering)) return judgeProbe(result, tampering);
  if (result.isAccepted) {
    return { status: 'delivered', retryAfterMs: null, hint: result.hint, isEndpointFailing: false };
  }
  const retryAfterMs = retryAfter(attempt) ?? null;
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

/** Whether the receiver should refuse it; one attempt is enough to find out. */
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
  return `the receiver accepted ${skew_ms < 0 ? 'an old' : 'a future'} timestamp: it can be sent the same event again by anyone who saw it`;
}

function refusedHint({ bad_signature, skew_ms = 0 }: DeliveryTampering): string {
  if (bad_signature !== true && Math.abs(skew_ms) <= TOLERANCE_MS) {
    return `refused, though the timestamp is only ${Math.abs(skew_ms) / 1000} s off`;
  }
  return 'refused, as it should be';
}
