/** Delayed outcomes, applied when they fall due (contract §4.4, §4.7); those of deleted entities never are. */
import type { Outcome } from '../../contract/facts/onboardings.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { createDueJobs, type DueSource } from '../clock/index.ts';
import {
  countDue,
  findNextDue,
  findOnboarding,
  listDue,
  listWaitingSince,
  type OnboardingRow,
  updateOnboarding,
} from './repository.ts';

/** `bringAbout` is called within a write job, for one that is due. */
export function createDueOutcomes(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly bringAbout: (database: Database, row: OnboardingRow, outcome: Outcome) => unknown;
}): DueSource {
  const { queue, clock, bringAbout } = context;
  return createDueJobs({
    name: 'outcomes',
    queue,
    clock,
    nextAt: (after) => findNextDue(queue.database, after),
    list: (times) => listDue(queue.database, times),
    pending: () => countDue(queue.database),
    stepBack(database, { from, to }) {
      for (const row of listWaitingSince(database, to))
        updateOnboarding(database, { ...row, due_at: Math.max(to, row.due_at - (from - to)) });
    },
    /** Does nothing when it was deleted, resolved or postponed in the meantime. */
    runOne(database, id) {
      const row = findOnboarding(database, id);
      const isDue = row && row.entity !== null && row.due_at !== null && row.due_at <= clock.now();
      if (!isDue || row.next_outcome === null) return 0;
      bringAbout(database, row, row.next_outcome);
      return 1;
    },
  });
}
