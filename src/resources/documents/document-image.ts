import { DOCUMENT_SIDES, type DocumentType } from '../../contract/facts/vault.ts';

export const SIDES = DOCUMENT_SIDES;
export type DocumentFace = (typeof SIDES)[number];

/** A document kind, or custom. `selfie` is only a type in a record, never a kind. */
export type RecordKind = Exclude<DocumentType, 'selfie'>;

const SIDE_OF_KIND = /^document\.([a-z_]+)\.(front|back|selfie)\.image$/;

/**
 * The kind of record for a stored file, and the side that it shows; undefined when it is no document image, such as a
 * file under `custom.*` (contract §5). The identifier must be a known one, by its canonical name.
 */
export function documentImageOf(identifier: string): { kind: RecordKind; side: DocumentFace } | undefined {
  if (identifier.startsWith('document.custom.') || identifier === 'document.finra_compliance_letter') {
    return { kind: 'custom', side: 'front' };
  }
  const [, kind, side] = SIDE_OF_KIND.exec(identifier) ?? [];
  return kind === undefined ? undefined : { kind: kind as RecordKind, side: side as DocumentFace };
}
