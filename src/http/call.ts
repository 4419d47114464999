/** One request and its response, and what the pipeline knows of both. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HEADERS } from '../nouns/requests/facts.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Held } from '../kernel/numbers/byte-budget.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/text/json.ts';
import type { Caller, FlowCaller, TokenCaller } from '../nouns/api-keys/service/index.ts';
import type { ConsoleSession } from '../nouns/console/service/index.ts';
import type { Match, Route } from './router.ts';
import { realTime } from '../kernel/time/real-time.ts';

/** Headers of a response by their lower-case names. */
export type AnswerHeaders = Record<string, string | readonly string[] | number>;

export class Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Identifies the request in its response, the journal and the access log. */
  readonly id: string;
  /** Milliseconds of the process clock, for the duration. */
  readonly startedAt: number;
  /** Epoch milliseconds by the instance's clock. */
  readonly at: number;
  readonly method: string;
  /** The request target as received. */
  readonly url: string;
  /** Headers of the response, sent with its head. Those of every response (contract §0.7) are there from the start. */
  readonly answerHeaders: AnswerHeaders;

  /** Once the request has passed the checks that need no endpoint. */
  route: Route | undefined = undefined;
  params: Match['params'] = NO_PARAMS;
  caller: Caller | TokenCaller | FlowCaller | undefined = undefined;
  /** The console session that makes the call, in place of the control token or a secret key. */
  session: ConsoleSession | undefined = undefined;
  requestBody: unknown = undefined;
  /** A repeated member of the JSON body, in a form that may be shown. */
  repeatedMember: string | undefined = undefined;
  responseBody: unknown = undefined;
  /** The journal's form of a response body that is not kept. */
  shownResponse: JsonValue | undefined = undefined;
  /** The uploaded file: its type, and its size once it is complete. */
  upload: { readonly contentType: string; readonly bytesRead: number } | undefined = undefined;
  /** The downloaded file. */
  download: { readonly contentType: string; readonly bytes: number } | undefined = undefined;
  code: string | undefined = undefined;
  failure: ServiceError | undefined = undefined;
  /** The id of the fault rule that applied. */
  fault: string | undefined = undefined;
  /** `refused` by the checks of host and origin; `known` with a valid credential. */
  sender: 'refused' | 'unknown' | 'known' = 'refused';
  /** Whether the journal and the log have it. */
  isLogged = false;
  /** Its memory account, once it holds anything. */
  held: Held | undefined = undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { id, startedAt, at }: Pick<Call, 'id' | 'startedAt' | 'at'>,
  ) {
    this.request = request;
    this.response = response;
    this.id = id;
    this.startedAt = startedAt;
    this.at = at;
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    // All answers share one shape: a computed name or a spread makes V8 build each anew.
    const always: Record<(typeof HEADERS)['requestId'] | 'cache-control' | 'x-content-type-options', string> =
      { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-request-id': id };
    this.answerHeaders = always;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get endpoint(): Route['endpoint'] | undefined {
    return this.route?.endpoint;
  }
}

const NO_PARAMS: Match['params'] = {};

// Detects that a client has disconnected. Node emits `close` on a response only once the response has the socket. A
// response queued behind another one on the same connection would get no such event.

interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One listener for each socket, however many requests it carries. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `gone` once, when the response was sent or can't be sent any more. The returned function unsubscribes. */
export function onceClosed({ request, response }: Pair, gone: () => void): () => void {
  const waits = response.socket === null ? waitingOn(request.socket) : undefined;
  const forget = () => {
    response.off('close', end);
    waits?.delete(end);
  };
  const end = () => {
    forget();
    gone();
  };
  response.once('close', end);
  waits?.add(end);
  return forget;
}

/** Whether nothing can be sent to the client any more. */
export function isClosed({ request, response }: Pair): boolean {
  return response.closed || response.destroyed || (response.socket === null && request.socket.destroyed);
}

/**
 * Aborts when the client disconnects before its response was sent, and when `ended` does. Not AbortSignal.any: in Node 20
 * a signal that lives long keeps what was made of it.
 */
export function signalClientGone(pair: Pair, ended?: AbortSignal): AbortSignal {
  const gone = new AbortController();
  if (isClosed(pair) || ended?.aborted === true) {
    gone.abort();
    return gone.signal;
  }
  const end = () => gone.abort();
  ended?.addEventListener('abort', end);
  onceClosed(pair, () => {
    ended?.removeEventListener('abort', end);
    if (!pair.response.writableFinished) end();
  });
  return gone.signal;
}

function waitingOn(socket: Socket): Set<() => void> {
  let waits = waiting.get(socket);
  if (!waits) {
    const all = (waits = new Set());
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const end of [...all]) end();
    });
  }
  return waits;
}

// Tracks requests whose handlers have started and whose responses were not sent completely.

/** This request never ends by itself, and continues when the store is replaced. */
const ENDLESS: EndpointKey = 'GET /_kyclone/stream';

export function createInFlightRequests() {
  const begun = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    /** Tracks the call until its response was sent or can't be sent any more, then frees its memory account. */
    begin(call: Call): void {
      // A client that left while its request waited for a load gets no further event.
      if (isClosed(call)) return;
      const { id } = call;
      if (call.endpoint?.key !== ENDLESS) begun.add(id);
      onceClosed(call, () => {
        if (begun.delete(id)) for (const onEnd of waiting) onEnd();
        call.held?.free();
      });
    },

    /**
     * Settles when all requests that are in flight now have ended, at the latest after `patienceMs`. Ignores the request
     * id `except`.
     */
    settled(except: string | undefined, patienceMs: number): Promise<void> {
      const waitedFor = new Set(begun);
      if (except !== undefined) waitedFor.delete(except);
      const isSettled = () => [...waitedFor].every((id) => !begun.has(id));
      if (isSettled()) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = realTime.setTimeout(finish, patienceMs);
        const onEnd = () => {
          if (isSettled()) finish();
        };
        waiting.add(onEnd);
        function finish(): void {
          realTime.clearTimeout(timer);
          waiting.delete(onEnd);
          resolve();
        }
      });
    },
  };
}
