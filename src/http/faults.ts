/** Applies fault rules, before the route is looked up (contract §0.4, §11). */
import { ServiceError } from '../kernel/errors.ts';
import type { FaultRule, Faults } from '../nouns/faults/service.ts';
import { type Call, isClosed, onceClosed } from './call.ts';
import { isPreflight } from './cors.ts';
import { errorAnswer } from './errors.ts';
import { maskedPath } from './request-log.ts';
import { decodedSegment, sentSegments } from './router.ts';
import { realTime } from '../kernel/time/real-time.ts';

export const DEFAULT_FAULT_CODE = 'fault_injected';
/** The status of an aborted response when the rule names none. */
const BROKEN_OFF_STATUS = 200;
/** Retry-After in seconds, for the statuses that usually have it. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: '1', 503: '1' };
/** The status in the journal and the log for a request that got no response. */
const NO_STATUS = 0;
const CONTROL_PLANE = '_kyclone';

/** The rule that matches this request; never in the control plane, however its path is spelled. */
export function findFault(faults: Faults, { id, method, url, request }: Call): FaultRule | undefined {
  const segments = faultableSegments(url);
  return (
    segments &&
    faults.match({
      id,
      method,
      isPreflight: isPreflight(request),
      segments,
      shownPath: () => maskedPath(url),
    })
  );
}

/**
 * Applies a rule to a request: latency, then abort, then status. Returns undefined when the request continues normally;
 * otherwise the status that was sent, and no further response may follow. Throws the failure that the rule responds
 * with.
 */
export async function injectFault(faults: Faults, rule: FaultRule, call: Call): Promise<number | undefined> {
  const { latency_ms: latency, abort, status } = rule;
  if (latency !== undefined && latency > 0) {
    const delay = faults.delay(latency);
    const forget = onceClosed(call, () => delay.cancel());
    const hasPassed = await delay.passed;
    forget();
    if (isClosed(call)) return NO_STATUS;
    if (!hasPassed) throw new ServiceError('not_ready', 'The instance does not serve requests now: stopping');
  }
  if (abort === 'connection') {
    call.response.destroy();
    return NO_STATUS;
  }
  if (abort === 'body') return breakOff(rule, call);
  if (status !== undefined) throw failureOf(rule);
  return undefined;
}

function failureOf({ id, status, code = DEFAULT_FAULT_CODE }: FaultRule): ServiceError {
  const retryAfter = RETRY_AFTER[status ?? BROKEN_OFF_STATUS];
  return new ServiceError(code, `Fault rule ${id} answers this request`, {
    status: status ?? BROKEN_OFF_STATUS,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });
}

/** Sends the whole head and half of the body, then closes the connection. */
function breakOff(rule: FaultRule, { request, response, method, answerHeaders }: Call): number {
  const failure = failureOf(rule);
  const { status, body } = errorAnswer(failure);
  const text = Buffer.from(JSON.stringify(body));
  // Closing a socket with unread input would discard the half that was sent.
  request.resume();
  response.writeHead(status, {
    ...(answerHeaders as Record<string, string>),
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
  });
  if (method === 'HEAD') {
    response.flushHeaders();
    realTime.setImmediate(() => response.destroy());
  } else response.write(text.subarray(0, text.length >> 1), () => response.destroy());
  return status;
}

/**
 * Segments, decoded once as in the router; a segment that can't be decoded stays as it is. Undefined in the control
 * plane.
 */
export function faultableSegments(url: string): string[] | undefined {
  const given = sentSegments(url);
  const segments = given.length === 1 && given[0] === '' ? [] : given.map(decodedSegment);
  return isControlPlane(segments) ? undefined : segments;
}

/** True also for paths that an intermediary would normalise: `//`, `.`, `..`, and encoded slashes. */
function isControlPlane(segments: readonly string[]): boolean {
  const steps: string[] = [];
  for (const step of segments.flatMap((segment) => segment.split(/[/\\]/))) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
    if (steps[0] === CONTROL_PLANE) return true;
  }
  return false;
}
