/** What time brings to bank links: the clock is moved, and what was there before is held against what is there after. */
import type { Client } from '../../client/client.ts';
import type { BankLink } from '../../contract/bank-records.ts';
import { dateText, dayOf } from '../../kernel/civil-date.ts';
import { moveClock } from '../clock/moves.ts';
import { allPages as everyPage } from '../../client/pages.ts';
import { allPages } from './ledger-pages.ts';
import { transactionsOf } from './ledgers.ts';

export interface TickedLink extends Pick<BankLink, 'id' | 'fp_id' | 'state'> {
  /** Transactions that weren't there before. */
  readonly came: number;
  /** Transactions that are posted and weren't before: pending ones that did, and those that came so. */
  readonly posted: number;
  readonly investments_came: number;
}

export interface Tick {
  readonly days: number;
  /** By the clock of the instance, after the move. */
  readonly now: string;
  /** Pieces of due work that ran on the way, whatever they were about. */
  readonly drained: number;
  readonly links: readonly TickedLink[];
}

/** A pending transaction posts three days after its date at the latest; one more for the hours. */
const PENDING_DAYS = 4;

interface Standing {
  readonly total: number;
  readonly investments: number;
  /** Ids and dates of what is pending of late. */
  readonly pending: ReadonlyMap<string, string>;
}

/** Of one link, or of all that the key has. Throws what the calls throw: nothing moves when a link isn't there. */
export async function tick(
  client: Client,
  { days, link }: { days: number; link: string | undefined },
): Promise<Tick> {
  const ids = link === undefined ? await allLinks(client) : [link];
  const { now: start } = await client.call('GET /_kyclone/clock');
  const before = new Map<string, Standing>();
  for (const id of ids) before.set(id, await standing(client, id, start));
  const { now, drained } = await moveClock(client, { action: 'advance', by: `${days}d` });
  const links: TickedLink[] = [];
  for (const [id, was] of before) {
    const { fp_id, state } = await client.call('GET /bank_links/{link_id}', { params: { link_id: id } });
    links.push({ id, fp_id, state, ...(await whatCame(client, id, { was, now })) });
  }
  return { days, now, drained, links };
}

async function allLinks(client: Client): Promise<string[]> {
  const links = await everyPage((page) => client.call('GET /bank_links', { query: page }));
  return links.map(({ id }) => id);
}

async function whatCame(client: Client, id: string, { was, now }: { was: Standing; now: string }) {
  const is = await standing(client, id, now);
  const dates = [...was.pending.values()].sort();
  const older =
    dates[0] === undefined ? new Map<string, string>() : await pendingOf(client, id, dates[0], dates.at(-1));
  const stillPending = [...was.pending.keys()].filter((one) => older.has(one)).length;
  const newPending = [...is.pending.keys()].filter((one) => !was.pending.has(one)).length;
  const came = is.total - was.total;
  return {
    came,
    posted: came - newPending + was.pending.size - stillPending,
    investments_came: is.investments - was.investments,
  };
}

async function standing(client: Client, id: string, now: string): Promise<Standing> {
  const params = { link_id: id };
  const query = { size: 1 };
  const { total } = await client.call('GET /bank_links/{link_id}/transactions', { params, query });
  const { total: investments } = await client.call('GET /bank_links/{link_id}/investments/transactions', {
    params,
    query,
  });
  const from = dateText(dayOf(Date.parse(now)) - PENDING_DAYS);
  return { total, investments, pending: await pendingOf(client, id, from) };
}

/** Ids and dates. */
async function pendingOf(
  client: Client,
  id: string,
  from: string,
  to?: string,
): Promise<Map<string, string>> {
  const pending = new Map<string, string>();
  const query = { account_ids: undefined, start_date: from, end_date: to };
  for await (const { entries } of allPages(transactionsOf(client, id), query)) {
    for (const entry of entries) if (entry.pending) pending.set(entry.transaction_id, entry.date);
  }
  return pending;
}
