/** The access log of an environment: who read what of whom, and why, newest first (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Cell, Page, Row } from '../state/model.ts';
import { ACCESS_FILTERS, accessQuery } from './access-filter.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { placeOf, subjectOf } from './entity-place.ts';

export type AccessEntry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

export const accessScreen: ScreenDefinition = {
  name: 'access',
  paletteName: 'access log',
  title: () => 'Access log',
  panes: [
    {
      title: 'Access log',
      columns: [
        { heading: 'AT (UTC)' },
        { heading: 'OPERATOR' },
        { heading: 'OPERATION' },
        { heading: 'OUTCOME' },
        { heading: 'WHO', isId: true, atLeast: 8 },
        { heading: 'IDENTIFIERS', atLeast: 12 },
        { heading: 'REASON', grows: true, drop: 1 },
        { heading: 'BY', drop: 2 },
        { heading: 'REQUEST', isId: true, drop: 3 },
      ],
      empty: 'Nobody has read data here',
      changesWith: ['access'],
      isFeed: true,
      filteredBy: 'daemon',
      load: loadEntries,
    },
  ],
};

async function loadEntries(source: Source, { cursor, filter, size }: PageQuery): Promise<Page> {
  const { client, space } = source;
  const wanted = accessQuery(filter, filter === '' ? 0 : await daemonTime(source));
  if (wanted === undefined) return { rows: [], next: null, total: 0, banner: ACCESS_FILTERS };
  const { data, meta } = await client.call('GET /_kyclone/access-log', {
    query: { ...space, ...wanted, page_size: size, ...defined({ cursor }) },
  });
  const banner = data.length === 0 && wanted.operator !== undefined ? WHOLE_NAME : undefined;
  return { rows: data.map(entryRow), next: meta.next, total: meta.count, banner };
}

const WHOLE_NAME = 'operator: means a whole name; a word alone finds a part of it';

/** By the clock of the instance, which may be far from the machine's. */
export async function daemonTime(source: Source): Promise<number> {
  const { now } = await source.once('clock', () => source.client.call('GET /_kyclone/clock'));
  return Date.parse(now);
}

function entryRow(entry: AccessEntry): Row {
  const { seq, at, operation, operator, actor, fp_id, reason, request_id } = entry;
  const request = { screen: 'request', params: { request_id } } as const;
  return {
    data: entry,
    key: String(seq),
    cells: [
      shortTime(at),
      operator ?? '-',
      operation,
      outcomeCell(entry),
      fp_id ?? '-',
      whatOf(entry),
      reason ?? '-',
      `${actor.kind} ${actor.id}`,
      request_id,
    ],
    id: request_id,
    command: ['audit', 'list', ...(fp_id === null ? [] : ['--entity', fp_id])],
    call: {
      method: 'GET',
      path: `/_kyclone/access-log${fp_id === null ? '' : `?fp_id=${encodeURIComponent(fp_id)}`}`,
    },
    opens: fp_id === null ? request : placeOf(fp_id),
    ...(fp_id !== null && { subject: subjectOf(fp_id) }),
  };
}

export function outcomeCell({ outcome }: Pick<AccessEntry, 'outcome'>): string | Cell {
  return outcome === 'granted' ? outcome : { text: outcome, tone: 'bad' };
}

/** What an action did; what was read, with the results of a verification, those that don't match first. */
export function whatOf({ effect, identifiers, results }: AccessEntry): string {
  if (effect !== null) return effect;
  if (results === null) return inShort(identifiers);
  const isMiss = (name: string) => results[name] === 'no_match';
  const named = (name: string) => `${name}: ${results[name]?.replaceAll('_', ' ') ?? '-'}`;
  const missesFirst = identifiers.toSorted((one, next) => Number(isMiss(next)) - Number(isMiss(one)));
  return inShort(missesFirst.map(named));
}

/** `id.ssn9 +3`: only the first of several, so that the reason has room. */
function inShort([first, ...others]: readonly string[]): string {
  if (first === undefined) return '-';
  return others.length === 0 ? first : `${first} +${others.length}`;
}
