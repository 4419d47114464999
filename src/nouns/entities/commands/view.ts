import type { AnswerOf } from '../../../contract/registry.ts';
import { facts, type ListColumn, listView, pairs, shortTime } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { statusText } from '../../onboardings/commands/view.ts';
import type { MaskedItem, MaskedItems } from './masked.ts';

type Reference = AnswerOf<'POST /users'>;
type Details = AnswerOf<'GET /users/{fp_id}'>;
type Page = AnswerOf<'GET /users'>;

export function entityView(entity: Reference | Details, style: Style): string {
  if (!('status' in entity)) return pairs(entity, style);
  const { status, requires_manual_review: review, ...rest } = entity;
  const { requires_additional_info: asked, ...reference }: Partial<typeof rest> = rest;
  return facts(
    {
      ...reference,
      status: statusText(status, style),
      review: review ? 'needed' : 'no',
      ...(asked && { 'asked for': asked.note }),
    },
    style,
  );
}

type Listed = Page['data'][number] & { readonly item: MaskedItem | undefined };

const OWN_COLUMNS: readonly ListColumn<Listed>[] = [
  ['ID', 'id'],
  ['EXTERNAL ID', 'external_id', 1],
  ['SANDBOX ID', 'sandbox_id', 3],
];
const MASKED_COLUMNS: readonly ListColumn<Listed>[] = [
  ['NAME', ({ item }) => item?.masked_name],
  ['STATUS', ({ item }) => item?.status],
  ['REVIEW', ({ item }) => item && (item.requires_manual_review ? 'needed' : 'no')],
  ['CREATED (UTC)', ({ item }) => item && shortTime(item.created_at)],
  ['LAST ACTIVITY (UTC)', ({ item }) => item && shortTime(item.updated_at), 2],
];

export function entityListView({ data, meta }: Page, style: Style, masked?: MaskedItems): string {
  const listed = data.map((entity) => ({ ...entity, item: masked?.get(entity.id) }));
  const columns = masked === undefined ? OWN_COLUMNS : [...OWN_COLUMNS, ...MASKED_COLUMNS];
  return listView<Page & { data: readonly Listed[] }>('None found', columns)({ data: listed, meta }, style);
}

export const duplicateListView = listView<AnswerOf<'GET /users/{fp_id}/duplicates'>>('No duplicates', [
  ['USER', 'fp_id'],
  ['EXTERNAL ID', 'external_id', 3],
  ['SAME', 'kind'],
  ['LABEL', 'label', 1],
  ['TAGS', ({ tags }) => tags.join(', '), 2],
]);

/** Images as `identifier:version`, the form that vault decrypt takes. */
export const documentListView = listView<AnswerOf<'GET /users/{fp_id}/documents'>>('No documents', [
  ['ID', 'id'],
  ['TYPE', 'document_type'],
  ['CREATED (UTC)', ({ created_at }) => shortTime(created_at), 1],
  ['ONBOARDING', 'onboarding_id', 2],
  [
    'IMAGE:VERSION',
    ({ images: { front, back, selfie } }) =>
      [front, back, selfie]
        .filter((image) => image !== undefined)
        .map(({ identifier, version }) => `${identifier}:${version}`)
        .join(' '),
  ],
]);
