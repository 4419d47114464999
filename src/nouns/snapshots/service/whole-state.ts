/** Writes the whole state to one file, and replaces it by one. */
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { RandomState } from '../../../kernel/ids/random.ts';
import { jsonOf } from '../../../kernel/text/json.ts';
import type { BlobStore } from '../../../storage/blobs.ts';
import type { Database } from '../../../storage/database.ts';
import { prepareStore, type PreparedStore } from '../../../storage/prepared-store.ts';
import {
  beginSnapshot,
  type SnapshotDraft,
  openSnapshot,
  type SnapshotFile,
} from '../../../storage/snapshot-file.ts';
import { copyImage, writeImage } from '../../../storage/snapshot-image.ts';
import { orRemoved, removeDraft, copyInto, syncPath } from '../../../storage/snapshot-folder.ts';
import { beginLogAfter } from '../../../vault/log-anchor.ts';
import { isFileName, listFiles } from '../../../vault/repository.ts';
import { takeMark } from './access-repository.ts';
import { keepAccess } from './access.ts';
import type { SnapshotContext } from './context.ts';
import { settleRestored, type RestoredCounts } from './restored.ts';
import { requireWhole, sealedVaultKey, unsealDraft } from './seal.ts';

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
  await context.flush().catch((error: unknown) => {
    // With the files of the store gone, a snapshot is the rescue, which lacks only times of last use.
    if (!(error instanceof ServiceError) || error.code !== 'store_missing') throw error;
  });
  for (let tries = 1; ; tries++) {
    const path = await options.draft();
    if (await orRemoved(path, () => writeOnce(context, path, options))) return path;
    await removeDraft(path);
    if (tries === TRIES) throw conflict('Files are deleted while the snapshot is written: try again');
  }
}

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

/** False when a file was deleted in the meantime. Throws `vault_damaged` when one is missing. */
async function addFiles({ blobs, database }: SnapshotContext, draft: SnapshotDraft): Promise<boolean> {
  for (const name of draft.fileNames()) {
    const content = await readBlob(blobs, name);
    if (content) draft.addFile(name, content);
    else if (isFileName(database, { name })) throw new ServiceError('vault_damaged', FILE_MISSING);
    else return false;
  }
  return true;
}

const FILE_MISSING =
  'A sealed file of the vault is missing: no snapshot was made. kyclone doctor --deep names each; put it back, or delete its value';

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

/** Request ids never repeat within a run, since the journal and the log refer to them. */
const NOT_REWOUND = ['request'];

/**
 * Replaces the state by the snapshot at `path`, which must be of this vault. Throws `vault_damaged`, `conflict`,
 * `storage_full`, and then keeps serving the old state.
 */
export async function loadSnapshot(
  context: SnapshotContext,
  path: string,
  { requestId, keepRevoked }: { requestId: string | undefined; keepRevoked: boolean },
): Promise<RestoredCounts> {
  const { home, keyring, blobs, random } = context;
  let restoredCounts: RestoredCounts = { entities: 0, tokens: 0, keys: 0 };
  // Each page was verified when it was written or imported; repeat that only if another program may have changed the
  // file.
  const isVouched = home.folder.isVouched(path);
  await requireWhole(context, path);
  const snapshot = openSnapshot(path, { isWhole: !isVouched });
  const draft = await home.folder.draft();
  const restored: string[] = [];
  let prepared: PreparedStore | undefined;
  try {
    requireOurs(context, snapshot);
    await copyInto(draft, path);
    await unsealDraft(draft);
    const store = (prepared = prepareStore(draft, snapshot.schema));
    restored.push(...(await restoreFiles(context, store, snapshot)));
    // Sync here, so that requests don't wait for it later.
    if (!context.database.memory) await syncPath(draft, 'r+');
    await home.replaceStore({
      path: draft,
      requestId,
      async finish() {
        keyring.snapshots.handSlotsTo(store.database);
        restoredCounts = settle(context, store.database, keepRevoked);
        // Again, since a file may have been deleted from the old state in the meantime.
        restored.push(...(await restoreFiles(context, store, snapshot)));
        store.close();
        rewind(random, snapshot.record.random);
      },
    });
  } catch (error) {
    await blobs.remove(restored);
    throw error;
  } finally {
    prepared?.close();
    snapshot.close();
    await removeDraft(draft);
  }
  return restoredCounts;
}

/** Applies data of the current state to the store that will replace it. */
function settle(context: SnapshotContext, next: Database, keepRevoked: boolean): RestoredCounts {
  const { database, keyring, clock, removeEntity, onNewSpace } = context;
  const opened = keyring.snapshots.reopen(next);
  const log = opened.instanceKey('access log');
  beginLogAfter(database, next, { anchor: keyring.snapshots.anchorKey, log });
  if (takeMark(next)) {
    keepAccess({ database, keyring }, { database: next, keyring: opened }, onNewSpace);
  }
  return settleRestored(database, next, { keepRevoked, now: clock.now(), removeEntity });
}

function requireOurs({ keyring }: SnapshotContext, { database }: SnapshotFile): void {
  if (keyring.snapshots.opens(database)) return;
  throw new ServiceError('vault_damaged', 'The snapshot is of another vault, or its keys are damaged');
}

/** Returns the names of those that were missing. */
async function restoreFiles(
  { blobs }: SnapshotContext,
  { database }: PreparedStore,
  snapshot: SnapshotFile,
): Promise<string[]> {
  const restored: string[] = [];
  const held = new Set(snapshot.fileNames());
  try {
    for (const name of listFiles(database)) {
      if (held.has(name) && (await blobs.restore(name, () => snapshot.readFile(name)))) restored.push(name);
    }
  } catch (error) {
    await blobs.remove(restored);
    throw error;
  }
  return restored;
}

function rewind(random: SnapshotContext['random'], text: string | null): void {
  const state = text === null ? undefined : readState(text);
  if (state) random.restore(state, NOT_REWOUND);
}

function readState(text: string): RandomState | undefined {
  const { seed_digest, drawn } = (jsonOf(text) ?? {}) as Partial<RandomState>;
  if (typeof seed_digest !== 'string' || typeof drawn !== 'object') return undefined;
  const entries = Object.entries(drawn).filter(([, count]) => Number.isSafeInteger(count) && count >= 0);
  return { seed_digest, drawn: Object.fromEntries(entries) };
}
