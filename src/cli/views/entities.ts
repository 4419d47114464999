import type { AnswerOf } from '../../contract/registry.ts';
import { facts } from '../layout.ts';
import { columns, pairs, type Style } from '../output.ts';
import { statusText } from './onboardings.ts';

type Reference = AnswerOf<'POST /users'>;
type Details = AnswerOf<'GET /users/{fp_id}'>;
type Page = AnswerOf<'GET /users'>;

export function entityView(entity: Reference | Details, style: Style): string {
  if (!('status' in entity)) return pairs(entity, style);
  const { status, requires_manual_review: review, ...reference } = entity;
  return facts({ ...reference, status: statusText(status, style), review: review ? 'needed' : 'no' }, style);
}

export function entityListView({ data, meta }: Page, style: Style): string {
  const rows = data.map(({ id, external_id, sandbox_id }) => [id, external_id, sandbox_id]);
  const table = columns(['ID', 'EXTERNAL ID', 'SANDBOX ID'], rows, style, 'None found');
  return [table, ...moreView(meta, data.length, style)].join('\n');
}

/** The line under a page that isn't the last. */
export function moreView(meta: Page['meta'], shown: number, style: Style): string[] {
  if (meta.next === null) return [];
  return [style.dim(`${shown} of ${meta.count}; go on with --cursor ${meta.next}`)];
}

export function deletedView(): string {
  return 'Deleted';
}
