import type { AnswerOf } from '../../../contract/registry.ts';
import { facts, type Heading, pairs, shortTime, table, moreView } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { statusText } from '../../onboardings/commands/view.ts';
import type { MaskedItems } from './masked.ts';

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

/** With names and status if known. */
export function entityListView({ data, meta }: Page, style: Style, masked?: MaskedItems): string {
  const rows = data.map(({ id, external_id, sandbox_id }) => {
    const item = masked?.get(id);
    const more = item && [
      item.masked_name,
      item.status,
      item.requires_manual_review ? 'needed' : 'no',
      shortTime(item.created_at),
      shortTime(item.updated_at),
    ];
    return [id, external_id, sandbox_id, ...(masked === undefined ? [] : (more ?? UNKNOWN))];
  });
  const headings = masked === undefined ? OWN_HEADINGS : [...OWN_HEADINGS, ...MASKED_HEADINGS];
  return [table(headings, rows, style, 'None found'), ...moreView(meta, data.length, style)].join('\n');
}

const OWN_HEADINGS: readonly Heading[] = [
  'ID',
  { text: 'EXTERNAL ID', drop: 1 },
  { text: 'SANDBOX ID', drop: 3 },
];
const MASKED_HEADINGS: readonly Heading[] = [
  'NAME',
  'STATUS',
  'REVIEW',
  'CREATED (UTC)',
  { text: 'LAST ACTIVITY (UTC)', drop: 2 },
];
const UNKNOWN = MASKED_HEADINGS.map(() => null);

export function deletedView(): string {
  return 'Deleted';
}

export function duplicateListView(duplicates: AnswerOf<'GET /users/{fp_id}/duplicates'>, style: Style) {
  const rows = duplicates.map(({ fp_id, external_id, kind, label, tags }) => [
    fp_id,
    external_id,
    kind,
    label,
    tags.join(', '),
  ]);
  return table(DUPLICATE_HEADINGS, rows, style, 'No duplicates');
}

const DUPLICATE_HEADINGS: readonly Heading[] = [
  'USER',
  { text: 'EXTERNAL ID', drop: 3 },
  'SAME',
  { text: 'LABEL', drop: 1 },
  { text: 'TAGS', drop: 2 },
];

type Documents = AnswerOf<'GET /users/{fp_id}/documents'>;

/** Images as `identifier:version`, the form that vault decrypt takes. */
export function documentListView(documents: Documents, style: Style): string {
  const rows = documents.map(({ id, document_type, created_at, onboarding_id, images }) => [
    id,
    document_type,
    shortTime(created_at),
    onboarding_id === '' ? null : onboarding_id,
    [images.front, images.back, images.selfie]
      .filter((image) => image !== undefined)
      .map(({ identifier, version }) => `${identifier}:${version}`)
      .join(' '),
  ]);
  return table(DOCUMENT_HEADINGS, rows, style, 'No documents');
}

const DOCUMENT_HEADINGS: readonly Heading[] = [
  'ID',
  'TYPE',
  { text: 'CREATED (UTC)', drop: 1 },
  { text: 'ONBOARDING', drop: 2 },
  'IMAGE:VERSION',
];
