/**
 * The deletion of everything in a large vault, in slices but at one moment: its rows are written under the vault's next
 * version, which nobody reads before the last commit makes it the current one. Another write drops them, and the
 * deletion begins again; so does a start with those that a kill left.
 */
import { secretBytes } from '../kernel/ids/random.ts';
import type { Database } from '../storage/database.ts';
import { scalarStatement, statement } from '../storage/statement.ts';
import type { WriteQueue } from '../storage/writer.ts';
import { insertValues } from './repository.ts';

/** Writing or dropping them takes some milliseconds. */
export const ROWS_PER_COMMIT = 125;

type Ahead = { readonly id: number; readonly vault_version: number };

export function newAheadToken(): string {
  return Buffer.from(secretBytes(8)).toString('hex');
}

/** Notes that rows follow. From now on, an earlier deletion that isn't finished has none. */
export const takeAhead = statement<[entity: number, token: string]>(
  'INSERT OR REPLACE INTO values_ahead (entity, token) VALUES (?, ?)',
).run;

/** Whether the rows are those of this deletion; without a token, of any. */
export function isAhead(database: Database, entity: number, token?: string): boolean {
  const found = scalarStatement<[number], string>('SELECT token FROM values_ahead WHERE entity = ?').get(
    database,
    entity,
  );
  return found !== undefined && (token === undefined || found === token);
}

/** Writes the deletion of these values. */
export function writeAhead(
  database: Database,
  { id, vault_version }: Ahead,
  { names, at }: { names: readonly string[]; at: number },
): void {
  const place = { entity: id, version: vault_version + 1, created_at: at };
  insertValues(
    database,
    place,
    names.map((identifier) => ({ identifier, sealed: null })),
  );
}

/** Makes the rows those of the current version. */
export const endAhead = statement<[entity: number]>('DELETE FROM values_ahead WHERE entity = ?').run;

/** Drops at most `limit` rows; a negative limit is none. Returns whether any may be left. */
export function dropRowsAhead(database: Database, { id, vault_version }: Ahead, limit: number): boolean {
  const { changes } = statement<[number, number, number]>(
    `DELETE FROM vault_values WHERE (entity, identifier, version) IN (
       SELECT entity, identifier, version FROM vault_values WHERE entity = ? AND version > ? LIMIT ?)`,
  ).run(database, id, vault_version, limit);
  return changes === limit;
}

/** Call it in the job of another write, before it stores anything. */
export function dropAhead(database: Database, entity: Ahead): void {
  if (!isAhead(database, entity.id)) return;
  dropRowsAhead(database, entity, -1);
  endAhead(database, entity.id);
}

/** At a start: drops what a kill left. Never throws, as the next write of the vault or the next start drops it, too. */
export async function sweepAhead(queue: WriteQueue): Promise<void> {
  const left = statement<[], Ahead & { readonly token: string }>(
    'SELECT id, vault_version, token FROM values_ahead JOIN entities ON entities.id = entity',
  ).all(queue.database);
  const drop = (database: Database, entity: (typeof left)[number]): boolean => {
    // A deletion that was begun since drops them itself.
    if (!isAhead(database, entity.id, entity.token)) return false;
    if (dropRowsAhead(database, entity, ROWS_PER_COMMIT)) return true;
    endAhead(database, entity.id);
    return false;
  };
  try {
    for (const entity of left) while (await queue.free((database) => drop(database, entity)));
  } catch {
    // Nobody reads these rows.
  }
}
