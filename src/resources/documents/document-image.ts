import { DOCUMENT_SIDES, type DocumentType } from '../../contract/facts/vault.ts';

export const SIDES = DOCUMENT_SIDES;
export type Side = (typeof SIDES)[number];

/** A document kind, or custom. `selfie` is a type that a record shows, never a kind. */
export type RecordKind = Exclude<DocumentType, 'selfie'>;

const SIDE_OF_KIND = /^document\.([a-z_]+)\.(front|back|selfie)\.image$/;

/**
 * The kind of record that a stored file is an image of, and its side; undefined when it is no document image,
 * as a file under `custom.*` (contract §5). The identifier is a known one, by its canonical name.
 */
export function documentImageOf(identifier: string): { kind: RecordKind; side: Side } | undefined {
  if (identifier.startsWith('document.custom.') || identifier === 'document.finra_compliance_letter') {
    return { kind: 'custom', side: 'front' };
  }
  const [, kind, side] = SIDE_OF_KIND.exec(identifier) ?? [];
  return kind === undefined ? undefined : { kind: kind as RecordKind, side: side as Side };
}
