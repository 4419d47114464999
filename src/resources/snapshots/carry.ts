/** Exports and imports snapshots. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ServiceError } from '../../kernel/errors.ts';
import { changeSnapshot, openSnapshot, setSealedVaultKey } from '../../storage/snapshot-file.ts';
import { copyInto, removeDraft } from '../../storage/snapshot-folder.ts';
import { withOpeningSnapshotKey } from '../../vault/keyring/index.ts';
import { judgeAccess, type BroughtAccess } from './access.ts';
import type { SnapshotContext } from './context.ts';
import { sealedVaultKey } from './whole-state.ts';
import { requireCarriedWhole, requireWhole, sealDraft, unsealDraft, type SealContext } from './seal.ts';

/** A copy of the snapshot at `path` that includes its key; removed once it was read. */
export async function copyForElsewhere(
  context: SnapshotContext,
  path: string,
): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number }> {
  await requireWhole(context, path);
  openSnapshot(path, { isWhole: false }).close();
  const draft = await context.home.folder.draft();
  try {
    await copyInto(draft, path);
    await unsealDraft(draft);
    const sealed = sealedVaultKey(context);
    changeSnapshot(draft, (database) => setSealedVaultKey(database, sealed));
    await sealDraft(context, draft, { isForElsewhere: true });
    return { content: readAndRemove(draft), bytes: (await stat(draft)).size };
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
}

/** Removes the file when its reader ends, even if nothing was read. */
function readAndRemove(path: string): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = (async function* () {
        yield* createReadStream(path) as AsyncIterable<Uint8Array>;
      })();
      const end = async () => {
        await chunks.return();
        await removeDraft(path);
        return { done: true, value: undefined } as const;
      };
      return {
        async next() {
          const read = await chunks.next();
          return read.done === true ? await end() : read;
        },
        return: end,
      };
    },
  };
}

/** An imported file, converted to a snapshot of this vault. */
export interface Adopted {
  readonly draft: string;
  /** The access in the file. */
  readonly access: BroughtAccess;
}

/** Imports a file that `fill` writes to a draft. Throws as `requireCarriedWhole` and `adoptSnapshot`. */
export async function adoptDraft(
  context: SealContext,
  fill: (draft: string) => Promise<void>,
  options: { withAccess: boolean },
): Promise<Adopted> {
  const draft = await context.home.folder.draft();
  try {
    await fill(draft);
    await requireCarriedWhole(context, draft);
    const access = adoptSnapshot(context, draft, options);
    await sealDraft(context, draft, { isForElsewhere: false });
    return { draft, access };
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
}

/** `adoptDraft` with the file at `path`, so that a start can verify the file before it changes anything. */
export function adoptFile(
  context: SealContext,
  path: string,
  options: { withAccess: boolean },
): Promise<Adopted> {
  return adoptDraft(context, (draft) => copyInto(draft, path), options);
}

/**
 * Converts an uploaded file, which is our own draft by now, to a snapshot of this vault. Throws `vault_damaged`,
 * `conflict` for one of a newer version, `vault_key_invalid` when it is from another vault and the snapshot key doesn't
 * open it.
 */
function adoptSnapshot(
  { keyring, home }: SealContext,
  draft: string,
  { withAccess }: { withAccess: boolean },
): BroughtAccess {
  const snapshot = openSnapshot(draft, { isWhole: true });
  const { sealedVaultKey: sealed } = snapshot.record;
  const isOurs = keyring.snapshots.opens(snapshot.database);
  snapshot.close();
  let access: BroughtAccess | undefined;
  changeSnapshot(draft, (database) => {
    if (!isOurs) {
      if (sealed === null) {
        throw new ServiceError(
          'vault_key_invalid',
          'The snapshot is of another vault and carries no key: save it there with --file',
        );
      }
      withOpeningSnapshotKey(home.key, (key) => keyring.snapshots.adopt(database, sealed, key));
    }
    setSealedVaultKey(database, null);
    database.exec('DELETE FROM keyring_slots');
    access = judgeAccess(database, { isWanted: withAccess });
  });
  if (!access) throw new Error('the draft was not judged');
  return access;
}
