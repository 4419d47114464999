/** The duplicates, owners and banks of an entity, and its labels and tags. */
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell } from '../../../tui/state/model.ts';
import type { PageQuery } from '../../../tui/screens/definition.ts';
import { itemsPane } from '../../../tui/screens/list-pane.ts';
import { stateCell } from '../../bank-links/screen/links.ts';
import { placeOf } from './place.ts';
import { labelCell, statusCell } from './people.ts';
import { fewOf, inspected, type Inspection, itemsOf, targetOf, waysTo } from './inspection.ts';

/** A row for each person, with all that is the same. */
export const duplicates = itemsPane(findDuplicates, {
  title: 'Duplicates',
  columns: [
    { heading: 'USER', isId: true, cell: ({ person }) => person.fp_id },
    { heading: 'NAME', cell: nameOf },
    { heading: 'STATUS', cell: statusOf },
    { heading: 'SAME', grows: true, atLeast: 8, cell: ({ kinds }) => kinds.join(', ') },
    { heading: 'LABEL', cell: ({ person }) => labelCell(person.label) },
    { heading: 'TAGS', drop: 3, cell: ({ person }) => person.tags.join(', ') || '-' },
    { heading: 'EXTERNAL ID', drop: 2, cell: ({ person }) => person.external_id ?? '-' },
  ],
  empty: 'No user has the same data; businesses are not compared',
  changesWith: ['request', 'event', 'onboarding'],
  row: ({ person, kinds, other }, ways) => ({
    data: { ...person, kinds },
    id: person.fp_id,
    ...ways.copies(['users', 'duplicates', ways.fp_id], `${ways.path}/duplicates`),
    opens: { screen: 'entity', params: { fp_id: person.fp_id, kind: 'user' } },
    subject: { kind: 'pair', fp_id: ways.fp_id, owner: 'user', other: person.fp_id },
    who: other?.masked_name ?? undefined,
  }),
});

async function findDuplicates(source: Source, { params, cursor }: PageQuery) {
  const target = targetOf(params);
  const { duplicates: found } = await inspected(source, target);
  const ids = [...new Set(found.map(({ fp_id }) => fp_id))];
  const people = ids.map((id) => found.filter(({ fp_id }) => fp_id === id));
  const { few, ...page } = fewOf(people, cursor);
  const items = await Promise.all(
    few.flatMap(([first, ...same]) => {
      if (first === undefined) return [];
      const { kind, ...person } = first;
      const kinds = [kind, ...same.map((each) => each.kind)];
      return [otherOf(source, person.fp_id).then((other) => ({ person, kinds, other }))];
    }),
  );
  return { items, more: waysTo(target, source), ...page };
}

/** What is known of somebody else; undefined if the entity was deleted meanwhile. */
interface Related {
  readonly other: Awaited<ReturnType<typeof otherOf>>;
}

function nameOf({ other }: Related): string {
  return other?.masked_name ?? '-';
}

function statusOf({ other }: Related): string | Cell {
  return other === undefined ? '-' : statusCell(other.status, other.requires_manual_review);
}

/** The label, if there is one, and the tags. */
export const labels = itemsOf(
  ({ label, tags }) => [
    ...(label === null ? [] : [{ label, tag: undefined }]),
    ...tags.map((tag) => ({ label: undefined, tag })),
  ],
  {
    title: 'Labels',
    columns: [
      { heading: 'KIND', cell: ({ tag }) => (tag ? 'tag' : 'label') },
      { heading: 'NAME', grows: true, cell: ({ label = null, tag }) => tag?.tag ?? labelCell(label) },
      { heading: 'SINCE (UTC)', cell: ({ tag }) => shortTime(tag?.created_at ?? null) },
      { heading: 'ID', isId: true, drop: 1, cell: ({ tag }) => tag?.id ?? '-' },
    ],
    empty: 'No label and no tags: m labels, T tags',
    offers: ['label', 'tag'],
    changesWith: ['request'],
    row: ({ label, tag }, ways) =>
      tag === undefined
        ? {
            data: { kind: 'label', label },
            key: 'label',
            ...ways.copies([ways.nouns, 'label', ways.fp_id], `${ways.path}/label`),
          }
        : {
            data: { kind: 'tag', ...tag },
            id: tag.id,
            subject: { kind: 'tag', fp_id: ways.fp_id, owner: ways.kind, id: tag.id, text: tag.tag },
            ...ways.copies([ways.nouns, 'tag', ways.fp_id], `${ways.path}/tags`),
          },
  },
);

