/**
 * Runs work when it falls due: a timer waits for the earliest item of all sources. Each source runs independently, so
 * that a slow one delays no other. A source that fails or does nothing is skipped for a second.
 */
import type { Clock } from '../../kernel/clock.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { earliest, type DueSource } from './due-work.ts';
import { realTime } from '../../kernel/real-time.ts';

export interface LiveRuns {
  start(): void;
  /** Checks soon whether work is due. */
  wake(): void;
  /** Starts nothing until the returned function is called. */
  pause(): () => void;
  /** Starts nothing any more; settles when every source is idle. */
  stop(): Promise<void>;
}

const RETRY_MS = SECOND_MS;
/** How often in a row a source may do nothing although work was due. */
const IDLE_RUNS = 3;
/** The longest timer: 2^31 - 1 ms, 24 days. After it the check is repeated. */
const LONGEST_WAIT_MS = 2_147_483_647;

/** `isStill`: the clock is frozen, so nothing falls due with time. */
export function createLiveRuns(context: {
  readonly clock: Clock;
  readonly sources: readonly DueSource[];
  readonly isStill: () => boolean;
}): LiveRuns {
  const { clock, sources, isStill } = context;
  let isStarted = false;
  let isStopped = false;
  let pauses = 0;
  let isLookScheduled = false;
  let timer: NodeJS.Timeout | undefined;
  const idleRuns = new Map<DueSource, number>();
  const resting = new Set<DueSource>();
  const inFlight = new Set<Promise<void>>();

  function wake(): void {
    if (isLookScheduled || !isStarted || isStopped) return;
    isLookScheduled = true;
    realTime.setImmediate(() => {
      isLookScheduled = false;
      look();
    });
  }

  function look(): void {
    realTime.clearTimeout(timer);
    if (isStopped || pauses > 0) return;
    try {
      const now = clock.now();
      const awake = sources.filter((source) => !resting.has(source));
      const isDue = (source: DueSource) => (source.nextAt() ?? Infinity) <= now;
      for (const source of awake) if (isDue(source)) begin(source);
      const next = earliest(awake.filter((source) => !isDue(source)));
      // A source that has not started its due work yet is checked again at the end of its run, or after this time.
      const longest = awake.some(isDue) ? RETRY_MS : LONGEST_WAIT_MS;
      if (next && !isStill()) lookIn(Math.min(next.at - now, longest));
      else if (longest === RETRY_MS) lookIn(longest);
    } catch {
      // The store can't be read now; the runs would fail, too.
      lookIn(RETRY_MS);
    }
  }

  function lookIn(ms: number): void {
    timer = realTime.setTimeout(look, Math.max(ms, 1)).unref();
  }

  function begin(source: DueSource): void {
    const run = runOnce(source).finally(() => {
      inFlight.delete(run);
      wake();
    });
    inFlight.add(run);
  }

  async function runOnce(source: DueSource): Promise<void> {
    try {
      const done = await source.run();
      const idle = done > 0 ? 0 : (idleRuns.get(source) ?? 0) + 1;
      idleRuns.set(source, idle);
      if (idle >= IDLE_RUNS) rest(source);
    } catch {
      // A full disk or a read-only store: the work stays due.
      rest(source);
    }
  }

  function rest(source: DueSource): void {
    resting.add(source);
    idleRuns.delete(source);
    realTime
      .setTimeout(() => {
        resting.delete(source);
        wake();
      }, RETRY_MS)
      .unref();
  }

  return {
    start() {
      isStarted = true;
      wake();
    },
    wake,
    pause() {
      pauses += 1;
      return () => {
        pauses -= 1;
        wake();
      };
    },
    async stop() {
      isStopped = true;
      realTime.clearTimeout(timer);
      await Promise.allSettled([...inFlight, ...sources.map((source) => source.idle())]);
    },
  };
}
