/**
 * Resets a large store by replacing it with a new one that has the data to keep, as a load does. However much is
 * deleted, requests only wait for the exchange, and see all of it or nothing. The old data is removed with its file.
 */
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import { emptyStore } from '../../storage/prepared-store.ts';
import { translated } from '../../storage/snapshot-file.ts';
import { removeDraft } from '../../storage/snapshot-folder.ts';
import type { Keyring } from '../../vault/keyring/index.ts';
import { beginLogAfter } from '../../vault/log-anchor.ts';
import { sealHead } from '../../vault/log-head.ts';
import { listFiles } from '../../vault/repository.ts';
import { saveClockSetting } from '../clock/index.ts';
import { countByKind } from '../entities/index.ts';
import type { SnapshotHome } from '../snapshots/index.ts';
import { copyKept, countDeleted } from './repository.ts';

export interface AnotherStoreContext {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly random: Randomness;
  readonly home: SnapshotHome;
}

/**
 * Returns the number of deleted records of each kind. Throws `conflict` while a snapshot is being loaded,
 * `storage_full`, and other errors of an exchange; the old state is then served.
 */
export async function resetIntoAnother(
  { database, keyring, random, home }: AnotherStoreContext,
  { seed, requestId }: { readonly seed?: string | undefined; readonly requestId: string },
): Promise<Readonly<Record<string, number>>> {
  return await home.turns.takeAlone(async () => {
    const draft = await home.folder.draft();
    let deleted: Record<string, number> = {};
    let files: readonly string[] = [];
    try {
      const store = await emptyStore(draft);
      try {
        await home.replaceStore({
          path: draft,
          requestId,
          oldFiles: () => files,
          // Copies and counts at the same moment.
          finish() {
            files = listFiles(database);
            deleted = { ...countByKind(database), ...countDeleted(database), files: files.length };
            translated(() => {
              copyKept(database, store.database);
              beginAgain(database, store.database, keyring);
            });
            store.close();
            random.restart(seed);
            return Promise.resolve();
          },
        });
      } finally {
        store.close();
      }
    } finally {
      await removeDraft(draft);
    }
    return deleted;
  });
}

/** Resets rows that are kept: the clock, and the access log, which starts a new, empty chain. */
function beginAgain(from: Database, to: Database, keyring: Keyring): void {
  const log = keyring.instanceKey('access log');
  to.transaction(() => {
    saveClockSetting(to, { mode: 'real' });
    sealHead(to, log, undefined, false);
    beginLogAfter(from, to, { anchor: keyring.snapshots.anchorKey, log });
  })();
}
