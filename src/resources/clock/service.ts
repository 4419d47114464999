/** The clock of the instance: moved on command, kept with the store, and nothing that falls due is passed over. */
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
  /** Throws `invalid_request`. Calls that come together are done one after the other. */
  move(request: MoveRequest): Promise<AnswerOf<'PUT /_kyclone/clock'>>;
  /** Back to real time, in the write job of a reset. */
  reset(database: Database): void;
  /** From now on work is done when it falls due; what fell due while nobody ran is done first. */
  start(): void;
  /** Something new may be due, or due sooner. */
  wake(): void;
  /** Nothing is begun any more; settles when what was begun is done. */
  stop(): Promise<void>;
}

export interface ClockContext {
  readonly queue: WriteQueue;
  readonly clock: MovableClock;
  readonly stream: Stream;
  readonly sources: readonly DueSource[];
  /** In the write job that moves the clock back: what is expired by `now` (epoch ms) stays so. */
  readonly beforeMovingBack: (database: Database, now: number) => void;
}

export function createClockService(context: ClockContext): ClockService {
  const { queue, clock, stream, sources, beforeMovingBack } = context;
  const live = createLiveRuns({ clock, sources, isStill: () => clock.setting.mode === 'frozen' });
  let lastMove: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  /** Counts up with each reset: a move that was under way then is over. */
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

  /** Within a write job: the clock runs so once it is committed. */
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

  /**
   * Whether a reset stands before this write job, in the same commit perhaps, so that its effects are still to come.
   */
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

  /** Either the clock reaches its target, or it runs as it did before; what was done on the way is done. */
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
