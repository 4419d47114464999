/** The SQL of due deliveries and of their results. Times are epoch milliseconds. */
import type { Database } from '../../../storage/database.ts';
import { scalarStatement, statement } from '../../../storage/statement.ts';
import type { StepBack } from '../../clock/service/index.ts';

/** What an attempt sends, and to whom. */
export interface DueDelivery {
  readonly id: string;
  readonly event: string;
  readonly webhook: string;
  /** The number of attempts made. */
  readonly attempts: number;
  /**
   * JSON of DeliveryTampering. Its column has the former name `mischief`, since renaming it would need a new schema.
   */
  readonly tampering: string | null;
  readonly body: string;
}

/** Deliveries that can't start now. */
export interface Blocked {
  /** Deliveries in flight. */
  readonly taken: readonly string[];
  /** Endpoints that can't take another one. */
  readonly full: readonly string[];
  /** Endpoints with a delivery in flight, which no serial delivery may join. */
  readonly busy: readonly string[];
}

/**
 * For each available endpoint, the first delivery that is not in flight. Any number of deliveries that wait for a
 * hanging endpoint are skipped at once.
 */
const FIRST_OF_EACH = `webhooks AS endpoint JOIN deliveries AS first ON first.seq = (
    SELECT seq FROM deliveries WHERE webhook = endpoint.id AND next_at IS NOT NULL
      AND id NOT IN (SELECT value FROM json_each(@taken))
      AND NOT (mischief IS NOT NULL AND mischief ->> 'serial' IS NOT NULL
        AND webhook IN (SELECT value FROM json_each(@busy)))
    ORDER BY next_at, seq LIMIT 1)
  WHERE endpoint.id NOT IN (SELECT value FROM json_each(@full))`;

const lists = ({ taken, full, busy }: Blocked) => ({
  taken: JSON.stringify(taken),
  full: JSON.stringify(full),
  busy: JSON.stringify(busy),
});

/** The first that is due by `now`, in order of due time, then of creation. */
export function findDueDelivery(database: Database, now: number, blocked: Blocked): DueDelivery | undefined {
  return statement<{ taken: string; full: string; busy: string; now: number }, DueDelivery>(
    `SELECT deliveries.id, event, webhook, attempts, mischief AS tampering, body
     FROM deliveries JOIN events ON events.id = event
     WHERE deliveries.seq = (
       SELECT first.seq FROM ${FIRST_OF_EACH} AND first.next_at <= @now
       ORDER BY first.next_at, first.seq LIMIT 1)`,
  ).get(database, { now, ...lists(blocked) });
}

/** The earliest time at which one could start. */
export function findNextAt(database: Database, blocked: Blocked): number | undefined {
  const at = scalarStatement<{ taken: string; full: string; busy: string }, number | null>(
    `SELECT min(first.next_at) FROM ${FIRST_OF_EACH}`,
  ).one(database, lists(blocked));
  return at ?? undefined;
}

export const countScheduled = scalarStatement<[], number>(
  'SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL',
).one;

/** Brings deliveries forward by a step of the clock back, when their wait began after the time that it goes back to. */
export function bringDeliveriesBack(database: Database, { from, to }: StepBack): void {
  statement<{ back: number; to: number }>(
    `UPDATE deliveries SET next_at = max(@to, next_at - @back)
     WHERE next_at > @to AND (created_at > @to
       OR EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery = deliveries.id AND at > @to))`,
  ).run(database, { back: from - to, to });
}

/** Puts pending deliveries of the endpoint on hold, without a time. */
export const holdDeliveries = statement<[webhook: string]>(
  "UPDATE deliveries SET next_at = NULL WHERE webhook = ? AND status = 'pending'",
).run;

/** Makes held deliveries of the endpoint due at `at`. */
export function releaseDeliveries(database: Database, webhook: string, at: number): void {
  statement<[number, string]>(
    "UPDATE deliveries SET next_at = ? WHERE webhook = ? AND status = 'pending' AND next_at IS NULL",
  ).run(database, at, webhook);
}

/** Marks pending deliveries of the endpoint as failed. */
export const failDeliveries = statement<[webhook: string]>(
  "UPDATE deliveries SET status = 'failed', next_at = NULL WHERE webhook = ? AND status = 'pending'",
).run;
