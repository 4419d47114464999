import type { JsonValue } from '../../kernel/json.ts';
import { shape } from './masks.ts';
import { findIdentifier } from './registry.ts';

export type { EntityKind, Family, IdentifierDescription, Derive } from './rule.ts';
export { describeIdentifier, parseIdentifierReference, requireKnownIdentifiers } from './registry.ts';
export type { IdentifierReference } from './registry.ts';
export type { VaultState } from './tax-identifiers.ts';
export { planWrite, replacedBy } from './plan-write.ts';
export type { WritePlan, WriteRequest } from './plan-write.ts';
export { planDelete } from './plan-delete.ts';
export type { DeletePlan, DeleteRequest } from './plan-delete.ts';
export { mayBeFile, planUpload } from './plan-upload.ts';
export type { UploadPlan } from './plan-upload.ts';
export { findPresent, presentIdentifiers, readingOf } from './readings.ts';
export type { Reading } from './readings.ts';
export { DOCUMENT_KINDS, ONE_PAGE_KINDS } from './document.ts';
export { comparableText, fold } from './comparison.ts';
export {
  fingerprintedIdentifiers,
  fingerprintParts,
  fingerprintSlotsTouchedBy,
  searchKeys,
} from './fingerprints.ts';
export type { FingerprintKind, FingerprintSlot } from './fingerprints.ts';
export { REFUSED, Refusal, vaultDataNotValid } from './refusals.ts';
export { maskFile } from './masks.ts';

/** The masked value for screens and the journal (contract §1.2); for an unknown identifier only its shape. */
export function maskValue(identifier: string, value: JsonValue): string {
  const mask = findIdentifier(identifier)?.rule.mask ?? shape;
  return mask(value);
}
