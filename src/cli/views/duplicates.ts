import type { AnswerOf } from '../../contract/registry.ts';
import { columns, type Style } from '../output.ts';

export function duplicateListView(duplicates: AnswerOf<'GET /users/{fp_id}/duplicates'>, style: Style) {
  const rows = duplicates.map(({ fp_id, external_id, kind, label, tags }) => [
    fp_id,
    external_id,
    kind,
    label,
    tags.join(', '),
  ]);
  return columns(['USER', 'EXTERNAL ID', 'SAME', 'LABEL', 'TAGS'], rows, style, 'No duplicates');
}
