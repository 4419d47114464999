/** Who shares data with an entity, who owns it, its banks, and what people have marked it with. */
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../data/source.ts';
import type { Cell, ScreenPlace } from '../../state/model.ts';
import type { PaneDefinition } from '../definition.ts';
import { stateCell } from '../banks.ts';
import { statusCell } from '../people.ts';
import { fewOf, inspected, partOf, pathOf, targetOf, waysTo } from './inspection.ts';

export const duplicates = partOf({
  title: 'Duplicates',
  columns: [
    { heading: 'USER', isId: true },
    { heading: 'SAME', grows: true },
    { heading: 'LABEL' },
    { heading: 'TAGS', drop: 2 },
    { heading: 'EXTERNAL ID', drop: 1 },
  ],
  empty: 'Nobody shares data with this one; only users are compared',
  changesWith: ['request', 'event'],
  page: ({ duplicates: found }, ways) => ({
    rows: found.map(({ fp_id, kind, label, tags, external_id }, index) => ({
      data: found[index],
      key: `${fp_id} ${kind}`,
      cells: [fp_id, kind, labelCell(label), tags.join(', ') || '-', external_id ?? '-'],
      id: fp_id,
      command: ways.command('users', 'duplicates', ways.fp_id),
      call: ways.get(`${pathOf(ways)}/duplicates`),
      opens: userPlace(fp_id),
      subject: { kind: 'pair', fp_id: ways.fp_id, owner: 'user', other: fp_id },
    })),
  }),
});

export const labels = partOf({
  title: 'Labels',
  columns: [
    { heading: 'KIND' },
    { heading: 'NAME', grows: true },
    { heading: 'SINCE (UTC)' },
    { heading: 'ID', isId: true, drop: 1 },
  ],
  empty: 'Neither a label nor tags',
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
        command: ways.command(ways.nouns, 'tag', ways.fp_id),
        call: ways.get(`${pathOf(ways)}/tags`),
      })),
    ],
  }),
});

function labelCell(label: string | null): Cell {
  if (label === null) return { text: '-', tone: 'dim' };
  return { text: label, tone: label === 'active' ? 'good' : 'bad' };
}

export const owners: PaneDefinition = {
  title: 'Owners',
  columns: [
    { heading: 'USER', isId: true },
    { heading: 'STAKE', align: 'right' },
    { heading: 'NAME', grows: true },
    { heading: 'STATUS' },
  ],
  empty: 'No owners',
  changesWith: ['request', 'onboarding'],
  async load(source, { params, cursor }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const entity = await inspected(source, target);
    if (target.kind === 'user') {
      const banner = 'Businesses have owners; which ones a user owns is shown on their screens only';
      return { rows: [], next: null, total: 0, banner };
    }
    const { few, ...page } = fewOf(entity.owners, cursor);
    const users = await Promise.all(few.map(({ fp_id }) => userOf(source, fp_id)));
    const rows = few.map(({ fp_id, ownership_stake: stake }, index) => {
      const user = users[index];
      return {
        data: { fp_id, ownership_stake: stake, user: user ?? null },
        key: fp_id,
        cells: [
          fp_id,
          `${stake} %`,
          user?.masked_name ?? '-',
          user === undefined ? '-' : statusCell(user.status, user.requires_manual_review),
        ],
        id: fp_id,
        command: ways.command('businesses', 'owners', target.fp_id),
        call: ways.get(`${pathOf(target)}/owners`),
        opens: userPlace(fp_id),
      };
    });
    return { rows, ...page };
  },
};

/** In short, masked. Undefined when it was deleted meanwhile. */
async function userOf({ client, space }: Source, fp_id: string) {
  const query = { ...space, kind: 'user', q: fp_id, page_size: 1 } as const;
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
