/** Stores the data that a bank has reported since the last refresh (contract §7.2, §7.3). */
import type { BankProduct } from '../facts.ts';
import { dayOf, startOfDay } from '../../../kernel/time/civil-date.ts';
import type { Database } from '../../../storage/database.ts';
import type { BankSimulation, BankSimulationState } from '../../../bank-simulation/simulation.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import {
  createBalances,
  type NewTransaction,
  openAccounts,
  postDue,
  sealEntry,
  storeTransactions,
} from './ledger.ts';
import { findNextRefresh, type LinkRow, type PlacedLinkRow, type ProductTimes } from './links-repository.ts';
import type { LinkRecords } from './records.ts';
import { completeDays, todaySoFar, withAccounts, type BankSimulations } from './simulations.ts';

/**
 * A bank has new data for ten years after the day on which a link was created. No midnight after that is due, so that a
 * clock can be moved to another millennium within seconds.
 */
const DAYS_OF_NEWS = 3_653;
/** Within these days all pending transactions post. */
const DAYS_OF_POSTING = 4;

/** The number sealed before other work gets a turn. */
const SLICE = 200;

/**
 * Prepares the days after `state` that are complete at `until` (epoch milliseconds) for the store. There may be fifty
 * thousand transactions, so they are generated and sealed beforehand, in slices between which other requests are served,
 * and stored in one write job. Returns the state of the simulation after them, too.
 */
export async function sealDays(
  world: BankSimulation,
  { state: begin, until }: { readonly state: BankSimulationState; readonly until: number },
  place: Parameters<typeof sealEntry>[1],
) {
  const transactions: NewTransaction[] = [];
  let state = begin;
  for (const day of completeDays(world, state, until)) {
    for (const entry of day.entries) {
      transactions.push(sealEntry(entry, place));
      if (transactions.length % SLICE === 0) await nextTurn();
    }
    state = day.state;
  }
  return { state, transactions };
}

export type MissedDays = Awaited<ReturnType<typeof prepareMissedDays>>;

/** Prepares days for `bringUpToDate` in advance, since there may be years of them. */
export async function prepareMissedDays(
  database: Database,
  link: PlacedLinkRow,
  { records, worlds, now }: Pick<UpdateContext, 'records' | 'worlds' | 'now'>,
) {
  const { world, place } = openLink(database, link, { records, worlds, now });
  const { state } = records.openWorld(link.sealed_world);
  const days = await sealDays(world, { state, until: endOfNews(link, now) }, place);
  // They are only valid on this day, after this sealed state of the simulation.
  return { ...days, day: dayOf(now), since: link.sealed_world };
}

/** Whether these are still the days that the link has missed at `now`. */
export function areMissed({ day, since }: MissedDays, link: PlacedLinkRow, now: number): boolean {
  return day === dayOf(now) && Buffer.compare(since, link.sealed_world) === 0;
}

export interface UpdateContext {
  readonly records: LinkRecords;
  readonly worlds: BankSimulations;
  readonly now: number;
  readonly today: boolean;
  /** Generated within the job by default. */
  readonly missed?: MissedDays;
}

/**
 * Within a write job, for a connected link: stores the days that are complete at `now`, with `today` also the data of
 * the current day, and posts transactions that were pending until now. Holdings follow from the stored data. Returns
 * the link to be stored, including its `due_at`.
 */
export function bringUpToDate(
  database: Database,
  link: PlacedLinkRow,
  context: UpdateContext,
): PlacedLinkRow {
  const { records, now, missed } = context;
  const { world, accounts, place } = openLink(database, link, context);
  const balances = createBalances(accounts, records);
  postDue(database, { seq: link.seq, records }, now, balances);
  let { state, stored_until } = records.openWorld(link.sealed_world);
  const until = endOfNews(link, now);
  const entries = [];
  if (missed) {
    storeTransactions(database, link, missed.transactions, balances);
    state = missed.state;
  }
  for (const day of completeDays(world, state, until)) {
    entries.push(...day.entries);
    state = day.state;
  }
  if (context.today) stored_until = Math.max(stored_until, until);
  const today = todaySoFar(world, state, stored_until);
  entries.push(...today);
  storeTransactions(
    database,
    link,
    entries.map((entry) => sealEntry(entry, place)),
    balances,
  );
  balances.store(database, now);
  const current = {
    ...link,
    last_synced_at: now,
    sealed_world: records.world({ state, stored_until, portfolio: world.portfolio(state, today) }),
  };
  return { ...current, due_at: nextDueAt(database, current, now) };
}

function openLink(
  database: Database,
  link: PlacedLinkRow,
  { records, worlds, now }: Pick<UpdateContext, 'records' | 'worlds' | 'now'>,
) {
  const accounts = openAccounts(database, link, records);
  const world = worlds.create(link.persona, { seed: link.id, anchor: link.anchor });
  return {
    world: withAccounts(world, new Set(accounts.map(({ key }) => key))),
    accounts,
    place: { id: link.id, records, accounts: new Map(accounts.map((each) => [each.key, each])), now },
  };
}

/** The time up to which the bank has reported everything it knows at `now`. */
function endOfNews({ anchor }: LinkRow, now: number): number {
  return Math.min(now, startOfDay(anchor + DAYS_OF_NEWS + 1));
}

/** When a link next has work due: at midnight, or at a refresh; null for never. */
export function nextDueAt(
  database: Database,
  link: Pick<LinkRow, 'seq' | 'state' | 'anchor'>,
  now: number,
): number | null {
  const refresh = findNextRefresh(database, link.seq) ?? null;
  if (link.state === 'error') return refresh;
  const today = dayOf(now);
  if (today >= link.anchor + DAYS_OF_NEWS + DAYS_OF_POSTING) return refresh;
  const midnight = startOfDay(today + 1);
  return refresh === null ? midnight : Math.min(refresh, midnight);
}

/** The refresh times of products after an attempt; a failed one keeps its time. */
export function attempted(
  times: ProductTimes,
  products: readonly BankProduct[],
  { at, isSuccess }: { at: number; isSuccess: boolean },
): ProductTimes {
  const changed = products.map((product) => {
    const refreshed_at = isSuccess ? at : (times[product]?.refreshed_at ?? null);
    return [product, { ...times[product], refreshed_at, last_attempted_at: at }] as const;
  });
  return { ...times, ...Object.fromEntries(changed) };
}
