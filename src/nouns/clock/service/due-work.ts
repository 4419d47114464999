/** Work with a due time of all nouns, in one order (contract §11, PUT clock). */
import type { MovableClock } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/database.ts';
import type { Needs } from '../../needs.ts';

/** A move of the clock to an earlier time, in epoch milliseconds. */
export interface StepBack {
  readonly from: number;
  readonly to: number;
}

/** A kind of work with a due time, such as delayed outcomes or delivery attempts. */
export interface DueSource {
  /** Epoch milliseconds of the earliest item that is not being processed; undefined when there is none. */
  nextAt(): number | undefined;
  /** The number of items that are waiting or being processed. */
  pending(): number;
  /**
   * Processes the work due by the clock's `now`; settles with the number of items done. May be called again before it
   * settles, for items that are not being processed.
   */
  run(): Promise<number>;
  /** Settles when nothing is being processed. */
  idle(): Promise<void>;
  /**
   * Within the write job that moves the clock back: what began to wait after `to` keeps the rest of its wait. Absent
   * when nothing of the source waits for long.
   */
  stepBack?(database: Database, times: StepBack): void;
  /** A variant of the source for moves of the clock, which must not wait for everything. */
  duringMove?(): DueSource;
  /**
   * At the end of a move, for a source that settles early when work hangs, which then continues in the background: waits
   * for it, within a limit. Returns the number of further items done.
   */
  finish?(): Promise<number>;
}

/** How often in a row a source may do nothing although work is due, before it is skipped. */
export const IDLE_RUNS = 3;
/** How often work may be done at the same time: a source that always has more would stop the clock. */
const RUNS_AT_ONE_TIME = 10_000;

interface Move {
  readonly clock: MovableClock;
  readonly sources: readonly DueSource[];
  /** Epoch milliseconds. */
  readonly from: number;
  readonly isGivenUp: () => boolean;
}

/**
 * Runs the work due by `until` (epoch ms), in due order and each item at its own time, but never before `from`. Stops
 * the clock at each of these times and leaves it at the last. Returns the number of items that fell due after `from`.
 * Earlier items are run as well but not counted, since the background may have done some of them. Ends early when
 * `isGivenUp` returns true. Throws errors of sources.
 */
export async function runUntil(until: number, context: Move): Promise<number> {
  const { clock, isGivenUp } = context;
  const moves = context.sources.map((source) => source.duringMove?.() ?? source);
  const drained = await runInOrder(until, { clock, sources: moves, from: context.from, isGivenUp });
  if (isGivenUp()) return drained;
  const finished = await Promise.all(moves.map(async (source) => (await source.finish?.()) ?? 0));
  return drained + finished.reduce((sum, done) => sum + done, 0);
}

async function runInOrder(until: number, context: Move): Promise<number> {
  const { clock, sources, isGivenUp } = context;
  const idleRuns = new Map<DueSource, number>();
  const leftAlone = new Set<DueSource>();
  let [at, runsThen, drained] = [context.from, 0, 0];
  clock.set({ mode: 'frozen', at });
  for (;;) {
    await Promise.all(sources.map((source) => source.idle()));
    const next = earliest(sources.filter((source) => !leftAlone.has(source)));
    if (isGivenUp() || !next || next.at > until) return drained;
    runsThen = next.at > at ? 1 : runsThen + 1;
    at = Math.max(at, next.at);
    clock.set({ mode: 'frozen', at });
    const done = await next.source.run();
    if (next.at > context.from) drained += done;
    const idle = done > 0 ? 0 : (idleRuns.get(next.source) ?? 0) + 1;
    idleRuns.set(next.source, idle);
    if (idle === IDLE_RUNS || runsThen >= RUNS_AT_ONE_TIME) leftAlone.add(next.source);
  }
}

/** The source with the earliest time; the first of several with the same time. */
export function earliest(sources: readonly DueSource[]): { source: DueSource; at: number } | undefined {
  let found: { source: DueSource; at: number } | undefined;
  for (const source of sources) {
    const at = source.nextAt();
    if (at !== undefined && (!found || at < found.at)) found = { source, at };
  }
  return found;
}

const BEFORE_ALL_TIMES = -1;

interface DueJobs<Id> extends Needs<'queue' | 'clock'> {
  /** When the first item after `after` (epoch ms) is due. */
  readonly nextAt: (after: number) => number | undefined;
  /** The items due after `after` and by `until`, in due order. */
  readonly list: (times: { after: number; until: number }) => readonly Id[];
  readonly pending: () => number;
  /** See `DueSource`. */
  readonly stepBack: (database: Database, times: StepBack) => void;
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

/**
 * Stored work with a due time. Each item has a write job of its own, so that a failing one is rolled back alone and
 * delays no other. An item is processed by one run at a time; items that fall due during a run are left for the next
 * one.
 */
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

/** Reports new due work to the clock, so that its creators and the clock don't depend on each other. */
export function createWakeSignal() {
  const listeners: (() => void)[] = [];
  return {
    /** Call it when new work may be due, or due earlier. */
    wake: (): void => {
      for (const listener of listeners) listener();
    },
    onWake: (listener: () => void): void => void listeners.push(listener),
  };
}
