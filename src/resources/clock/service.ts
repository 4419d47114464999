/** The clock of the instance: moved on request, stored with the instance. Due work is never skipped. */
import { isDeepStrictEqual } from 'node:util';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp, withinClock, type ClockSetting, type MovableClock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Stream } from '../stream/index.ts';
import { runUntil, type DueSource } from './due-work.ts';
import { createLiveRuns } from './live-runs.ts';
import { momentOf, settingAfter, type MoveRequest } from './moves.ts';
import { saveClockSetting, storedClockSetting } from './repository.ts';

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
      clock.set(setting);
      const { now, mode, offset_ms } = state();
      const message = { now, mode, offset_ms, drained: drained() };
      stream.publish('clock', () => message);
      live.wake();
    });
  }

  async function move(request: MoveRequest): Promise<AnswerOf<'PUT /_kyclone/clock'>> {
    const before = { setting: clock.setting, now: clock.now(), realNow: clock.realNow() };
    const setting = settingAfter(request, before);
    const target = momentOf(setting, before.realNow);
    const goOn = live.pause();
    try {
      if (target < before.now) await moveBack(setting, before);
      else return await moveForward(setting, { target, before });
    } finally {
      goOn();
    }
    return { now: state().now, drained: 0 };
  }

  /** Whether a reset precedes this write job, possibly in the same commit, so that its effects are still to come. */
  function isReset(database: Database, before: ClockSetting): boolean {
    return !isDeepStrictEqual(storedClockSetting(database), before);
  }

  async function moveBack(setting: ClockSetting, before: { setting: ClockSetting }): Promise<void> {
    await queue.write((database) => {
      if (isReset(database, before.setting)) return;
      beforeMovingBack(database, clock.now());
      keep(database, setting, () => 0);
    });
  }

  /** The clock either reaches its target or is set back to its earlier setting; completed work stays done. */
  async function moveForward(
    setting: ClockSetting,
    { target, before }: { target: number; before: { setting: ClockSetting; now: number } },
  ): Promise<AnswerOf<'PUT /_kyclone/clock'>> {
    const resetsBefore = resets;
    const isGivenUp = () => isStopping || resets !== resetsBefore;
    try {
      const drained = await runUntil(target, { clock, sources, from: before.now, isGivenUp });
      if (isStopping) throw new ServiceError('not_ready', 'The daemon is stopping');
      await queue.write((database) => {
        if (resets === resetsBefore && !isReset(database, before.setting)) {
          keep(database, setting, () => drained);
        }
      });
      return { now: state().now, drained };
    } catch (error) {
      if (resets === resetsBefore) clock.set(before.setting);
      throw error;
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
      queue.afterCommit(() => (resets += 1));
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
