/** The duplicates, owners and banks of an entity, and its labels and tags. */
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { ScreenPlace } from '../../../tui/state/model.ts';
import type { PaneDefinition } from '../../../tui/screens/definition.ts';
import { stateCell } from '../../bank-links/screen/links.ts';
import { placeOf } from './place.ts';
import { labelCell, statusCell } from './people.ts';
import { fewOf, inspected, partOf, pathOf, targetOf, waysTo } from './inspection.ts';

/** A row for each person, with all that is the same. */
export const duplicates: PaneDefinition = {
  title: 'Duplicates',
  columns: [
    { heading: 'USER', isId: true },
    { heading: 'NAME' },
    { heading: 'STATUS' },
    { heading: 'SAME', grows: true, atLeast: 8 },
    { heading: 'LABEL' },
    { heading: 'TAGS', drop: 3 },
    { heading: 'EXTERNAL ID', drop: 2 },
  ],
  empty: 'No user has the same data; businesses are not compared',
  changesWith: ['request', 'event', 'onboarding'],
  async load(source, { params, cursor }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const { duplicates: found } = await inspected(source, target);
    const ids = [...new Set(found.map(({ fp_id }) => fp_id))];
    const people = ids.map((id) => found.filter(({ fp_id }) => fp_id === id));
    const { few, ...page } = fewOf(people, cursor);
    const others = await Promise.all(few.map(([one]) => otherOf(source, one?.fp_id ?? '')));
    const rows = few.flatMap((same, index) => {
      const [first] = same;
      if (first === undefined) return [];
      const { kind: _, ...person } = first;
      const { fp_id, label, tags, external_id } = first;
      const kinds = same.map(({ kind }) => kind);
      const other = others[index];
      return [
        {
          data: { ...person, kinds },
          key: fp_id,
          cells: [
            fp_id,
            other?.masked_name ?? '-',
            other === undefined ? '-' : statusCell(other.status, other.requires_manual_review),
            kinds.join(', '),
            labelCell(label),
            tags.join(', ') || '-',
            external_id ?? '-',
          ],
          id: fp_id,
          command: ways.command('users', 'duplicates', ways.fp_id),
          call: ways.get(`${pathOf(ways)}/duplicates`),
          opens: userPlace(fp_id),
          subject: { kind: 'pair', fp_id: ways.fp_id, owner: 'user', other: fp_id } as const,
          who: other?.masked_name ?? undefined,
        },
      ];
    });
    return { rows, ...page };
  },
};

export const labels = partOf({
  title: 'Labels',
  columns: [
    { heading: 'KIND' },
    { heading: 'NAME', grows: true },
    { heading: 'SINCE (UTC)' },
    { heading: 'ID', isId: true, drop: 1 },
  ],
  empty: 'No label and no tags: m labels, T tags',
  offers: ['label', 'tag'],
  changesWith: ['request'],
  page: ({ label, tags }, ways) => ({
    rows: [
      ...(label === null
        ? []
        : [
            {
              data: { kind: 'label', label },
              key: 'label',
              cells: ['label', labelCell(label), '-', '-'],
              command: ways.command(ways.nouns, 'label', ways.fp_id),
              call: ways.get(`${pathOf(ways)}/label`),
            },
          ]),
      ...tags.map(({ id, tag, created_at }) => ({
        data: { kind: 'tag', id, tag, created_at },
        key: id,
        cells: ['tag', tag, shortTime(created_at), id],
        id,
        subject: { kind: 'tag' as const, fp_id: ways.fp_id, owner: ways.kind, id, text: tag },
        command: ways.command(ways.nouns, 'tag', ways.fp_id),
        call: ways.get(`${pathOf(ways)}/tags`),
      })),
    ],
  }),
});

export const OWNERSHIP = 'Ownership';

export const owners: PaneDefinition = {
  title: OWNERSHIP,
  columns: [
    { heading: 'OWNER OR BUSINESS', isId: true },
    { heading: 'STAKE', align: 'right' },
    { heading: 'NAME', grows: true },
    { heading: 'STATUS' },
    { heading: 'LABEL' },
  ],
  empty: 'No owners and no businesses',
  changesWith: ['request', 'onboarding'],
  async load(source, { params, cursor }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const entity = await inspected(source, target);
    const isUser = target.kind === 'user';
    const others = isUser
      ? entity.businesses.map(({ fp_bid, ownership_stake }) => ({ fp_id: fp_bid, ownership_stake }))
      : entity.owners;
    const { few, ...page } = fewOf(others, cursor);
    const found = await Promise.all(few.map(({ fp_id }) => otherOf(source, fp_id)));
    const rows = few.map(({ fp_id, ownership_stake: stake }, index) => {
      const other = found[index];
      return {
        data: { fp_id, ownership_stake: stake, [isUser ? 'business' : 'user']: other ?? null },
        key: fp_id,
        cells: [
          fp_id,
          `${stake} %`,
          other?.masked_name ?? '-',
          other === undefined ? '-' : statusCell(other.status, other.requires_manual_review),
          labelCell(other?.label ?? null),
        ],
        id: fp_id,
        subject: isUser
          ? ({ kind: 'stake', user: target.fp_id, business: fp_id, row: 'business' } as const)
          : ({ kind: 'stake', user: fp_id, business: target.fp_id, row: 'user' } as const),
        who: other?.masked_name ?? undefined,
        ...(isUser
          ? { command: ways.command('businesses', 'get', fp_id), call: ways.inspection }
          : {
              command: ways.command('businesses', 'owners', target.fp_id),
              call: ways.get(`${pathOf(target)}/owners`),
            }),
        opens: placeOf(fp_id),
      };
    });
    return { rows, ...page };
  },
};

/** A short masked summary. Undefined if the entity was deleted meanwhile. */
export async function otherOf({ client, space }: Source, fp_id: string) {
  const query = { ...space, q: fp_id, page_size: 1 } as const;
  const { data } = await client.call('GET /_kyclone/entities', { query });
  return data.find(({ id }) => id === fp_id);
}

function userPlace(fp_id: string): ScreenPlace {
  return { screen: 'entity', params: { fp_id, kind: 'user' } };
}

export const bankLinks = partOf({
  title: 'Banks',
  columns: [
    { heading: 'LINK', isId: true },
    { heading: 'INSTITUTION', grows: true },
    { heading: 'STATE' },
    { heading: 'SYNCED (UTC)', drop: 1 },
    { heading: 'CREATED (UTC)', drop: 3 },
    { heading: 'EXTERNAL ID', drop: 2 },
  ],
  empty: 'No bank links',
  changesWith: ['request', 'event'],
  page: ({ bank_links: links }, ways) => ({
    rows: links.map((link) => ({
      data: link,
      key: link.id,
      cells: [
        link.id,
        link.institution_name,
        stateCell(link),
        shortTime(link.last_synced_at),
        shortTime(link.created_at),
        link.external_id ?? '-',
      ],
      id: link.id,
      command: ways.command('bank', 'links', 'get', link.id),
      call: ways.get(`/bank_links/${link.id}`),
      opens: { screen: 'bank', params: { link_id: link.id, fp_id: ways.fp_id } },
    })),
  }),
});
