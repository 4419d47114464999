/** One request and its answer, and what is known of both while they pass through. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { HEADERS } from '../contract/facts/requests.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Held } from '../kernel/byte-budget.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Caller, FlowCaller, TokenCaller } from '../resources/api-keys/index.ts';
import type { Route } from './router.ts';

/** Headers of an answer by their lower-case names. */
export type AnswerHeaders = Record<string, string | readonly string[] | number>;

export class Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Names the request in its answer, the journal and the access log. */
  readonly id: string;
  /** Milliseconds of the process clock, for the duration. */
  readonly startedAt: number;
  /** Epoch milliseconds by the instance's clock. */
  readonly at: number;
  readonly method: string;
  /** The request target as it came. */
  readonly url: string;
  /** What the answer's head will say, unless it has left; what every answer carries from the start (contract §0.7). */
  readonly answerHeaders: AnswerHeaders;

  endpoint: (Endpoint & { key: EndpointKey }) | undefined = undefined;
  route: Route | undefined = undefined;
  params: Readonly<Record<string, string>> = NO_PARAMS;
  caller: Caller | TokenCaller | FlowCaller | undefined = undefined;
  requestBody: unknown = undefined;
  /** Whether a text of the JSON body may have a NUL. */
  mayHoldNul = false;
  /** A member that the JSON body names more than once, as it may be shown. */
  repeatedMember: string | undefined = undefined;
  responseBody: unknown = undefined;
  /** What the journal shows of an answer that is not kept. */
  shownResponse: JsonValue | undefined = undefined;
  /** The file that came in: its type, and its size once it has. */
  upload: { readonly contentType: string; readonly bytesRead: number } | undefined = undefined;
  /** The file that goes out. */
  download: { readonly contentType: string; readonly bytes: number } | undefined = undefined;
  code: string | undefined = undefined;
  failure: ServiceError | undefined = undefined;
  /** The fault rule that applied. */
  fault: string | undefined = undefined;
  /** Whether it passed the checks of host and origin. */
  isGuest = false;
  /** Whether its credential was right. */
  isAdmitted = false;
  /** Whether journal and log have it. */
  isLogged = false;
  /** What it holds in memory, once it holds something. */
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
      {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
      };
    this.answerHeaders = always;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = {};
