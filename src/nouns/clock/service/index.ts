/** The clock of the instance: moved on request, stored with the instance. Due work is never skipped (contract §11). */
import type { AnswerOf } from '../../../contract/registry.ts';
import {
  type Clock,
  type ClockSetting,
  type MovableClock,
  timestamp,
  withinClock,
} from '../../../kernel/time/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { realTime } from '../../../kernel/time/real-time.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import type { WriteQueue } from '../../../storage/writer.ts';
import { answer, answered, type Handlers, type KeysUnder } from '../../handlers.ts';
import type { Stream } from '../../stream/service.ts';
import { type DueSource, earliest, IDLE_RUNS, runUntil } from './due-work.ts';
import { momentOf, type MoveRequest, settingAfter, saveClockSetting } from './setting.ts';

// Runs work when it falls due: a timer waits for the earliest item of all sources. Each source runs independently, so
// that a slow one delays no other. A source that fails or does nothing is skipped for a second.

const RETRY_MS = SECOND_MS;
/** The longest timer: 2^31 - 1 ms, 24 days. After it the check is repeated. */
const LONGEST_WAIT_MS = 2_147_483_647;

/** `isStill`: the clock is frozen, so nothing falls due with time. */
function createLiveRuns(context: {
  readonly clock: Clock;
  readonly sources: readonly DueSource[];
  readonly isStill: () => boolean;
}) {
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
    start(): void {
      isStarted = true;
      wake();
    },
    /** Checks soon whether work is due. */
    wake,
    /** Starts nothing until the returned function is called. */
    pause(): () => void {
      pauses += 1;
      return () => {
        pauses -= 1;
        wake();
      };
    },
    /** Starts nothing any more; settles when every source is idle. */
    async stop(): Promise<void> {
      isStopped = true;
      realTime.clearTimeout(timer);
      await Promise.allSettled([...inFlight, ...sources.map((source) => source.idle())]);
    },
  };
}

export type ClockService = ReturnType<typeof createClockService>;

interface ClockContext {
  readonly queue: WriteQueue;
  readonly clock: MovableClock;
  readonly stream: Pick<Stream, 'publish'>;
  readonly sources: readonly DueSource[];
  /**
   * Called in the write job that moves the clock back: everything that is expired by `now` (epoch ms) stays expired.
   */
  readonly beforeMovingBack: (database: Database, now: number) => void;
}

export function createClockService(context: ClockContext) {
  const { queue, clock, stream, sources, beforeMovingBack } = context;
  const live = createLiveRuns({ clock, sources, isStill: () => clock.setting.mode === 'frozen' });
  let lastMove: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  /** Incremented by each reset, which ends a move in progress. */
  let resets = 0;
  /** Whether the transaction resets the clock. */
  let isResetting = false;
  queue.afterRollback(() => (isResetting = false));
  let kept = clock.setting;
  /** The setting that a move in progress has reached. */
  let reached: (() => ClockSetting) | undefined;

  // What falls due in a move is committed together with the clock's position: a killed move leaves no work that was
  // done in the clock's future.
  queue.beforeCommit((database) => {
    if (!reached || isResetting) return;
    const setting = reached();
    saveClockSetting(database, setting);
    queue.afterCommit(() => (kept = setting));
  });

  function state(): AnswerOf<'GET /_kyclone/clock'> {
    const { setting } = clock;
    const realNow = clock.realNow();
    const now = withinClock(momentOf(setting, realNow));
    return {
      now: timestamp(now),
      real_now: timestamp(realNow),
      mode: setting.mode,
      offset_ms: Math.round(now - realNow),
    };
  }

  /** Within a write job: stores the setting, which takes effect with the commit. */
  function keep(database: Database, setting: ClockSetting, drained: () => number): void {
    saveClockSetting(database, setting);
    queue.afterCommit(() => {
      kept = setting;
      follow(drained());
      live.wake();
    });
  }

  /** Sets the clock as it is stored. */
  function follow(drained: number): void {
    clock.set(kept);
    const { now, mode, offset_ms } = state();
    stream.publish('clock', () => ({ now, mode, offset_ms, drained }));
  }

  async function moveNow(request: MoveRequest): Promise<AnswerOf<'PUT /_kyclone/clock'>> {
    const before = { setting: clock.setting, now: clock.now(), realNow: clock.realNow() };
    const setting = settingAfter(request, before);
    const target = momentOf(setting, before.realNow);
    const goOn = live.pause();
    try {
      if (target < before.now) await moveBack(setting, target);
      else return await moveForward(setting, { target, before });
    } finally {
      goOn();
    }
    return { now: state().now, drained: 0 };
  }

  async function moveBack(setting: ClockSetting, to: number): Promise<void> {
    const resetsBefore = resets;
    await queue.write((database) => {
      if (isResetting || resets !== resetsBefore) return;
      const from = clock.now();
      beforeMovingBack(database, from);
      for (const source of sources) source.stepBack?.(database, { from, to });
      keep(database, setting, () => 0);
    });
  }

  /** The clock either reaches its target or stays at the time of the last work that was completed. */
  async function moveForward(
    setting: ClockSetting,
    { target, before }: { target: number; before: { now: number } },
  ): Promise<AnswerOf<'PUT /_kyclone/clock'>> {
    const [resetsBefore, keptBefore] = [resets, kept];
    const isGivenUp = () => isStopping || resets !== resetsBefore;
    reached = () => {
      const at = clock.now();
      return setting.mode === 'frozen'
        ? { mode: 'frozen', at }
        : { mode: 'offset', offsetMs: at - clock.realNow() };
    };
    try {
      const drained = await runUntil(target, { clock, sources, from: before.now, isGivenUp });
      if (isStopping) throw new ServiceError('not_ready', 'The daemon is stopping');
      await queue.write((database) => {
        reached = undefined;
        if (!isResetting && resets === resetsBefore) keep(database, setting, () => drained);
      });
      return { now: state().now, drained };
    } catch (error) {
      if (kept !== keptBefore) follow(0);
      else clock.set(kept);
      throw error;
    } finally {
      reached = undefined;
    }
  }

  /** Throws `invalid_request`. Concurrent calls run one after the other. */
  function move(request: MoveRequest): ReturnType<typeof moveNow> {
    const moved = lastMove.then(() => moveNow(request));
    lastMove = moved.catch(() => undefined);
    return moved;
  }

  return {
    state,
    move,
    handlers: {
      'GET /_kyclone/clock': () => answer(state()),
      'PUT /_kyclone/clock': ({ body }) => answered(move(body)),
    } satisfies Handlers<KeysUnder<'/_kyclone/clock'>>,
    /** Returns to real time, in the write job of a reset. */
    reset(database: Database): void {
      if (clock.now() > clock.realNow()) beforeMovingBack(database, clock.now());
      isResetting = true;
      queue.afterCommit(() => {
        resets += 1;
        isResetting = false;
      });
      keep(database, { mode: 'real' }, () => 0);
    },
    /** Starts running due work, overdue work first. */
    start: (): void => live.start(),
    /** Call it when new work may be due, or due earlier. */
    wake: (): void => live.wake(),
    /** Starts nothing any more; settles when current work is done. */
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all([live.stop(), lastMove]);
    },
  };
}

export { createDueJobs, createWakeSignal, type DueSource, type StepBack } from './due-work.ts';
export { saveClockSetting, storedClockSetting } from './setting.ts';
