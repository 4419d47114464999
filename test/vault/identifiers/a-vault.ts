import { ServiceError } from '../../../src/kernel/errors.ts';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { describeIdentifier, planDelete, planWrite } from '../../../src/vault/identifiers/index.ts';
import type {
  DeletePlan,
  EntityKind,
  VaultState,
  WriteRequest,
} from '../../../src/vault/identifiers/index.ts';

export type Data = Record<string, JsonValue>;
type Options = Partial<Omit<WriteRequest, 'changes' | 'state'>> & { stored?: Data };

export function aVault(stored: Data = {}): VaultState {
  return { isStored: (name) => Object.hasOwn(stored, name) };
}

function kindFor(changes: Data): EntityKind {
  const isBusiness = Object.keys(changes).some((name) => describeIdentifier(name)?.family === 'business');
  return isBusiness ? 'business' : 'user';
}

function request(changes: Data, options: Options): WriteRequest {
  const { stored = {}, ...rest } = options;
  return {
    kind: kindFor(changes),
    changes: new Map(Object.entries(changes)),
    state: aVault(stored),
    isCreate: false,
    skipLuhn: false,
    isLive: false,
    ...rest,
  };
}

/** Returns the values that a write stores and the identifiers that it removes. */
export function written(changes: Data, options: Options = {}): { set: Data; remove: string[] } {
  const { set, remove } = planWrite(request(changes, options));
  return { set: Object.fromEntries(set.map(({ identifier, value }) => [identifier, value])), remove };
}

/** Writes one identifier and returns its cleaned value. */
export function cleaned(identifier: string, value: JsonValue, options: Options = {}): JsonValue | undefined {
  return written({ [identifier]: value }, options).set[identifier];
}

function contextOf(run: () => unknown): Record<string, string> {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'T120') return { ...error.context };
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Returns the context of the `T120` with which a write fails. */
export function refused(changes: Data, options: Options = {}): Record<string, string> {
  return contextOf(() => planWrite(request(changes, options)));
}

export function deleted(
  fields: readonly string[] | 'all',
  stored: readonly string[],
  kind: EntityKind = 'user',
): DeletePlan {
  return planDelete({ kind, fields, stored });
}

/** Returns the context of the `T120` with which a delete fails. */
export function refusedDelete(
  fields: readonly string[],
  stored: readonly string[],
  kind: EntityKind = 'user',
): Record<string, string> {
  return contextOf(() => planDelete({ kind, fields, stored }));
}

/** Luhn-valid numbers that card networks and processors publish for testing. */
export const VISA = '4111111111111111';
export const AMEX = '378282246310005';
/** Routing numbers of US banks. */
export const ROUTING = '021000021';
/** This SSN was once printed on a wallet insert. It has been invalid for every person since. */
export const AN_SSN = '078051120';
export const AN_ITIN = '912701234';
