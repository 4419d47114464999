/** Who may read an entity without an API key, and who has read it. */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../data/source.ts';
import type { Cell, Row } from '../../state/model.ts';
import type { PaneDefinition } from '../definition.ts';
import { inspected, targetOf, waysTo, type Inspection } from './inspection.ts';
import { defined } from '../../../kernel/defined.ts';

type Entry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

export const tokens: PaneDefinition = {
  title: 'Tokens',
  columns: [
    { heading: 'ID', isId: true },
    { heading: 'SCOPE' },
    { heading: 'STATE' },
    { heading: 'EXPIRES (UTC)', drop: 1 },
    { heading: 'FIELDS', grows: true },
  ],
  empty: 'No client tokens',
  changesWith: ['request', 'clock'],
  async load(source, { params }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const [{ tokens: items }, now] = await Promise.all([inspected(source, target), daemonTime(source)]);
    const rows = items.map((token) => ({
      data: token,
      key: token.id,
      cells: [
        token.id,
        token.scope,
        stateOf(token, now),
        shortTime(token.expires_at),
        token.fields.join(' ') || '-',
      ],
      id: token.id,
      command: ways.command('tokens', 'list', target.fp_id),
      call: ways.inspection,
    }));
    return { rows, next: null, total: rows.length };
  },
};

/** Tokens expire by the daemon's clock, which may differ from this machine's. */
async function daemonTime(source: Source): Promise<number> {
  const { now } = await source.once('clock', () => source.client.call('GET /_kyclone/clock'));
  return Date.parse(now);
}

function stateOf({ revoked, expires_at }: Inspection['tokens'][number], now: number): Cell {
  if (revoked) return { text: 'revoked', tone: 'dim' };
  return Date.parse(expires_at) <= now ? { text: 'expired', tone: 'dim' } : { text: 'valid', tone: 'good' };
}

export const accessLog: PaneDefinition = {
  title: 'Access',
  columns: [
    { heading: 'AT (UTC)' },
    { heading: 'OPERATION' },
    { heading: 'OUTCOME' },
    { heading: 'OPERATOR' },
    { heading: 'BY', drop: 1 },
    { heading: 'IDENTIFIERS', isId: true, atLeast: 12 },
    { heading: 'REASON', grows: true },
  ],
  empty: 'Nobody has read data here; searches that found this record are in: kyclone audit list',
  changesWith: ['access'],
  isFeed: true,
  async load({ client }, { params, cursor, size }) {
    const { fp_id } = targetOf(params);
    const { data, meta } = await client.call('GET /_kyclone/access-log', {
      query: { fp_id, page_size: size, ...defined({ cursor }) },
    });
    return { rows: data.map((entry) => entryRow(entry, fp_id)), next: meta.next, total: meta.count };
  },
};

function entryRow(entry: Entry, fp_id: string): Row {
  const { seq, at, operation, outcome, actor, identifiers, reason, request_id, operator } = entry;
  return {
    data: entry,
    key: String(seq),
    cells: [
      shortTime(at),
      operation,
      outcome === 'granted' ? outcome : { text: outcome, tone: 'bad' },
      operator ?? '-',
      `${actor.kind} ${actor.id}`,
      inShort(identifiers),
      reason ?? '-',
    ],
    id: request_id,
    command: ['audit', 'list', '--entity', fp_id],
    call: { method: 'GET', path: `/_kyclone/access-log?fp_id=${encodeURIComponent(fp_id)}` },
    opens: { screen: 'request', params: { request_id } },
  };
}

/** `id.ssn9 +3`: only the first of several, so that the reason has room. */
function inShort([first, ...others]: readonly string[]): string {
  if (first === undefined) return '-';
  return others.length === 0 ? first : `${first} +${others.length}`;
}
