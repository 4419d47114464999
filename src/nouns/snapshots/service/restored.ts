/**
 * A snapshot also restores records that were deleted or revoked since. A load can report them, or keep them deleted:
 * the instance remembers the ids of deleted and revoked records across loads.
 */
import type { AnswerOf } from '../../../contract/registry.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import type { Database } from '../../../storage/database.ts';
import { disableApiKey, forgetApiKey } from '../../api-keys/service/index.ts';
import { revokeToken } from '../../client-tokens/service/index.ts';
import {
  addTombstone,
  listTombstones,
  listTombstonesInTurns,
  type TombstoneKind,
} from '../../../vault/tombstones.ts';
import { listLiving, type Dead } from './restored-repository.ts';

export type RestoredCounts = AnswerOf<'POST /_kyclone/snapshots/{name}/load'>['revived'];

/**
 * For the store that will replace `old`: returns the restored records, none with `keepRevoked`. Copies the tombstones
 * of those that stay deleted.
 */
export function settleRestored(
  old: Database,
  next: Database,
  {
    keepRevoked,
    now,
    removeEntity,
  }: {
    keepRevoked: boolean;
    /** Epoch milliseconds. */
    now: number;
    /** Deletes an entity of this store as a request would. */
    removeEntity: (database: Database, fpId: string) => void;
  },
): RestoredCounts {
  const tombstones = listTombstones(old);
  const living = listLiving(next, tombstones, now);
  const erase: Readonly<Record<TombstoneKind, (id: string) => unknown>> = {
    token: (id) => revokeToken(next, id, now),
    key: (id) => forgetApiKey(next, id),
    disabled_key: (id) => disableApiKey(next, id),
    entity: (id) => removeEntity(next, id),
  };
  if (keepRevoked) for (const { kind, id } of living) erase[kind](id);
  const restored = keepRevoked ? [] : living;
  const alive = new Set(restored.flatMap(({ id, isOwn }) => (isOwn ? [id] : [])));
  for (const tombstone of tombstones) if (!alive.has(tombstone.id)) addTombstone(next, tombstone);
  return countsOf(restored);
}

/**
 * Counts deleted records that only the snapshot `one` could restore, so that their deletion is final once it is
 * deleted. Opens the others one after another, and none when it holds no such record. Works in slices.
 */
export async function countLastCopies(
  now: Database,
  one: Database,
  others: AsyncIterable<Database>,
  at: number,
): Promise<RestoredCounts> {
  let held = await livingInTurns(one, await listTombstonesInTurns(now), at);
  if (held.length === 0) return countsOf(held);
  for await (const other of others) {
    const elsewhere = new Set((await livingInTurns(other, held, at)).map(textOf));
    held = held.filter((each) => !elsewhere.has(textOf(each)));
    if (held.length === 0) break;
  }
  return countsOf(held);
}

export const RECORDS_PER_TURN = 500;

/** Those of the records that a load of the snapshot would restore, and the tokens of such an entity or key. */
async function livingInTurns(
  database: Database,
  records: readonly Dead[],
  at: number,
): Promise<readonly Dead[]> {
  const found = new Map<string, Dead>();
  for (let start = 0; start < records.length; start += RECORDS_PER_TURN) {
    await nextTurn();
    const living = listLiving(database, records.slice(start, start + RECORDS_PER_TURN), at);
    for (const each of living) found.set(textOf(each), each);
  }
  return [...found.values()];
}

function textOf({ kind, id }: Dead): string {
  return `${kind} ${id}`;
}

function countsOf(records: readonly Dead[]): RestoredCounts {
  const count = (...kinds: TombstoneKind[]) => records.filter(({ kind }) => kinds.includes(kind)).length;
  return { entities: count('entity'), tokens: count('token'), keys: count('key', 'disabled_key') };
}
