/**
 * A snapshot also restores records that were deleted or revoked since. A load can report them, or keep them deleted:
 * the instance remembers the ids of deleted and revoked records across loads.
 */
import type { AnswerOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import { disableApiKey, forgetApiKey } from '../api-keys/index.ts';
import { revokeToken } from '../client-tokens/index.ts';
import { bury, listTombstones, type Tombstone, type TombstoneKind } from '../../vault/tombstones.ts';
import { listLivingEntities, listLivingKeys, listLivingTokens, type Buried } from './revival-repository.ts';

export type Revived = AnswerOf<'POST /_kyclone/snapshots/{name}/load'>['revived'];

export interface RevivalOptions {
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
export function settleRevived(
  old: Database,
  next: Database,
  { keepRevoked, now, removeEntity }: RevivalOptions,
): Revived {
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
  for (const tombstone of tombstones) if (!alive.has(tombstone.id)) bury(next, tombstone);
  return keepRevoked ? { entities: 0, tokens: 0, keys: 0 } : countsOf(living);
}

/**
 * Deleted records that only this snapshot could restore, so that their deletion is final once the snapshot is deleted.
 */
export function heldAlone(now: Database, one: Database, others: readonly Database[], at: number): Revived {
  const tombstones = listTombstones(now);
  const held = livingIn(one, tombstones, at);
  const elsewhere = others.map((other) => livingIn(other, tombstones, at));
  const alone = (read: (living: Living) => readonly string[]) => {
    const taken = new Set(elsewhere.flatMap(read));
    return read(held).filter((id) => !taken.has(id)).length;
  };
  return {
    entities: alone(({ entities }) => entities),
    tokens: alone(({ tokens }) => tokens),
    keys: alone(({ keys }) => keys.map(({ id }) => id)),
  };
}

interface Living {
  readonly entities: readonly string[];
  readonly tokens: readonly string[];
  readonly ownTokens: readonly string[];
  readonly keys: readonly { readonly id: string; readonly isToDelete: number }[];
}

function livingIn(database: Database, tombstones: readonly Tombstone[], now: number): Living {
  const idsOf = (kind: TombstoneKind) =>
    JSON.stringify(tombstones.filter((each) => each.kind === kind).map(({ id }) => id));
  const buried: Buried = {
    entities: idsOf('entity'),
    tokens: idsOf('token'),
    keys: idsOf('key'),
    disabledKeys: idsOf('disabled_key'),
  };
  const tokens = listLivingTokens(database, buried, now);
  return {
    entities: listLivingEntities(database, buried),
    tokens: tokens.map(({ id }) => id),
    ownTokens: tokens.filter(({ isOwn }) => isOwn === 1).map(({ id }) => id),
    keys: listLivingKeys(database, buried),
  };
}

function countsOf({ entities, tokens, keys }: Living): Revived {
  return { entities: entities.length, tokens: tokens.length, keys: keys.length };
}
