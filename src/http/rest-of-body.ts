/** Responses that are sent in whole before the body of their request has arrived. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { realTime } from '../kernel/time/real-time.ts';

interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const waiting = new WeakSet<ServerResponse>();

/** Ends the response, whose whole body is written, when the rest of the request has arrived or `restMs` are over. */
export function endAfterTheRest({ request, response }: Pair, restMs: number): void {
  waiting.add(response);
  const timer = realTime.setTimeout(end, restMs);
  request.once('end', end).once('close', end).resume();

  function end(): void {
    realTime.clearTimeout(timer);
    request.off('end', end).off('close', end);
    response.end();
  }
}

/** Whether nothing more comes from us: the response only waits for the rest of its request. */
export function waitsForTheRest(response: ServerResponse): boolean {
  return waiting.has(response);
}
