/**
 * Puts the blind indexes of new entities into their table, many at a time and in the order of the table: each would
 * dirty a page of its own otherwise, which is most of what creating an entity writes. Until then its row has them, and
 * whoever looks for one looks there, too; so nothing has to be made up for after a kill.
 */
import type { Database } from '../storage/database.ts';
import type { WriteQueue } from '../storage/writer.ts';
import { insertFingerprints, listUnlisted, saveListedUpTo } from './fingerprints-repository.ts';
import { fingerprintEntries } from './fingerprints.ts';

/** What a search reads at most of rows that are not listed: less than a millisecond. */
const MOST_UNLISTED = 1_024;
const IDLE_MS = 100;

export interface FingerprintListing {
  /** An entity was created whose blind indexes stand in its row only; within the write job. */
  created(): void;
}

export function createFingerprintListing(queue: WriteQueue): FingerprintListing {
  let waiting = 0;
  let seen = 0;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  /** One that fails is tried again after the next creation: nothing is lost, and the queue says what is wrong. */
  async function list(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      let isMore = listUnlisted(queue.database, 1).length > 0;
      while (isMore) {
        waiting = 0;
        isMore = await queue.write(listSome);
      }
    } catch {
      waiting = 0;
    } finally {
      isRunning = false;
    }
  }

  /** Waits for a moment in which nobody creates. */
  function look(): void {
    timer = undefined;
    if (waiting === seen) void list();
    else arm();
  }

  function arm(): void {
    seen = waiting;
    timer ??= setTimeout(look, IDLE_MS).unref();
  }

  // What an earlier process has left.
  arm();
  queue.beforeClose(() => {
    clearTimeout(timer);
    void list();
  });
  return {
    created() {
      waiting += 1;
      if (waiting >= MOST_UNLISTED) queue.afterCommit(() => void list());
      else if (timer === undefined) arm();
    },
  };
}

/** Within a write job; returns whether there may be more. */
export function listSome(database: Database): boolean {
  const rows = listUnlisted(database, MOST_UNLISTED);
  const newest = rows.at(-1);
  if (newest === undefined) return false;
  const entries = rows.flatMap(([entity, fingerprints]) => fingerprintEntries(entity, fingerprints));
  entries.sort(([one], [other]) => Buffer.compare(one, other));
  insertFingerprints(database, entries);
  saveListedUpTo(database, newest[0]);
  return rows.length === MOST_UNLISTED;
}
