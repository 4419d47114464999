/**
 * Moves the blind indexes of new entities into their table in batches, sorted in table order. Written one by one, each
 * would dirty a separate page, which is most of the cost of creating an entity. Until then they are in the entity's
 * row, and searches read these rows, too; so nothing is lost when the process is killed.
 */
import type { WriteQueue } from '../storage/writer.ts';
import { isAllListed, listMore } from './fingerprints-repository.ts';
import { realTime } from '../kernel/real-time.ts';

/** The most unlisted rows that a search reads, in less than a millisecond. */
const MOST_UNLISTED = 1_024;
const IDLE_MS = 100;

export interface FingerprintListing {
  /** Call it within the write job that creates an entity whose blind indexes are only in its row. */
  created(): void;
}

export function createFingerprintListing(queue: WriteQueue): FingerprintListing {
  let waiting = 0;
  let seen = 0;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  /** A failed batch is retried after the next creation: nothing is lost, and the queue reports the problem. */
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

  /** Waits for a moment without creations. */
  function look(): void {
    timer = undefined;
    if (waiting === seen) void list();
    else arm();
  }

  function arm(): void {
    seen = waiting;
    timer ??= realTime.setTimeout(look, IDLE_MS).unref();
  }

  // Lists the rows left by an earlier process.
  arm();
  queue.beforeClose(() => {
    realTime.clearTimeout(timer);
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
