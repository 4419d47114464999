/** What a request meets before its route is looked for: the fault rules (contract §0.4, §11). */
import { ServiceError } from '../kernel/errors.ts';
import type { FaultRule, Faults } from '../resources/faults/index.ts';
import type { Call } from './call.ts';
import { isClosed, onceClosed } from './client-gone.ts';
import { isPreflight } from './cors.ts';
import { errorAnswer } from './errors.ts';
import { maskedPath } from './journal-entry.ts';

export const DEFAULT_FAULT_CODE = 'fault_injected';
/** The status of an answer that breaks off where the rule names no status. */
const BROKEN_OFF_STATUS = 200;
/** Retry-After in seconds, with statuses where that is usual. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: '1', 503: '1' };
/** In the journal and the log, of a request that got no answer. */
const NO_STATUS = 0;
const CONTROL_PLANE = '_kyclone';

/** The rule that this request runs into; none in the control plane, however its path is spelled. */
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
 * Applies a rule to a request: latency, then abort, then status. Undefined when the request goes on as if there were no
 * rule; else the status of what was sent, and no answer is to follow. Throws the failure that the rule answers with.
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
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });
}

/** The whole head and half of the body, and then nothing. */
function breakOff(rule: FaultRule, { request, response, method, answerHeaders }: Call): number {
  const failure = failureOf(rule);
  const { status, body } = errorAnswer(failure);
  const text = Buffer.from(JSON.stringify(body));
  // What is unread of the request when the socket is closed would take the half that was sent with it.
  request.resume();
  response.writeHead(status, {
    ...(answerHeaders as Record<string, string>),
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
  });
  if (method === 'HEAD') {
    response.flushHeaders();
    setImmediate(() => response.destroy());
  } else response.write(text.subarray(0, text.length >> 1), () => response.destroy());
  return status;
}

/** Decoded once, as the router does it; what can't be is taken as it stands. Undefined in the control plane. */
export function faultableSegments(url: string): string[] | undefined {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const given = path.slice(1, path.length > 1 && path.endsWith('/') ? -1 : undefined).split('/');
  const segments = given.length === 1 && given[0] === '' ? [] : given.map(decoded);
  return isControlPlane(segments) ? undefined : segments;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Also where a program on the way would tidy the path up: `//`, `.`, `..`, and slashes that are encoded. */
function isControlPlane(segments: readonly string[]): boolean {
  const steps: string[] = [];
  for (const step of segments.flatMap((segment) => segment.split(/[/\\]/))) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
    if (steps[0] === CONTROL_PLANE) return true;
  }
  return false;
}
