/** The SQL for the events of one entity with their deliveries. Times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import type { DeliveryRow, EventRow } from './repository.ts';

interface About {
  readonly space: number;
  readonly fp_id: string;
}

/** The newest ones before a time, or at that time and before a row: at most `limit`, newest first. */
export function listEventsOf(
  database: Database,
  about: About,
  before: { readonly at: number; readonly seq: number },
  limit: number,
): EventRow[] {
  const sql = `SELECT * FROM events WHERE space = @space AND fp_id = @fp_id
      AND (created_at < @at OR (created_at = @at AND seq < @seq)) ORDER BY created_at DESC, seq DESC LIMIT @limit`;
  const parameters = { ...about, ...before, limit };
  return statement<typeof parameters, EventRow>(sql).all(database, parameters);
}

export function countEventsOf(database: Database, { space, fp_id }: About): number {
  const sql = 'SELECT count(*) FROM events WHERE space = ? AND fp_id = ?';
  return scalarStatement<[number, string], number>(sql).one(database, space, fp_id);
}

/** In the order of creation, each with its target. */
export function listDeliveriesOf(
  database: Database,
  events: readonly string[],
): (Pick<DeliveryRow, 'event' | 'status' | 'attempts'> & { readonly url: string })[] {
  const sql = `SELECT event, status, attempts, url FROM deliveries JOIN webhooks ON webhooks.id = webhook
    WHERE event IN (SELECT value FROM json_each(?)) ORDER BY deliveries.seq`;
  return statement<[string], ReturnType<typeof listDeliveriesOf>[number]>(sql).all(
    database,
    JSON.stringify(events),
  );
}
