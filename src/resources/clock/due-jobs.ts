/**
 * Stored work with a due time. Each item has a write job of its own, so that a failing one is rolled back alone and
 * delays no other. An item is processed by one run at a time; items that fall due during a run are left for the next
 * one.
 */
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { DueSource, StepBack } from './due-work.ts';

const BEFORE_ALL_TIMES = -1;

export interface DueJobs<Id> {
  readonly name: string;
  readonly queue: WriteQueue;
  readonly clock: Clock;
  /** When the first item after `after` (epoch ms) is due. */
  readonly nextAt: (after: number) => number | undefined;
  /** The items due after `after` and by `until`, in due order. */
  readonly list: (times: { after: number; until: number }) => readonly Id[];
  readonly pending: () => number;
  /** See `DueSource`. */
  readonly stepBack: (database: Database, times: StepBack) => void;
  /** Asynchronous preparation for the jobs. */
  readonly before?: () => Promise<unknown>;
  /**
   * Within a write job: returns the number of items done, 0 when it is no longer due. Afterwards the item must be due
   * later than the clock's `now`, or not at all.
   */
  readonly runOne: (database: Database, id: Id) => number;
  /**
   * Within a write job after a failed one: handles the failure and returns as `runOne`, or throws. Without it the run
   * throws, after all other items are done.
   */
  readonly failOne?: (database: Database, id: Id, error: unknown) => number;
}

export function createDueJobs<Id>(jobs: DueJobs<Id>): DueSource {
  const { queue, clock, before, failOne } = jobs;
  /** Everything due by then is being processed. */
  let workedUntil = BEFORE_ALL_TIMES;
  const inFlight = new Set<Promise<number>>();

  async function work(id: Id): Promise<number> {
    try {
      return await queue.write((database) => jobs.runOne(database, id));
    } catch (error) {
      if (!failOne) throw error;
      return await queue.write((database) => failOne(database, id, error));
    }
  }

  async function runUntil(until: number): Promise<number> {
    const due = jobs.list({ after: workedUntil, until });
    workedUntil = Math.max(workedUntil, until);
    if (before && due.length > 0) await before();
    const ended = await Promise.allSettled(due.map(work));
    let done = 0;
    for (const end of ended) {
      if (end.status === 'rejected') throw end.reason;
      done += end.value;
    }
    return done;
  }

  return {
    name: jobs.name,
    nextAt: () => jobs.nextAt(workedUntil),
    pending: jobs.pending,
    stepBack: jobs.stepBack,
    run() {
      const run = runUntil(clock.now()).finally(() => {
        inFlight.delete(run);
        if (inFlight.size === 0) workedUntil = BEFORE_ALL_TIMES;
      });
      inFlight.add(run);
      return run;
    },
    async idle() {
      await Promise.allSettled(inFlight);
    },
  };
}
