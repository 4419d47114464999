import type { JsonValue } from '../../kernel/json.ts';
import { REFUSED, Refusal } from './refusals.ts';

/**
 * The rules between `id.ssn9`, `id.ssn4`, `id.itin` and `id.us_tax_id` (contract §1.3, rules 1 to 5), checked against
 * the vault as it would be after the request. Deletions of the request apply before its writes. Only `id.ssn9`,
 * `id.itin` and an `id.ssn4` without an `id.ssn9` are stored; the rest is derived.
 */
export const TAX_IDENTIFIERS = ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id'] as const;
export type TaxIdentifier = (typeof TAX_IDENTIFIERS)[number];

export function isTaxIdentifier(name: string): name is TaxIdentifier {
  return (TAX_IDENTIFIERS as readonly string[]).includes(name);
}

/**
 * What the vault has before the write. Never a value: whether a write is accepted must not depend on one, since the
 * caller may not be allowed to decrypt it.
 */
export interface VaultState {
  isStored(identifier: string): boolean;
}

/** The request's change of one tax identifier: a cleaned value, a refused one, or null to delete it. */
export type Sent = JsonValue | Refusal | undefined;

export interface TaxPlan {
  readonly problems: ReadonlyMap<TaxIdentifier, Refusal>;
  readonly set: ReadonlyMap<TaxIdentifier, string>;
  readonly remove: readonly TaxIdentifier[];
}

const NOTHING: TaxPlan = { problems: new Map(), set: new Map(), remove: [] };

function isWrite(sent: Sent): boolean {
  return sent !== undefined && sent !== null;
}

function textOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent : undefined;
}

/** Checks the request's tax identifiers against the vault; `set` and `remove` are valid only without problems. */
export function planTaxIdentifiers(
  sent: Readonly<Partial<Record<TaxIdentifier, JsonValue | Refusal>>>,
  state: VaultState,
): TaxPlan {
  if (Object.keys(sent).length === 0) return NOTHING;
  const { 'id.ssn9': ssn9, 'id.ssn4': ssn4, 'id.itin': itin, 'id.us_tax_id': taxId } = sent;
  const stays = (name: TaxIdentifier): boolean => sent[name] === undefined && state.isStored(name);
  const [ssn9Stays, ssn4Stays, itinStays] = [stays('id.ssn9'), stays('id.ssn4'), stays('id.itin')];
  const target = taxTarget(textOf(taxId), textOf(ssn9));
  // Rule 1: an ssn4 beside a written ssn9 is ignored, even if malformed.
  const ssn4Sent = isWrite(ssn9) || target === 'id.ssn9' ? undefined : ssn4;
  const itinWritten = isWrite(itin) || target === 'id.itin';

  const problems = new Map<TaxIdentifier, Refusal>();
  const refuse = (name: TaxIdentifier, value: Sent, exclusion: () => Refusal | undefined): void => {
    const refusal = value instanceof Refusal ? value : exclusion();
    if (refusal !== undefined) problems.set(name, refusal);
  };

  refuse('id.ssn9', ssn9, () => (isWrite(ssn9) && (itinStays || isWrite(itin)) ? REFUSED.XSSN : undefined));
  refuse('id.itin', itin, () => {
    const ssnPresent = ssn9Stays || ssn4Stays || isWrite(ssn9) || isWrite(ssn4Sent);
    return isWrite(itin) && ssnPresent ? REFUSED.XITIN : undefined;
  });
  refuse('id.ssn4', ssn4Sent, () => {
    if (ssn4Sent === undefined) return undefined;
    // Rule 2: the last four of an existing ssn9 are derived, whatever is sent.
    if (ssn9Stays) return REFUSED.DRV;
    return isWrite(ssn4Sent) && (itinStays || itinWritten) ? REFUSED.XSSN : undefined;
  });
  refuse('id.us_tax_id', taxId, () => {
    if (taxId === null) {
      return ssn9Stays || itinStays || isWrite(ssn9) || isWrite(itin) ? REFUSED.DRV : undefined;
    }
    const differs = [ssn9, itin].some((other) => typeof other === 'string' && other !== taxId);
    const otherKindPresent = target === 'id.ssn9' ? itinStays : ssn9Stays || ssn4Stays || isWrite(ssn4Sent);
    return target !== undefined && (differs || otherKindPresent) ? REFUSED.XTAX : undefined;
  });

  const set = new Map<TaxIdentifier, string>();
  const write = (name: TaxIdentifier, value: string | undefined): void => {
    if (value !== undefined) set.set(name, value);
  };
  if (target !== undefined) write(target, textOf(taxId));
  write('id.ssn9', textOf(ssn9));
  write('id.itin', textOf(itin));
  write('id.ssn4', textOf(ssn4Sent));

  const goes = (name: TaxIdentifier): boolean =>
    !set.has(name) && (sent[name] === null || (name === 'id.ssn4' && set.has('id.ssn9')));
  const remove = TAX_IDENTIFIERS.filter((name) => goes(name) && state.isStored(name));
  return { problems, set, remove };
}

/**
 * The identifier that a written us_tax_id sets: an ITIN starts with 9, unless it equals the ssn9 beside it, which has no
 * structure.
 */
function taxTarget(taxId: string | undefined, ssn9: string | undefined): 'id.ssn9' | 'id.itin' | undefined {
  if (taxId === undefined) return undefined;
  return taxId.startsWith('9') && taxId !== ssn9 ? 'id.itin' : 'id.ssn9';
}
