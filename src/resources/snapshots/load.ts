/** A snapshot in the place of the state. */
import type { RandomState } from '../../kernel/random.ts';
import { prepareStore, type PreparedStore } from '../../storage/prepared-store.ts';
import { openSnapshot, type SnapshotFile } from '../../storage/snapshot-file.ts';
import { copyInto, removeDraft } from '../../storage/snapshot-folder.ts';
import { listFiles } from '../../vault/repository.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { SnapshotContext } from './context.ts';

/** Ids of requests never come again within a run: journal and log name them. */
const NOT_REWOUND = ['request'];

/**
 * Puts the state of the snapshot at `path`, which is of this vault, in the place of the one that is. Throws
 * `vault_damaged`, `conflict`, `storage_full`; the old state is served then.
 */
export async function loadSnapshot(
  context: SnapshotContext,
  path: string,
  requestId: string | undefined,
): Promise<void> {
  const { home, keyring, blobs, random } = context;
  // Each page was judged when it was written or taken in: again only when somebody else may have been there.
  const snapshot = openSnapshot(path, { isWhole: !home.folder.isVouched(path) });
  const draft = await home.folder.draft();
  const restored: string[] = [];
  let prepared: PreparedStore | undefined;
  try {
    requireOurs(context, snapshot);
    home.folder.vouch(path);
    await copyInto(draft, path);
    const store = (prepared = prepareStore(draft, snapshot.schema));
    restored.push(...(await restoreFiles(context, store, snapshot)));
    await home.replaceStore({
      path: draft,
      requestId,
      async finish() {
        keyring.snapshots.handSlotsTo(store.database);
        // Again: one that was there may have been deleted from the old state meanwhile.
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
}

function requireOurs({ keyring }: SnapshotContext, { database }: SnapshotFile): void {
  if (keyring.snapshots.opens(database)) return;
  throw new ServiceError('vault_damaged', 'The snapshot is of another vault, or its keys are damaged');
}

/** Answers the names of those that were missing. */
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
  try {
    const { seed_digest, drawn } = JSON.parse(text) as Partial<RandomState>;
    if (typeof seed_digest !== 'string' || typeof drawn !== 'object') return undefined;
    const entries = Object.entries(drawn).filter(([, count]) => Number.isSafeInteger(count) && count >= 0);
    return { seed_digest, drawn: Object.fromEntries(entries) };
  } catch {
    return undefined;
  }
}
