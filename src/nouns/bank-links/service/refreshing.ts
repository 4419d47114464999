/**
 * Refreshes bank data: on request, and at every midnight (contract §7.2, data_refresh). A link that can't be read fails
 * on its own and is retried at the next midnight. It delays neither other links nor the clock.
 */
import { REFRESH_INTERVALS_MS, type BankProduct } from '../facts.ts';
import { REFRESH_SECONDS } from '../endpoints/index.ts';
import type { EndpointKey } from '../../../contract/registry.ts';
import { dayOf, startOfDay } from '../../../kernel/time/civil-date.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import { isSqliteError, type Database } from '../../../storage/database.ts';
import { createDueJobs } from '../../clock/service/index.ts';
import { findEntityByRow, type EntityRow } from '../../entities/service/index.ts';
import { type Handlers, doneWriting } from '../../handlers.ts';
import type { LiveSettings } from '../../settings/service.ts';
import type { Events } from '../../webhooks/service/index.ts';
import { linkEvent } from './link-view.ts';
import {
  bringLinksBack,
  countRefreshes,
  findLinkByRow,
  findNextDue,
  insertRefresh,
  listDue,
  takeDueRefreshes,
  updateLink,
  type PlacedLinkRow,
  type ProductTimes,
  getLink,
} from './links-repository.ts';
import { createLinkRecords } from './records.ts';
import { attempted, bringUpToDate, nextDueAt } from './updates.ts';
import { loadBankSimulations, type BankSimulations } from './simulations.ts';
import type { Needs } from '../../needs.ts';

/**
 * Products of the nightly refresh, if the link has them. They are refreshed together, since a transfer has two sides.
 */
const OF_THE_LEDGER: readonly BankProduct[] = ['accounts', 'transactions', 'investments'];

interface DueLink {
  readonly link: PlacedLinkRow;
  readonly entity: EntityRow;
  /** The products of each requested refresh, then those of the nightly one. */
  readonly products: readonly BankProduct[];
  readonly isMidnight: boolean;
  /** Whether data of the current day was requested. */
  readonly isOfToday: boolean;
}

