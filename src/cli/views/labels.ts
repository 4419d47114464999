import type { AnswerOf } from '../../contract/registry.ts';
import { columns, pairs, type Style } from '../output.ts';
import type { Tags } from '../labels.ts';

/** The answer to a question about the label, or `{}` after it was set. */
export function labelView(label: Partial<AnswerOf<'GET /users/{fp_id}/label'>>, style: Style): string {
  if (label.kind === undefined) return 'Done';
  return label.kind === null ? 'No label' : pairs({ label: label.kind, since: label.created_at }, style);
}

export function tagListView(tags: Tags, style: Style): string {
  const rows = tags.map(({ id, tag, created_at }) => [tag, created_at, id]);
  return columns(['TAG', 'SINCE', 'ID'], rows, style, 'No tags');
}
