/** Builds one entry of the access log from a call and what it read (contract §11). Pure. */
import type { AccessOperation, AccessOutcome, ActorKind } from '../contract/facts/access-log.ts';

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
  readonly request_id: string;
}

/** The reading request: its actor, its operator, and its id. */
export interface AccessCall {
  readonly caller: { readonly kind: ActorKind; readonly id: string };
  readonly requestId: string;
  readonly operator: string | null;
}

/** The entity that was accessed; without an id, a whole tenant and environment. */
export interface AccessSubject {
  readonly tenant: string;
  readonly environment: string;
  readonly fp_id?: string;
}

export type Access = Pick<AccessEntry, 'operation' | 'identifiers' | 'outcome' | 'reason'>;

/** `at`: epoch milliseconds by the clock of the instance. */
export function accessEntry(
  { caller, requestId, operator }: AccessCall,
  { tenant, environment, fp_id }: AccessSubject,
  { operation, identifiers, outcome, reason, at }: Access & { readonly at: number },
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
    request_id: requestId,
  };
}
