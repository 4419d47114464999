import type { JsonValue } from '../../kernel/json.ts';
import { country } from './format-rules.ts';
import { readingOf } from './readings.ts';
import { REFUSED, Refusal, vaultDataNotValid } from './refusals.ts';
import { getIdentifier } from './registry.ts';
import type { EntityKind, CleaningContext } from './rule.ts';
import { isTaxIdentifier, planTaxIdentifiers, TAX_IDENTIFIERS } from './tax-identifiers.ts';
import type { TaxIdentifier, VaultState } from './tax-identifiers.ts';

export interface WriteRequest {
  readonly kind: EntityKind;
  /** Identifier to value; null deletes, and is ignored on create. */
  readonly changes: ReadonlyMap<string, JsonValue>;
  readonly state: VaultState;
  readonly isCreate: boolean;
  readonly skipLuhn: boolean;
  readonly isLive: boolean;
}

/** What to store and what to delete, by stored names. */
export interface WritePlan {
  set: { identifier: string; value: JsonValue }[];
  /** Only names that are stored now. */
  remove: string[];
}

const NEUTRAL: CleaningContext = { isLive: false, skipLuhn: false, isInUnitedStates: false };

function situationOf({ kind, changes, isLive, skipLuhn }: WriteRequest): CleaningContext {
  const sent = changes.get(kind === 'user' ? 'id.country' : 'business.country');
  return { isLive, skipLuhn, isInUnitedStates: sent !== undefined && country(sent, NEUTRAL) === 'US' };
}

/**
 * Validates and cleans all changes at once, and checks derivations and exclusions against the vault as it would be
 * after the request (contract §0.8, §1). Throws `invalid_request` for an unknown identifier, and `T120` with one entry
 * for each invalid identifier, in the order of the request. Neither contains a value.
 */
export function planWrite(request: WriteRequest): WritePlan {
  const { kind, changes, state, isCreate } = request;
  const situation = situationOf(request);
  const problems = new Map<string, Refusal>();
  const set = new Map<string, JsonValue>();
  const remove = new Set<string>();
  const derivedToDelete: string[] = [];
  const tax: Partial<Record<TaxIdentifier, JsonValue | Refusal>> = {};

  for (const [name, value] of changes) {
    const identifier = getIdentifier(name);
    if (value === null && isCreate) continue;
    if (!identifier.belongsTo(kind)) {
      problems.set(name, REFUSED.FAM);
      continue;
    }
    const cleaned = value === null ? null : identifier.rule.clean(value, situation);
    if (isTaxIdentifier(name)) tax[name] = cleaned;
    else if (cleaned instanceof Refusal) problems.set(name, cleaned);
    else if (cleaned !== null) set.set(name, cleaned);
    else if (identifier.derived) derivedToDelete.push(name);
    else if (state.isStored(identifier.canonical)) remove.add(identifier.canonical);
  }

  const taxPlan = planTaxIdentifiers(tax, state);
  for (const [name, refusal] of taxPlan.problems) problems.set(name, refusal);

  const isStoredAfter = (name: string): boolean =>
    !remove.has(name) && (set.has(name) || state.isStored(name));
  for (const name of derivedToDelete) {
    if (readingOf(name, isStoredAfter) !== undefined) problems.set(name, REFUSED.DRV);
  }
  if (problems.size > 0) throw vaultDataNotValid(inOrderSent(problems, changes));

  return {
    set: [...set, ...taxPlan.set].map(([identifier, value]) => ({ identifier, value })),
    remove: [...remove, ...taxPlan.remove],
  };
}

/**
 * The submitted identifiers that replace or delete something stored, whatever the values are. Each tax identifier may
 * replace another one.
 */
export function replacedBy(changes: WriteRequest['changes'], state: Pick<VaultState, 'isStored'>): string[] {
  const isStored = (name: string): boolean => state.isStored(name);
  const holdsTaxIdentifier = TAX_IDENTIFIERS.some(isStored);
  return [...changes.keys()].filter((name) =>
    isTaxIdentifier(name) ? holdsTaxIdentifier : isStored(getIdentifier(name).canonical),
  );
}

function inOrderSent(
  problems: ReadonlyMap<string, Refusal>,
  changes: ReadonlyMap<string, JsonValue>,
): Map<string, Refusal> {
  const sorted = new Map<string, Refusal>();
  for (const name of changes.keys()) {
    const refusal = problems.get(name);
    if (refusal !== undefined) sorted.set(name, refusal);
  }
  return sorted;
}
