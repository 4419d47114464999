/** Entities awaiting a manual decision, longest first, with the reason (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { TenantEnvironment } from '../data/source.ts';
import type { Row } from '../state/model.ts';
import type { ScreenDefinition } from './definition.ts';
import { placeOf, subjectOf, WHO_WIDTH } from './entity-place.ts';
import { labelCell } from './people.ts';
import { spacedCommand, spacedPath } from './space.ts';
import { defined } from '../../kernel/defined.ts';

type Waiting = AnswerOf<'GET /_kyclone/reviews'>['data'][number];

export const reviewsScreen: ScreenDefinition = {
  name: 'reviews',
  paletteName: 'reviews',
  title: () => 'Review queue',
  panes: [
    {
      title: 'Reviews',
      columns: [
        { heading: 'WAITING SINCE (UTC)' },
        { heading: 'WHO', isId: true, atLeast: WHO_WIDTH },
        { heading: 'NAME' },
        { heading: 'STATUS', drop: 1 },
        { heading: 'LABEL', hidesEmpty: true },
        { heading: 'CLAIMED BY', hidesEmpty: true },
        { heading: 'WHY', grows: true, atLeast: 30 },
      ],
      empty: 'Nobody waits for a review',
      changesWith: ['onboarding', 'access'],
      async load({ client, space }, { cursor, size }) {
        const query = { ...space, page_size: size, ...defined({ cursor }) };
        const { data, meta } = await client.call('GET /_kyclone/reviews', { query });
        return { rows: data.map((item) => rowOf(item, space)), next: meta.next, total: meta.count };
      },
    },
  ],
};

function rowOf(item: Waiting, space: TenantEnvironment): Row {
  return {
    key: item.id,
    data: item,
    cells: [
      shortTime(item.waiting_since),
      item.id,
      item.masked_name ?? '-',
      { text: item.status, tone: 'warn' },
      labelCell(item.label),
      item.claim === null ? '-' : { text: item.claim.operator, tone: 'warn' },
      whyOf(item),
    ],
    id: item.id,
    command: spacedCommand([item.kind === 'user' ? 'users' : 'businesses', 'get', item.id], space),
    call: { method: 'GET', path: spacedPath('/_kyclone/reviews', space) },
    opens: placeOf(item.id),
    subject: subjectOf(item.id),
    who: item.masked_name ?? undefined,
  };
}

/** `OFAC list hit (high), Name does not match (medium), and 3 more`. */
function whyOf({ signals, signal_count: count }: Waiting): string {
  if (count === 0) return 'its run asked for a review and found no signals';
  const gravest = signals.map(({ note, severity }) => `${note} (${severity})`).join(', ');
  return count > signals.length ? `${gravest}, and ${count - signals.length} more` : gravest;
}
