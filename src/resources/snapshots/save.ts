/** Writes the whole state to one file. */
import { ServiceError } from '../../kernel/errors.ts';
import type { BlobStore } from '../../storage/blobs.ts';
import { beginSnapshot, type SnapshotDraft } from '../../storage/snapshot-file.ts';
import { copyImage, writeImage } from '../../storage/snapshot-image.ts';
import { emptyFile, removeDraft } from '../../storage/snapshot-folder.ts';
import { isFileName } from '../../vault/repository.ts';
import { sealingSnapshotKey } from '../../vault/keyring/index.ts';
import type { SnapshotContext } from './context.ts';

const TRIES = 3;

interface SaveOptions {
  /** Creates an empty file for the snapshot. */
  readonly draft: () => Promise<string>;
  readonly isForElsewhere: boolean;
  /** False for one that is only compared. */
  readonly withFiles?: boolean;
}

/**
 * Writes an unpublished snapshot of the current state in `folder`, and returns its path; with `isForElsewhere` it
 * includes its sealed vault key. Throws `storage_full`, and `conflict` when files are deleted faster than they are
 * read.
 */
export async function writeSnapshot(context: SnapshotContext, options: SaveOptions): Promise<string> {
  await context.flush();
  for (let tries = 1; ; tries++) {
    const path = await options.draft();
    try {
      if (await writeOnce(context, path, options)) return path;
    } catch (error) {
      await removeDraft(path);
      throw error;
    }
    await removeDraft(path);
    if (tries === TRIES) {
      throw new ServiceError('conflict', 'Files are deleted while the snapshot is written: try again');
    }
  }
}

/** Creates a draft in any folder. */
export const draftIn = (folder: string) => () => emptyFile(folder);

async function writeOnce(
  context: SnapshotContext,
  path: string,
  { isForElsewhere, withFiles = true }: SaveOptions,
): Promise<boolean> {
  const { database, clock, random } = context;
  const state = random.state();
  const record = {
    createdAt: clock.now(),
    random: state === undefined ? null : JSON.stringify(state),
    sealedVaultKey: isForElsewhere ? sealedVaultKey(context) : null,
  };
  // The state of one moment: no waiting in between.
  await (withFiles ? writeImage(database, path) : copyImage(database, path));
  const draft = beginSnapshot(path, record);
  try {
    return !withFiles || (await addFiles(context, draft));
  } finally {
    draft.close();
  }
}

/** Sealed under the snapshot key of this user. */
export function sealedVaultKey({ keyring, home }: SnapshotContext): Uint8Array {
  const key = sealingSnapshotKey(home.key);
  try {
    return keyring.snapshots.sealFor(key);
  } finally {
    key.fill(0);
  }
}

/**
 * False when a file was deleted in the meantime. A file that is missing in the store is missing in the snapshot, too.
 */
async function addFiles({ blobs, database }: SnapshotContext, draft: SnapshotDraft): Promise<boolean> {
  for (const name of draft.fileNames()) {
    const content = await readBlob(blobs, name);
    if (content) draft.addFile(name, content);
    else if (!isFileName(database, name)) return false;
  }
  return true;
}

async function readBlob(blobs: BlobStore, name: string): Promise<Uint8Array | undefined> {
  try {
    const reader = await blobs.open(name);
    try {
      return await reader.read(0, reader.size);
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'vault_damaged') return undefined;
    throw error;
  }
}
