/**
 * An endpoint is a value: method, path, caller, input, output and errors. Routes, handler types, the typed client,
 * OpenAPI, the docs page and the contract tests are all derived from these values (docs/architecture.md#the-layers).
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from './errors.ts';
import type { AccessOperation } from '../nouns/access-log/facts.ts';
import type { TokenAbility } from '../nouns/client-tokens/facts.ts';
import type { Scope } from './facts/permissions.ts';
import type { Method, MethodAndPath } from '../nouns/requests/facts.ts';
import { permissionOfRoute, type RequiredPermission } from './facts/route-permissions.ts';

/**
 * The verbs of operation ids: one word for one act, the same in every generated client. A new act adds its verb here;
 * an id with any other verb doesn't compile.
 */
export const OPERATION_VERBS = [
  'list',
  'get',
  'search',
  'create',
  'add',
  'set',
  'update',
  'delete',
  'remove',
  'revoke',
  'validate',
  'verify',
  'decrypt',
  'compute',
  'upload',
  'download',
  'import',
  'run',
  'resolve',
  'complete',
  'send',
  'forward',
  'reflect',
  'render',
  'refresh',
  'reset',
  'rotate',
  'start',
  'stop',
  'stream',
  'trigger',
  'resend',
  'save',
  'load',
  'compare',
  'explain',
  'identify',
  'request',
  'consent',
  'cancel',
] as const;

/** A verb and a noun in lower camel case, such as `createUser`. */
type OperationId = `${(typeof OPERATION_VERBS)[number]}${Capitalize<string>}`;

/** Who may call (contract §0.2, §0.3). */
export type Auth =
  | { readonly kind: 'key'; readonly scope?: Scope; readonly permission?: RequiredPermission }
  /**
   * A client token, in its header or as the segment `{token}` of the path; without `may`, a token of any scope. Its key
   * needs the permission.
   */
  | {
      readonly kind: 'token';
      readonly place: 'header' | 'path';
      readonly may?: TokenAbility;
      readonly permission?: RequiredPermission;
    }
  /** The token of a hosted flow, in the header of client tokens (contract §14). Its key needs the permission. */
  | { readonly kind: 'flow'; readonly permission?: RequiredPermission }
  | { readonly kind: 'control' }
  | { readonly kind: 'open' };

export type Stability = 'stable' | 'preview' | 'deprecated' | 'extension' | 'emulator';

/** A decision where the specification is silent or ambiguous (contract §13). */
export interface Assumption {
  readonly what: string;
  readonly why: string;
}

export interface Endpoint {
  /** The name for code generators: a verb and a noun, unique, the same under every vocabulary. */
  readonly operationId: OperationId;
  readonly summary: string;
  readonly auth: Auth;
  /** Served before the instance is ready, too. */
  readonly servedUnready?: true;
  /** Pages on loopback and configured origins may call it and read its responses (contract §0.1). */
  readonly letsPagesIn?: true;
  /** Any page may link to this page, and frame it as far as its policy allows (contract §14). */
  readonly isHostedPage?: true;
  /** Any page may link to this page; none may frame it (contract §11.1). */
  readonly isLinkedPage?: true;
  /** Only a page of the very address that the request is sent to may call it (contract §11.1). */
  readonly isOwnPageCall?: true;
  readonly stability: Stability;
  readonly query?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  readonly bodyOptional?: boolean;
  readonly bodyLimitBytes?: number;
  /** The body is a streamed file, raw or as the only part of a multipart form; `body` is then `Upload`. */
  readonly takesFile?: true;
  /** The body may have any type and is passed on as bytes; `body` is then `AnyBody`. */
  readonly takesAnyBody?: true;
  readonly response: TSchema;
  /** The content type of the response, if it is not JSON. */
  readonly produces?: string;
  /** The status comes from another server. */
  readonly answersAnyStatus?: true;
  /** A description of the successful response, where its schema can't provide it. */
  readonly answers?: string;
  /** Codes in addition to those of every endpoint (contract §2). */
  readonly errors?: readonly ErrorCode[];
  readonly assumed?: readonly Assumption[];
  /** A refused call is recorded in the access log under this operation. */
  readonly logsRefusalAs?: Extract<
    AccessOperation,
    'decrypt' | 'download' | 'search' | 'proxy' | 'reflect' | 'compare'
  >;
  /** A call may be recorded in the access log although it is a GET, and has the errors of a write. */
  readonly logsAccess?: true;
  /** An action in the access log; `conflict` if somebody else acted since the entry in header x-kyclone-seen (§0.5). */
  readonly isAct?: true;
  /** Members of the request or response that contain identifier maps; the journal masks them by identifier. */
  readonly carriesVaultData?: boolean;
}

export type KeyedEndpoint = Endpoint & { readonly key: MethodAndPath };

/**
 * Declares an endpoint; the key determines the types of the client and the handlers, and its permission
 * (facts/route-permissions.ts).
 */
export function endpoint<const K extends MethodAndPath, const E extends Endpoint>(
  key: K,
  definition: E,
): E & { key: K } {
  const permission = permissionOfRoute(key)?.needs;
  return { key, ...definition, ...(permission && { auth: { ...definition.auth, permission } }) };
}

/** The key of the business's endpoint that corresponds to a user's. */
export type BusinessKey<Key> = Key extends `${infer Verb extends Method} /users/{fp_id}${infer Rest}`
  ? `${Verb} /businesses/{fp_bid}${Rest}`
  : Key extends `${infer Verb extends Method} /users`
    ? `${Verb} /businesses`
    : never;

/** The key of the same endpoint for a business. */
export function businessKey<Key extends MethodAndPath>(key: Key): BusinessKey<Key> {
  return key.replace('/users', '/businesses').replace('{fp_id}', '{fp_bid}') as BusinessKey<Key>;
}

/** The same endpoint for a business, in the words of businesses, except for what `differing` says. */
export function ofBusiness<E extends KeyedEndpoint, const Differing extends Partial<Endpoint> = object>(
  { key, operationId, summary, ...same }: E,
  differing?: Differing,
) {
  const words = {
    operationId: operationId.replace(/User(s?)/, (_, many) => (many ? 'Businesses' : 'Business')),
    summary: summary.replace(/\buser(s?)\b/g, (_, many) => (many ? 'businesses' : 'business')),
  };
  const definition = { ...same, ...words, ...differing } as unknown as Endpoint;
  return endpoint(businessKey(key), definition) as unknown as Omit<
    E,
    keyof Differing | keyof typeof words | 'key'
  > &
    Pick<Endpoint, keyof typeof words> &
    Differing & { key: BusinessKey<E['key']> };
}

export const secretKey = (requires: { scope?: Scope } = {}) => ({ kind: 'key', ...requires }) as const;
export const clientToken = (requires: { may?: TokenAbility } = {}) =>
  ({ kind: 'token', place: 'header', ...requires }) as const;
export const pathToken = (requires: { may: TokenAbility }) =>
  ({ kind: 'token', place: 'path', ...requires }) as const;
export const flowToken = { kind: 'flow' } as const;
export const controlToken = { kind: 'control' } as const;
/** What most endpoints of the control plane have in common (contract §11). */
export const control = { stability: 'emulator' satisfies Stability, auth: controlToken } as const;
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
/** The path parameters in an endpoint key, by name. */
export type ParamsOf<K extends string> = { readonly [Name in PathParameters<K>]: string };
