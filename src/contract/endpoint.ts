/**
 * An endpoint is a value: method, path, who may call, what goes in and comes out, what may go wrong. Routes, handler
 * types, the typed client, OpenAPI, the docs page and the contract tests are all made from these values
 * (docs/architecture.md#the-layers).
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { CONTROL_PREFIX, type MethodAndPath } from './facts/requests.ts';
import type { TokenAbility } from './facts/client-tokens.ts';
import type { AccessOperation } from './facts/access-log.ts';
import type { Permission, Scope } from './facts/permissions.ts';
import type { ErrorCode } from './errors.ts';
import type { OperationId } from './operation-verbs.ts';

/** Who may call (contract §0.2, §0.3). */
export type Auth =
  | {
      readonly kind: 'key';
      readonly scope?: Scope;
      readonly permission?: Permission | 'decrypt:*';
    }
  /** A client token, in its header or as the segment `{token}` of the path; without `may` any token. */
  | { readonly kind: 'token'; readonly place: 'header' | 'path'; readonly may?: TokenAbility }
  /** The token of a hosted flow, in the header of client tokens (contract §14). */
  | { readonly kind: 'flow' }
  | { readonly kind: 'control' }
  | { readonly kind: 'open' };

export type Stability = 'stable' | 'preview' | 'deprecated' | 'extension' | 'emulator';

/** A place where the specification is silent or open, and what was decided (contract §13). */
export interface Assumption {
  readonly what: string;
  readonly why: string;
}

export interface Endpoint {
  /** What code generators call it: a verb and a noun, unique, the same under every vocabulary. */
  readonly operationId: OperationId;
  readonly summary: string;
  readonly auth: Auth;
  /** It is answered before the instance is ready, too. */
  readonly servedUnready?: true;
  /** Pages of loopback and configured origins may call it, and read its answers (contract §0.1). */
  readonly letsPagesIn?: true;
  /** A page that any other page may lead to, or frame as far as its policy lets it (contract §14). */
  readonly isHostedPage?: true;
  readonly stability: Stability;
  readonly query?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  readonly bodyLimitBytes?: number;
  /** The body is a file that streams in, raw or as the one part of a multipart form; `body` is then `Upload`. */
  readonly takesFile?: true;
  /** The body may be of any type and is handed on as its bytes; `body` is then `AnyBody`. */
  readonly takesAnyBody?: true;
  readonly response: TSchema;
  /** Content type of the answer when it is not JSON. */
  readonly produces?: string;
  /** The status is another server's. */
  readonly answersAnyStatus?: true;
  /** What a successful answer is, where its schema can't say. */
  readonly answers?: string;
  /** Codes beyond those that apply everywhere (contract §2). */
  readonly errors: readonly ErrorCode[];
  readonly assumed?: readonly Assumption[];
  /** A refusal of this call is an entry of the access log, under this operation. */
  readonly logsRefusalAs?: Extract<AccessOperation, 'decrypt' | 'download' | 'search' | 'proxy' | 'reflect'>;
  /** Members of the request or answer that hold identifier maps: masked by identifier in the journal. */
  readonly carriesVaultData?: boolean;
}

export type KeyedEndpoint = Endpoint & { readonly key: MethodAndPath };

/** Declares an endpoint; the key is what the client and the handlers are typed by. */
export function endpoint<const K extends MethodAndPath, const E extends Endpoint>(
  key: K,
  definition: E,
): E & { key: K } {
  return { key, ...definition };
}

/** Whether it is of the control plane, whose bodies are bounded and have no unknown members (contract §0.8, §11). */
export function isControlPlane({ key }: { readonly key: string }): boolean {
  return key.includes(` ${CONTROL_PREFIX}`);
}

export const secretKey = (requires: { scope?: Scope; permission?: Permission | 'decrypt:*' } = {}) =>
  ({ kind: 'key', ...requires }) as const;
export const clientToken = (requires: { may?: TokenAbility } = {}) =>
  ({ kind: 'token', place: 'header', ...requires }) as const;
export const pathToken = (requires: { may: TokenAbility }) =>
  ({ kind: 'token', place: 'path', ...requires }) as const;
export const flowToken = { kind: 'flow' } as const;
export const controlToken = { kind: 'control' } as const;
export const open = { kind: 'open' } as const;

type Schema<E, Part extends string> = E extends { readonly [P in Part]: infer S extends TSchema }
  ? Static<S>
  : undefined;

export type QueryOf<E> = Schema<E, 'query'>;
export type HeadersOf<E> = Schema<E, 'headers'>;
export type BodyOf<E> = E extends { readonly bodyOptional: true }
  ? Schema<E, 'body'> | undefined
  : Schema<E, 'body'>;
export type ResponseOf<E> = E extends { readonly response: infer S extends TSchema } ? Static<S> : never;

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;
/** The path parameters of an endpoint key, by name. */
export type ParamsOf<K extends string> = { readonly [Name in PathParameters<K>]: string };
