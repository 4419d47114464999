/**
 * New data of bank links: requesting a refresh and waiting for it (contract §7.2, data_refresh), and letting days
 * pass on the clock, with the state before and after compared.
 */
import { boolean, option } from '@oclif/core/flags';
import { BANK_PRODUCTS, type BankProduct } from '../facts.ts';
import { pollUntil } from '../../../kernel/time/poll-until.ts';
import type { Client } from '../../../client/client.ts';
import type { BankLink } from '../endpoints/records.ts';
import { DAY_MS, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { CliError } from '../../../cli/shell/failure.ts';
import { needing } from '../../../cli/shell/flags.ts';
import { byDefault, durationFlag, durationText } from '../../../cli/shell/times.ts';
import { dateText, dayOf } from '../../../kernel/time/civil-date.ts';
import { moveClock } from '../../clock/commands/clock.ts';
import { allPages as everyPage } from '../../../client/pages.ts';
import { allPages, transactionsOf } from './ledgers.ts';
import { repeatable } from '../../../cli/shell/flags.ts';

const POLL_MS = 200;

export const refreshFlags = {
  product: option({
    summary: 'product to refresh; repeatable (default: all products of the link)',
    options: BANK_PRODUCTS,
    ...repeatable,
  })(),
  wait: boolean({ summary: 'wait until it is done; exit code 124 when the time runs out' }),
  timeout: needing(
    durationFlag({
      summary: 'how long --wait waits (default: 30s)',
      max: DAY_MS,
      ...byDefault(30 * SECOND_MS),
    }),
    'wait',
  ),
};

export const FROZEN_NOTE =
  'The clock is frozen, so nothing is refreshed before it moves: kyclone clock advance 2s';

export function productsOf(link: Pick<BankLink, 'products'>): BankProduct[] {
  const found = BANK_PRODUCTS.filter((product) => Object.hasOwn(link.products, product));
  return found.length === 0 ? [...BANK_PRODUCTS] : found;
}

export async function isClockFrozen(client: Client): Promise<boolean> {
  return (await client.call('GET /_kyclone/clock')).mode === 'frozen';
}

/**
 * The link after each product was refreshed since `before` was read. Throws CliError: 124 after `timeoutMs` of real
 * time, whatever the clock of the instance shows; 1 if the link is disconnected meanwhile.
 */
export async function waitForRefresh(
  client: Client,
  before: BankLink,
  { products, timeoutMs }: { products: readonly BankProduct[]; timeoutMs: number },
): Promise<BankLink> {
  let link = before;
  const left = () =>
    products.filter(
      (product) => link.products[product]?.refreshed_at === before.products[product]?.refreshed_at,
    );
  const isOver = async () => {
    link = await client.call('GET /bank_links/{link_id}', { params: { link_id: before.id } });
    return left().length === 0 || link.state === 'error';
  };
  await pollUntil(isOver, { everyMs: POLL_MS, timeoutMs });
  if (left().length === 0) return link;
  if (link.state === 'error') {
    throw new CliError('The link was disconnected before it was refreshed', {
      code: 'link_disconnected',
      hint: `kyclone bank link --link ${link.id} connects it again`,
    });
  }
  throw new CliError(`Not refreshed after ${durationText(timeoutMs)}: ${left().join(', ')}`, {
    code: 'timed_out',
    hint: (await isClockFrozen(client)) ? FROZEN_NOTE : 'kyclone bank links get LINK shows how it stands',
  });
}

export interface TickedLink extends Pick<BankLink, 'id' | 'fp_id' | 'state'> {
  readonly came: number;
  /** Transactions newly posted: pending ones that posted, and new ones that arrived posted. */
  readonly posted: number;
  readonly investments_came: number;
}

export interface Tick {
  readonly days: number;
  /** The time of the instance's clock after the move. */
  readonly now: string;
  /** Pieces of due work of any kind that ran during the move. */
  readonly drained: number;
  readonly links: readonly TickedLink[];
}

/** A pending transaction posts at most three days after its date; one more day covers the hours. */
const PENDING_DAYS = 4;

interface Standing {
  readonly total: number;
  readonly investments: number;
  /** Ids and dates of recent pending transactions. */
  readonly pending: ReadonlyMap<string, string>;
}

/**
 * Moves the clock and reports on one link, or on all links of the key. Throws what the calls throw. If the link is
 * missing, the clock does not move.
 */
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
