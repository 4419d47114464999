/** What a credential may do in a vault, and the entry of the access log about what it did (contract §0.3, §11). Pure. */
import type { AccessOperation, AccessOutcome, ActorKind } from '../nouns/access-log/facts.ts';
import type { VerificationResult } from '../nouns/vault/facts.ts';
import { ServiceError } from '../kernel/errors.ts';

export interface AccessEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operation: AccessOperation;
  readonly tenant: string;
  readonly environment: string;
  readonly fp_id: string | null;
  readonly identifiers: readonly string[];
  readonly actor: { readonly kind: string; readonly id: string };
  /** The operator's name as given by themselves; null when it was not given. */
  readonly operator: string | null;
  readonly outcome: AccessOutcome;
  readonly reason: string | null;
  /** What an action did. */
  readonly effect?: string | undefined;
  readonly request_id: string;
  /** The result of a verification for each identifier, and no value. */
  readonly results?: Readonly<Record<string, VerificationResult>> | undefined;
}

/** The reading request: its id and its operator. */
export interface AccessRequest {
  readonly requestId: string;
  readonly operator: string | null;
  /** The last entry of the access log that the caller knew when the action was prepared; null when it doesn't say. */
  readonly seen: number | null;
}

/** The same with its actor. */
export interface AccessCall extends AccessRequest {
  readonly caller: { readonly kind: ActorKind; readonly id: string };
}

/** The caller with the control token, which has no id. */
export const CONTROL_CALLER = { kind: 'control_token', id: 'control_token' } as const;

/** A call with the control token. */
export function callOfControl({ requestId, operator, seen }: AccessRequest): AccessCall {
  return { caller: CONTROL_CALLER, requestId, operator, seen };
}

/** A call of somebody whom a key lets in, by a link for instance. */
export function callOfKey(id: string, { requestId, operator, seen }: AccessRequest): AccessCall {
  return { caller: { kind: 'api_key', id }, requestId, operator, seen };
}

/** The entity that was accessed; without an id, a whole tenant and environment. */
export interface AccessSubject {
  readonly tenant: string;
  readonly environment: string;
  readonly fp_id?: string;
}

export type Access = Pick<
  AccessEntry,
  'operation' | 'identifiers' | 'outcome' | 'reason' | 'effect' | 'results'
>;

/** `at`: epoch milliseconds by the clock of the instance. */
export function accessEntry(
  { caller, requestId, operator }: Omit<AccessCall, 'seen'>,
  { tenant, environment, fp_id }: AccessSubject,
  { operation, identifiers, outcome, reason, effect, results, at }: Access & { readonly at: number },
): AccessEntry {
  return {
    at,
    operation,
    tenant,
    environment,
    fp_id: fp_id ?? null,
    identifiers,
    actor: { kind: caller.kind, id: caller.id },
    operator,
    outcome,
    reason,
    effect,
    request_id: requestId,
    results,
  };
}

// What a credential may do with single identifiers, and the refusal of the rest (contract §0.3).

export interface Rights {
  /** Whether a `decrypt:` pattern (an identifier, `family.*` or `*`) covers the identifier. */
  mayDecrypt(identifier: string): boolean;
  mayWrite(identifier: string): boolean;
}

/** Whoever changes a vault: a key, a client token, or the key behind a hosted link. */
export interface Writer extends Rights {
  readonly kind: ActorKind | 'hosted_session';
  /** The rights of the key that made a token, which limit its own. */
  readonly key?: Rights;
  /** Set for a console session that acts for a key. */
  readonly sessionPermissions?: readonly string[];
}

const NAMED_IN_MESSAGE = 20;

/** The refusal, if a credential lacks permission for one of the identifiers. */
export function denial(
  credential: Writer,
  act: 'decrypt' | 'write',
  identifiers: readonly string[],
): ServiceError | undefined {
  const denied = identifiers.filter((identifier) => !may(credential, act, identifier));
  if (denied.length === 0) return undefined;
  const list = denied.slice(0, NAMED_IN_MESSAGE).map((identifier) => `${act}<${identifier}>`);
  return new ServiceError('permission_denied', `${whoLacks(credential, act, denied)} ${list.join(', ')}`, {
    context: Object.fromEntries(
      denied.map((identifier) => [identifier, 'not permitted for this credential']),
    ),
  });
}

function may(rights: Rights, act: 'decrypt' | 'write', identifier: string): boolean {
  return act === 'decrypt' ? rights.mayDecrypt(identifier) : rights.mayWrite(identifier);
}

function whoLacks(
  { kind, key, sessionPermissions }: Writer,
  act: 'decrypt' | 'write',
  denied: readonly string[],
): string {
  if (kind === 'hosted_session') return 'The key that made this link lacks the permission';
  if (sessionPermissions) return 'This console session lacks the permission';
  if (kind === 'api_key') return 'This key lacks the permission';
  const isOfKey = key !== undefined && denied.every((identifier) => !may(key, act, identifier));
  return isOfKey ? 'The key that made this token lacks the permission' : 'This token does not cover';
}