export function createRefreshes(
  context: Needs<'queue' | 'clock' | 'vault' | 'wake'> & {
    readonly events: Events;
    readonly settings: LiveSettings;
  },
) {
  const { queue, clock, vault, events, settings, wake } = context;
  let worlds: BankSimulations | undefined;

  /** Removes and returns the due refreshes; undefined when the link has nothing due. */
  function takeDue(database: Database, seq: number): DueLink | undefined {
    const now = clock.now();
    const link = findLinkByRow(database, seq);
    const entity = link && findEntityByRow(database, link.entity);
    if (!entity || link.due_at === null || link.due_at > now) return undefined;
    const requested = takeDueRefreshes(database, seq, now).flatMap(({ products }) => products);
    const isMidnight = link.state === 'connected' && link.due_at <= startOfDay(dayOf(now));
    const daily = isMidnight ? OF_THE_LEDGER.filter((product) => link.products[product]) : [];
    return {
      link,
      entity,
      products: [...requested, ...daily],
      isMidnight,
      isOfToday: requested.some((product) => OF_THE_LEDGER.includes(product)),
    };
  }

  /** Stores the link after the attempt, and sends an event for each product. */
  function end(database: Database, { link, entity, products }: DueLink, isSuccess: boolean): void {
    const now = clock.now();
    updateLink(database, {
      ...link,
      products: attempted(link.products, products, { at: now, isSuccess }),
      due_at: nextDueAt(database, link, now),
    });
    for (const product of products) {
      const change = { kind: 'link_product_refreshed', product, success: isSuccess } as const;
      events.emit(database, entity, linkEvent(link, entity, change));
    }
  }

  function work(database: Database, seq: number): number {
    const due = takeDue(database, seq);
    if (!due) return 0;
    const isConnected = due.link.state === 'connected';
    end(database, { ...due, link: isConnected ? refreshed(database, due) : due.link }, isConnected);
    return 1;
  }

  function refreshed(database: Database, { link, entity, isMidnight, isOfToday }: DueLink): PlacedLinkRow {
    const now = clock.now();
    if (!isMidnight && !isOfToday) return { ...link, last_synced_at: now };
    if (!worlds) throw new Error('The worlds are not loaded');
    const records = createLinkRecords(vault.records(entity), link.id);
    return bringUpToDate(database, link, { records, worlds, now, today: isOfToday });
  }

  /** An error of the store is no failure of the link: its refresh stays due. */
  function fail(database: Database, seq: number, error: unknown): number {
    if (!isOfLink(error)) throw error;
    const due = takeDue(database, seq);
    if (!due) return 0;
    end(database, due, false);
    const reason = error instanceof ServiceError ? error.code : 'internal_error';
    const { id } = due.link;
    queue.afterCommit(() => process.emitWarning(`Bank link ${id} could not be refreshed: ${reason}`));
    return 1;
  }

  const handlers = {
    /**
     * Answers at once; the refresh is due two seconds later. Throws `not_found`, `link_disconnected`, and `rate_limited`
     * with the setting `bank.refresh_limits`.
     */
    'POST /bank_links/{link_id}/data_refresh': ({ caller, params, body }) => {
      const products = [...new Set('products' in body ? body.products : body)];
      return doneWriting(queue, (database) => {
        const link = getLink(database, caller.space, params.link_id);
        if (link.state === 'error') {
          throw new ServiceError(
            'link_disconnected',
            'This bank link is disconnected: connect it again first',
          );
        }
        const now = clock.now();
        if (settings.current.bank.refresh_limits) requireRested(link.products, products, now);
        const dueAt = now + REFRESH_SECONDS * SECOND_MS;
        insertRefresh(database, { link: link.seq, products, due_at: dueAt });
        updateLink(database, {
          ...link,
          products: requested(link.products, products, now),
          due_at: Math.min(link.due_at ?? dueAt, dueAt),
        });
        queue.afterCommit(wake);
      });
    },
  } satisfies Partial<Handlers<EndpointKey>>;

  return {
    handlers,
    /** Requested refreshes, and the nightly ones. */
    due: createDueJobs({
      queue,
      clock,
      nextAt: (after) => findNextDue(queue.database, after),
      list: (times) => listDue(queue.database, times),
      stepBack: bringLinksBack,
      /** Counts requested refreshes, not nightly ones. */
      pending: () => countRefreshes(queue.database),
      before: async () => (worlds = await loadBankSimulations()),
      runOne: work,
      failOne: fail,
    }),
  };
}

function isOfLink(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'vault_damaged';
  return !isSqliteError(error, 'SQLITE') || isSqliteError(error, 'SQLITE_CONSTRAINT');
}

/** Throws `rate_limited` with the longest wait. A request after the current time, before a move back, doesn't count. */
function requireRested(times: ProductTimes, products: readonly BankProduct[], now: number): void {
  const waits = products.map((product) => {
    const before = times[product]?.requested_at;
    if (before === undefined || before > now) return 0;
    return before + (REFRESH_INTERVALS_MS[product] ?? 0) - now;
  });
  const longest = Math.max(...waits);
  if (longest <= 0) return;
  const seconds = Math.ceil(longest / SECOND_MS);
  throw new ServiceError(
    'rate_limited',
    `${products[waits.indexOf(longest)]} of this bank link can be refreshed again in ${seconds} s`,
    { headers: { 'retry-after': String(seconds) } },
  );
}

/** The times of products after a request of these; those that the link lacks, or without a limit, have none. */
function requested(times: ProductTimes, products: readonly BankProduct[], now: number): ProductTimes {
  const changed = products.flatMap((product) => {
    const before = REFRESH_INTERVALS_MS[product] === undefined ? undefined : times[product];
    return before ? [[product, { ...before, requested_at: now }] as const] : [];
  });
  return { ...times, ...Object.fromEntries(changed) };
}
