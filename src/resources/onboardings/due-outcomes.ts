/** Delayed outcomes, as the clock brings them about (contract §4.4, §4.7: those of deleted entities never are). */
import type { Outcome } from '../../contract/shapes.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { DueSource } from '../clock/index.ts';
import { countDue, findNextDue, findOnboarding, listDue, type OnboardingRow } from './repository.ts';

const BEFORE_ALL_TIMES = -1;

/** `bringAbout` is called within a write job, for one that is due now. */
export function createDueOutcomes(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly bringAbout: (database: Database, row: OnboardingRow, outcome: Outcome) => unknown;
}): DueSource {
  const { queue, clock, bringAbout } = context;
  /** Everything due by then is being worked on. */
  let workedUntil = BEFORE_ALL_TIMES;
  const underWay = new Set<Promise<number>>();

  /** Answers how many were done: 1, or 0 when it was deleted, resolved or put off meanwhile. */
  function endOne(database: Database, id: string): number {
    const row = findOnboarding(database, id);
    const isDue = row && row.entity !== null && row.due_at !== null && row.due_at <= clock.now();
    if (!isDue || row.next_outcome === null) return 0;
    bringAbout(database, row, row.next_outcome);
    return 1;
  }

  async function runUntil(until: number): Promise<number> {
    const due = listDue(queue.database, { after: workedUntil, until });
    workedUntil = Math.max(workedUntil, until);
    const ended = await Promise.allSettled(due.map((id) => queue.write((database) => endOne(database, id))));
    let done = 0;
    for (const end of ended) {
      if (end.status === 'rejected') throw end.reason;
      done += end.value;
    }
    return done;
  }

  return {
    name: 'outcomes',
    nextAt: () => findNextDue(queue.database, workedUntil),
    pending: () => countDue(queue.database),
    run() {
      const run = runUntil(clock.now()).finally(() => {
        underWay.delete(run);
        if (underWay.size === 0) workedUntil = BEFORE_ALL_TIMES;
      });
      underWay.add(run);
      return run;
    },
    async idle() {
      await Promise.allSettled(underWay);
    },
  };
}
