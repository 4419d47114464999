/** Types of a handler's input and output, so that a missing or incompatible handler is a compile error. */
import type { Held } from '../kernel/numbers/byte-budget.ts';
import type { AnswerOf, EndpointKey, Registry, RequestOf } from './registry.ts';

/** The types of callers, by the credential that an endpoint requires, and of entities. */
export interface Parties {
  key: unknown;
  token: unknown;
  flow: unknown;
  entity: unknown;
}

type AuthKind<K extends EndpointKey> = Registry[K]['auth']['kind'];
type CallerOf<K extends EndpointKey, P extends Parties> =
  AuthKind<K> extends 'key' | 'token' | 'flow' ? P[AuthKind<K>] : undefined;
/** The entity of the path or of the token. */
type EntityOf<K extends EndpointKey, P extends Parties> =
  AuthKind<K> extends 'token'
    ? P['entity']
    : AuthKind<K> extends 'key'
      ? K extends `${string}{fp_id}${string}` | `${string}{fp_bid}${string}`
        ? P['entity']
        : undefined
      : undefined;

export interface HandlerRequest<K extends EndpointKey, P extends Parties> extends RequestOf<K> {
  /** The id of this request in its response, the journal and the access log. */
  readonly requestId: string;
  /** The operator named by the request; null when it names none. */
  readonly operator: string | null;
  /** Whether the caller may find people by values of their vaults; a console session needs `decrypt:*` (§11.1). */
  readonly findsValues: boolean;
  /** Whether the response may have a secret that the caller asks for; a console session needs all permissions. */
  readonly revealsSecrets: boolean;
  /** The last entry of the access log that the caller knew; null when the request doesn't say. */
  readonly seen: number | null;
  /** Names and values alternating, as received, for headers that a schema can't name. */
  readonly rawHeaders: readonly string[];
  /** Aborts when the client disconnects before the response; created at the first call. */
  readonly clientGone: () => AbortSignal;
  /** Its memory account until the response was sent. */
  readonly held: Held;
  readonly caller: CallerOf<K, P>;
  readonly entity: EntityOf<K, P>;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The handler of each endpoint: takes the validated request, returns the response, throws failures as ServiceError. */
export type HandlersOf<Keys extends EndpointKey, P extends Parties> = {
  readonly [K in Keys]: (request: HandlerRequest<K, P>) => Answer<AnswerOf<K>> | Promise<Answer<AnswerOf<K>>>;
};
