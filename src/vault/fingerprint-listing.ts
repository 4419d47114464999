/**
 * Puts the blind indexes of new entities into their table, many at a time and in the order of the table: each would
 * dirty a page of its own otherwise, which is most of what creating an entity writes. Until then its row has them, and
 * searches read these rows, too; so a kill loses nothing.
 */
import type { WriteQueue } from '../storage/writer.ts';
import { isAllListed, listMore } from './fingerprints-repository.ts';

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
      let isDone = isAllListed(queue.database);
      while (!isDone) {
        waiting = 0;
        isDone = await queue.write((database) => listMore(database, MOST_UNLISTED));
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
