/**
 * A snapshot also restores records that were deleted or revoked since. A load can report them, or keep them deleted:
 * the instance remembers the ids of deleted and revoked records across loads.
 */
import type { AnswerOf } from '../../../contract/registry.ts';
import { nextTurn } from '../../../kernel/turns.ts';
import type { Database } from '../../../storage/database.ts';
import { disableApiKey, forgetApiKey } from '../../api-keys/service/index.ts';
import { revokeToken } from '../../client-tokens/service/index.ts';
import {
  addTombstone,
  listTombstones,
  listTombstonesInTurns,
  type Tombstone,
  type TombstoneKind,
} from '../../../vault/tombstones.ts';
import {
  listLivingEntities,
  listLivingKeys,
  listLivingTokens,
  type DeletedIds,
} from './restored-repository.ts';

export type RestoredCounts = AnswerOf<'POST /_kyclone/snapshots/{name}/load'>['revived'];

export interface SettleOptions {
  readonly keepRevoked: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Deletes an entity of this store as a request would. */
  readonly removeEntity: (database: Database, fpId: string) => void;
}

/**
 * For the store that will replace `old`: returns the restored records, none with `keepRevoked`. Copies the tombstones
 * of those that stay deleted.
 */
export function settleRestored(
  old: Database,
  next: Database,
  { keepRevoked, now, removeEntity }: SettleOptions,
): RestoredCounts {
  const tombstones = listTombstones(old);
  const living = livingIn(next, tombstones, now);
  if (keepRevoked) {
    for (const id of living.tokens) revokeToken(next, id, now);
    for (const { id, isToDelete } of living.keys) {
      if (isToDelete === 1) forgetApiKey(next, id);
      else disableApiKey(next, id);
    }
    for (const fpId of living.entities) removeEntity(next, fpId);
  }
  const alive = new Set(
    keepRevoked ? [] : [...living.entities, ...living.ownTokens, ...living.keys.map(({ id }) => id)],
  );
  for (const tombstone of tombstones) if (!alive.has(tombstone.id)) addTombstone(next, tombstone);
  return keepRevoked ? { entities: 0, tokens: 0, keys: 0 } : countsOf(living);
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
  if (held.length === 0) return countsOfKinds(held);
  for await (const other of others) {
    const elsewhere = new Set((await livingInTurns(other, held, at)).map(textOf));
    held = held.filter((each) => !elsewhere.has(textOf(each)));
    if (held.length === 0) break;
  }
  return countsOfKinds(held);
}

/** The number of records that are looked for in a snapshot at a time. */
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
    const living = livingIn(database, records.slice(start, start + RECORDS_PER_TURN), at);
    for (const each of deadIn(living)) found.set(textOf(each), each);
  }
  return [...found.values()];
}

/** A deleted or revoked record. */
type Dead = Pick<Tombstone, 'kind' | 'id'>;

function deadIn({ entities, tokens, keys }: Living): Dead[] {
  const of = (kind: TombstoneKind, ids: readonly string[]) => ids.map((id) => ({ kind, id }));
  return [
    ...of('entity', entities),
    ...of('token', tokens),
    ...of(
      'key',
      keys.map(({ id }) => id),
    ),
  ];
}

function textOf({ kind, id }: Dead): string {
  return `${kind} ${id}`;
}

function countsOfKinds(records: readonly Dead[]): RestoredCounts {
  const count = (wanted: TombstoneKind) => records.filter(({ kind }) => kind === wanted).length;
  return { entities: count('entity'), tokens: count('token'), keys: count('key') };
}

interface Living {
  readonly entities: readonly string[];
  readonly tokens: readonly string[];
  readonly ownTokens: readonly string[];
  readonly keys: readonly { readonly id: string; readonly isToDelete: number }[];
}

function livingIn(database: Database, tombstones: readonly Dead[], now: number): Living {
  const idsOf = (kind: TombstoneKind) =>
    JSON.stringify(tombstones.filter((each) => each.kind === kind).map(({ id }) => id));
  const deleted: DeletedIds = {
    entities: idsOf('entity'),
    tokens: idsOf('token'),
    keys: idsOf('key'),
    disabledKeys: idsOf('disabled_key'),
  };
  const tokens = listLivingTokens(database, deleted, now);
  return {
    entities: listLivingEntities(database, deleted),
    tokens: tokens.map(({ id }) => id),
    ownTokens: tokens.filter(({ isOwn }) => isOwn === 1).map(({ id }) => id),
    keys: listLivingKeys(database, deleted),
  };
}

function countsOf({ entities, tokens, keys }: Living): RestoredCounts {
  return { entities: entities.length, tokens: tokens.length, keys: keys.length };
}
