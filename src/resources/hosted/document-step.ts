/** The document step of a hosted flow (contract §14, step 4). Pure. */
import { DOCUMENT_KINDS, type DocumentKind, type DocumentSide } from '../../contract/facts/vault.ts';
import type { PlaybookRow } from '../playbooks/index.ts';

/** Kinds that show a number or an address but prove no identity. */
const ONE_PAGE: ReadonlySet<DocumentKind> = new Set(['ssn_card', 'proof_of_address']);
const WITH_BACK: ReadonlySet<DocumentKind> = new Set([
  ...(['id_card', 'drivers_license', 'permit', 'residence_document', 'voter_identification'] as const),
  'passport_card',
]);
export const IDENTITY_KINDS = DOCUMENT_KINDS.filter((kind) => !ONE_PAGE.has(kind));

/** The kinds to choose from; empty when no document is required. */
export function documentKinds(
  playbook: Pick<PlaybookRow, 'kind' | 'documents'>,
  known: { readonly isStepUp: boolean; readonly isStored: (identifier: string) => boolean },
): readonly DocumentKind[] {
  const asked = playbook.documents ?? (playbook.kind === 'document' ? DOCUMENT_KINDS : []);
  if (known.isStepUp) {
    const fitting = asked.filter((kind) => IDENTITY_KINDS.includes(kind));
    return fitting.length > 0 ? fitting : IDENTITY_KINDS;
  }
  return asked.some((kind) => known.isStored(imageOf(kind, 'front'))) ? [] : asked;
}

export function sidesOf(kind: DocumentKind, { selfie }: Pick<PlaybookRow, 'selfie'>): DocumentSide[] {
  return [
    'front',
    ...(WITH_BACK.has(kind) ? (['back'] as const) : []),
    ...(selfie ? (['selfie'] as const) : []),
  ];
}

export function imageOf(kind: DocumentKind, side: DocumentSide): string {
  return `document.${kind}.${side}.image`;
}
