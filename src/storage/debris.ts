/**
 * Removes the rows of deleted entities and bank links in slices. Their deletion is one small commit, after which nothing
 * reads these rows any more: every read starts at the entity or the link. A kill leaves the rest to the next start.
 */
import type { Database } from './database.ts';
import { exists, statement } from './statement.ts';
import type { WriteQueue } from './writer.ts';

type DebrisTable = 'vault_values' | 'bank_transactions';

/** Removing them takes some milliseconds. */
export const ROWS_PER_COMMIT = 125;

/** Each deletes the given number of rows of a parent at most. */
const DELETIONS: Readonly<Record<DebrisTable, string>> = {
  vault_values: `DELETE FROM vault_values WHERE (entity, identifier, version) IN (
    SELECT entity, identifier, version FROM vault_values WHERE entity = ? LIMIT ?)`,
  bank_transactions: `DELETE FROM bank_transactions WHERE seq IN (
    SELECT seq FROM bank_transactions WHERE link = ? LIMIT ?)`,
};

/**
 * Call it in a write job, also in the one that deletes: a small parent then needs no further commit. Removes a slice of
 * rows, and returns whether any are left.
 */
export function removeDebris(database: Database): boolean {
  for (let room = ROWS_PER_COMMIT; room > 0;) {
    const found = statement<[], { of_table: DebrisTable; parent: number }>(
      'SELECT of_table, parent FROM debris LIMIT 1',
    ).get(database);
    if (!found) return false;
    const { of_table, parent } = found;
    const removed = statement<[number, number]>(DELETIONS[of_table]).run(database, parent, room).changes;
    room -= removed;
    if (room > 0) {
      statement<[string, number]>('DELETE FROM debris WHERE of_table = ? AND parent = ?').run(
        database,
        of_table,
        parent,
      );
      // So that many parents without rows end the slice, too.
      room -= 1;
    }
  }
  return true;
}

const hasDebris = exists('SELECT 1 FROM debris LIMIT 1');

/**
 * Removes all debris, a slice in each commit. Never throws: what it can't remove now is removed with the next deletion,
 * or at the next start.
 */
export async function sweepDebris(queue: WriteQueue): Promise<void> {
  if (!hasDebris(queue.database)) return;
  try {
    while (await queue.free(removeDebris));
    queue.scrub();
  } catch {
    // The deletion itself is committed.
  }
}

/** Call it when all parents are deleted: their rows all go at once, without a look at each. */
export function dropDebris(database: Database): void {
  statement('DELETE FROM vault_values').run(database);
  statement('DELETE FROM bank_transactions').run(database);
  statement('DELETE FROM debris').run(database);
}