export const OWNERSHIP = 'Ownership';

export const owners = itemsPane(findOwners, {
  title: OWNERSHIP,
  columns: [
    { heading: 'OWNER OR BUSINESS', isId: true, cell: 'fp_id' },
    { heading: 'STAKE', align: 'right', cell: ({ stake }) => `${stake} %` },
    { heading: 'NAME', grows: true, cell: nameOf },
    { heading: 'STATUS', cell: statusOf },
    { heading: 'LABEL', cell: ({ other }) => labelCell(other?.label ?? null) },
  ],
  empty: 'No owners and no businesses',
  changesWith: ['request', 'onboarding'],
  row: ({ fp_id, stake, other }, ways) => ({
    id: fp_id,
    who: other?.masked_name ?? undefined,
    opens: placeOf(fp_id),
    ...(ways.kind === 'user'
      ? {
          data: { fp_id, ownership_stake: stake, business: other ?? null },
          subject: { kind: 'stake', user: ways.fp_id, business: fp_id, row: 'business' },
          ...ways.copies(['businesses', 'get', fp_id], ways.inspection),
        }
      : {
          data: { fp_id, ownership_stake: stake, user: other ?? null },
          subject: { kind: 'stake', user: fp_id, business: ways.fp_id, row: 'user' },
          ...ways.copies(['businesses', 'owners', ways.fp_id], `${ways.path}/owners`),
        }),
  }),
});

async function findOwners(source: Source, { params, cursor }: PageQuery) {
  const target = targetOf(params);
  const entity = await inspected(source, target);
  const others =
    target.kind === 'user'
      ? entity.businesses.map(({ fp_bid, ownership_stake: stake }) => ({ fp_id: fp_bid, stake }))
      : entity.owners.map(({ fp_id, ownership_stake: stake }) => ({ fp_id, stake }));
  const { few, ...page } = fewOf(others, cursor);
  const items = await Promise.all(
    few.map(async (each) => ({ ...each, other: await otherOf(source, each.fp_id) })),
  );
  return { items, more: waysTo(target, source), ...page };
}

/** A short masked summary. Undefined if the entity was deleted meanwhile. */
export async function otherOf({ client, space }: Source, fp_id: string) {
  const query = { ...space, q: fp_id, page_size: 1 } as const;
  const { data } = await client.call('GET /_kyclone/entities', { query });
  return data.find(({ id }) => id === fp_id);
}

export const bankLinks = itemsOf((entity: Inspection) => entity.bank_links, {
  title: 'Banks',
  columns: [
    { heading: 'LINK', isId: true, cell: 'id' },
    { heading: 'INSTITUTION', grows: true, cell: 'institution_name' },
    { heading: 'STATE', cell: stateCell },
    { heading: 'SYNCED (UTC)', drop: 1, cell: ({ last_synced_at: at }) => shortTime(at) },
    { heading: 'CREATED (UTC)', drop: 3, cell: ({ created_at: at }) => shortTime(at) },
    { heading: 'EXTERNAL ID', drop: 2, cell: 'external_id' },
  ],
  empty: 'No bank links',
  changesWith: ['request', 'event'],
  row: ({ id }, ways) => ({
    id,
    ...ways.copies(['bank', 'links', 'get', id], `/bank_links/${id}`),
    opens: { screen: 'bank', params: { link_id: id, fp_id: ways.fp_id } },
  }),
});
