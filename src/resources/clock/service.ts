/** The clock of the instance: moved on request, stored with the instance. Due work is never skipped. */
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp, withinClock, type ClockSetting, type MovableClock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Stream } from '../stream/index.ts';
import { runUntil, type DueSource } from './due-work.ts';
import { createLiveRuns } from './live-runs.ts';
import { momentOf, settingAfter, type MoveRequest } from './moves.ts';
import { saveClockSetting } from './repository.ts';

export interface ClockService {
  state(): AnswerOf<'GET /_kyclone/clock'>;
  /** Throws `invalid_request`. Concurrent calls run one after the other. */
  move(request: MoveRequest): Promise<AnswerOf<'PUT /_kyclone/clock'>>;
  /** Returns to real time, in the write job of a reset. */
  reset(database: Database): void;
  /** Starts running due work, overdue work first. */
  start(): void;
  /** Call it when new work may be due, or due earlier. */
  wake(): void;
  /** Starts nothing any more; settles when current work is done. */
  stop(): Promise<void>;
}

export interface ClockContext {
  readonly queue: WriteQueue;
  readonly clock: MovableClock;
  readonly stream: Stream;
  readonly sources: readonly DueSource[];
  /**
   * Called in the write job that moves the clock back: everything that is expired by `now` (epoch ms) stays expired.
   */
  readonly beforeMovingBack: (database: Database, now: number) => void;
}

export function createClockService(context: ClockContext): ClockService {
  const { queue, clock, stream, sources, beforeMovingBack } = context;
  const live = createLiveRuns({ clock, sources, isStill: () => clock.setting.mode === 'frozen' });
  let lastMove: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  /** Incremented by each reset, which ends a move in progress. */
  let resets = 0;
  /** Whether the transaction resets the clock. */
  let isResetting = false;
  queue.afterRollback(() => (isResetting = false));
  /** The stored setting. */
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

  async function move(request: MoveRequest): Promise<AnswerOf<'PUT /_kyclone/clock'>> {
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

  return {
    state,
    move(request) {
      const moved = lastMove.then(() => move(request));
      lastMove = moved.catch(() => undefined);
      return moved;
    },
    reset(database) {
      if (clock.now() > clock.realNow()) beforeMovingBack(database, clock.now());
      isResetting = true;
      queue.afterCommit(() => {
        resets += 1;
        isResetting = false;
      });
      keep(database, { mode: 'real' }, () => 0);
    },
    start: () => live.start(),
    wake: () => live.wake(),
    async stop() {
      isStopping = true;
      await Promise.all([live.stop(), lastMove]);
    },
  };
}
