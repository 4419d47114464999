/** What a handler gets and gives: the types that make a missing or ill-fitting handler a compile error. */
import type { AnswerOf, Key, RequestOf } from './registry.ts';

export interface HandlerRequest<K extends Key, Caller, Entity> extends RequestOf<K> {
  /** The id of this request, in its answer, the journal and the access log. */
  readonly requestId: string;
  readonly caller: Caller;
  readonly entity: Entity;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type MaybePromise<T> = T | Promise<T>;
type Credentialed<K extends Key, Caller> = K extends `${string} /_kyclone/${string}` ? undefined : Caller;
type Placed<K extends Key, Entity> = K extends `${string} /_kyclone/${string}`
  ? undefined
  : K extends `${string}{fp_id}${string}` | `${string}{fp_bid}${string}`
    ? Entity
    : undefined;

/** The handler of one endpoint: the validated request in, the answer out, failures thrown as ServiceError. */
export type Handler<K extends Key, Caller, Entity> = (
  request: HandlerRequest<K, Credentialed<K, Caller>, Placed<K, Entity>>,
) => MaybePromise<Answer<AnswerOf<K>>>;

export type HandlersOf<Keys extends Key, Caller, Entity> = {
  readonly [K in Keys]: Handler<K, Caller, Entity>;
};
