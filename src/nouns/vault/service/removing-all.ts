/**
 * Deletes everything in a large vault. The rows are written in slices, so that other requests have their turn, and one
 * commit makes them take effect. A purge then destroys the history, in slices as well.
 */
import type { Database } from '../../../storage/database.ts';
import {
  dropRowsAhead,
  isAhead,
  newAheadToken,
  ROWS_PER_COMMIT,
  takeAhead,
  writeAhead,
} from '../../../vault/values-ahead.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import type { Needs } from '../../needs.ts';

/** Each takes several statements. */
const PURGED_PER_COMMIT = 40;
/** After so many other writes in between it is deleted in one job. */
const TRIES = 5;

type RemovalContext = Needs<'queue' | 'vault' | 'clock'>;

interface Removal {
  readonly answer: Record<string, boolean>;
  readonly version: number;
  readonly released: string[];
}

/**
 * Deletes in slices; one deletion of a vault at a time. Returns undefined for a small vault, and for one that is written
 * all the time: it is deleted in one job.
 */
export function createRemovalInTurns(context: RemovalContext) {
  const running = new Map<string, Promise<unknown>>();
  return async (entity: EntityRow, ...request: RemovalRequest): Promise<Removal | undefined> => {
    const before = running.get(entity.fp_id) ?? Promise.resolve();
    const removal = before.then(() => removeAll(context, ...request));
    const settled = removal.catch(() => undefined);
    running.set(entity.fp_id, settled);
    try {
      return await removal;
    } finally {
      if (running.get(entity.fp_id) === settled) running.delete(entity.fp_id);
    }
  };
}

/** `record` is called in the job that makes the deletion take effect. */
type RemovalRequest = [
  current: (database: Database) => EntityRow,
  options: { readonly purge: boolean; readonly record: (database: Database) => void },
];

async function removeAll(
  context: RemovalContext,
  ...[current, { purge, record }]: RemovalRequest
): Promise<Removal | undefined> {
  const { queue, vault } = context;
  for (let tries = 0; tries < TRIES; tries++) {
    const entity = current(queue.database);
    const names = await vault.namesInTurns(queue.database, entity, entity.vault_version);
    if (names.ever.length <= ROWS_PER_COMMIT) return undefined;
    const version = await removed(context, { current, entity, names: names.stored, record });
    if (version === undefined) continue;
    const answer = Object.fromEntries(names.present.map((name) => [name, true]));
    const released: string[] = [];
    if (purge && names.stored.length === 0) await queue.free(record);
    for (let at = 0; purge && at < names.ever.length; at += PURGED_PER_COMMIT) {
      const some = names.ever.slice(at, at + PURGED_PER_COMMIT);
      const free = (database: Database) => vault.purge(database, current(database), some, version);
      released.push(...(await queue.free(free)));
    }
    return { answer, version, released };
  }
  return undefined;
}

/** Undefined when the vault was written meanwhile. */
async function removed(
  { queue, vault, clock }: RemovalContext,
  {
    current,
    entity: { vault_version },
    names,
    record,
  }: {
    readonly current: (database: Database) => EntityRow;
    readonly entity: EntityRow;
    readonly names: readonly string[];
    readonly record: (database: Database) => void;
  },
): Promise<number | undefined> {
  if (names.length === 0) return vault_version;
  const token = newAheadToken();
  const at = clock.now();
  /** Runs a slice, unless the vault was written meanwhile. */
  const slice = <T>(run: (database: Database, entity: EntityRow) => T) =>
    queue.free((database) => {
      const entity = current(database);
      const isStill = entity.vault_version === vault_version && isAhead(database, entity.id, token);
      return isStill ? { result: run(database, entity) } : undefined;
    });
  const hadRows = await queue.free((database) => {
    const { id } = current(database);
    const isCutOff = isAhead(database, id);
    takeAhead(database, id, token);
    return isCutOff;
  });
  // What a deletion left that was cut off.
  for (let isLeft = hadRows; isLeft;) {
    const dropped = await slice((database, entity) => dropRowsAhead(database, entity, ROWS_PER_COMMIT));
    if (!dropped) return undefined;
    isLeft = dropped.result;
  }
  for (let start = 0; start < names.length; start += ROWS_PER_COMMIT) {
    const some = names.slice(start, start + ROWS_PER_COMMIT);
    if (!(await slice((database, entity) => writeAhead(database, entity, { names: some, at }))))
      return undefined;
  }
  const ended = await slice((database, entity) => {
    record(database);
    return vault.endRemoval(database, entity, names);
  });
  return ended?.result;
}
