/** What a handler gets and gives: the types that make a missing or ill-fitting handler a compile error. */
import type { Held } from '../kernel/byte-budget.ts';
import type { AnswerOf, EndpointKey, Registry, RequestOf } from './registry.ts';

/** Who calls, by the kind of credential an endpoint asks for, and whom the call is about. */
export interface Parties {
  key: unknown;
  token: unknown;
  flow: unknown;
  entity: unknown;
}

type AuthKind<K extends EndpointKey> = Registry[K]['auth']['kind'];
type CallerOf<K extends EndpointKey, P extends Parties> =
  AuthKind<K> extends 'key' | 'token' | 'flow' ? P[AuthKind<K>] : undefined;
/** The entity of the path, or the one that the token is for. */
type EntityOf<K extends EndpointKey, P extends Parties> =
  AuthKind<K> extends 'token'
    ? P['entity']
    : AuthKind<K> extends 'key'
      ? K extends `${string}{fp_id}${string}` | `${string}{fp_bid}${string}`
        ? P['entity']
        : undefined
      : undefined;

export interface HandlerRequest<K extends EndpointKey, P extends Parties> extends RequestOf<K> {
  /** The id of this request, in its answer, the journal and the access log. */
  readonly requestId: string;
  /** Who is at the keyboard, as the request says; null when it doesn't. */
  readonly operator: string | null;
  /** Names and values in turn, as they came: for headers that a schema can't name. */
  readonly rawHeaders: readonly string[];
  /** Fires when the client goes away before it is answered; made when it is asked for. */
  readonly clientGone: () => AbortSignal;
  /** What it holds in memory until its answer has left. */
  readonly held: Held;
  readonly caller: CallerOf<K, P>;
  readonly entity: EntityOf<K, P>;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

type MaybePromise<T> = T | Promise<T>;

/** The handler of one endpoint: the validated request in, the answer out, failures thrown as ServiceError. */
export type Handler<K extends EndpointKey, P extends Parties> = (
  request: HandlerRequest<K, P>,
) => MaybePromise<Answer<AnswerOf<K>>>;

export type HandlersOf<Keys extends EndpointKey, P extends Parties> = {
  readonly [K in Keys]: Handler<K, P>;
};
