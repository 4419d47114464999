import type { AnswerOf } from '../../contract/registry.ts';
import { columns, type Style } from '../output.ts';

type Documents = AnswerOf<'GET /users/{fp_id}/documents'>;

/** Images as `identifier:version`, which is how vault decrypt takes them. */
export function documentListView(documents: Documents, style: Style): string {
  const rows = documents.map(({ id, document_type, created_at, onboarding_id, images }) => [
    id,
    document_type,
    created_at,
    onboarding_id,
    [images.front, images.back, images.selfie]
      .filter((image) => image !== undefined)
      .map(({ identifier, version }) => `${identifier}:${version}`)
      .join(' '),
  ]);
  return columns(['ID', 'TYPE', 'CREATED', 'ONBOARDING', 'IMAGES'], rows, style, 'No documents');
}
