/** One request and its response, and what the pipeline knows of both. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { HEADERS } from '../contract/facts/requests.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Held } from '../kernel/byte-budget.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Caller, FlowCaller, TokenCaller } from '../resources/api-keys/index.ts';
import type { Route } from './router.ts';

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

  endpoint: (Endpoint & { key: EndpointKey }) | undefined = undefined;
  route: Route | undefined = undefined;
  params: Readonly<Record<string, string>> = NO_PARAMS;
  caller: Caller | TokenCaller | FlowCaller | undefined = undefined;
  requestBody: unknown = undefined;
  /** Whether a text of the JSON body may contain a NUL. */
  mayHoldNul = false;
  /** Whether a member of the JSON body may be null. */
  mayHoldNullMember = false;
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
  /** Whether the request passed the checks of host and origin. */
  isGuest = false;
  /** Whether its credential was valid. */
  isAdmitted = false;
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
