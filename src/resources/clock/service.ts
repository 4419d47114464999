/** The clock of the instance: moved on command, kept with the store, and nothing that falls due is passed over. */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { MovableClock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Stream } from '../stream/index.ts';
import type { DueSource } from './due-work.ts';

export interface ClockService {
  state(): AnswerOf<'GET /_kyclone/clock'>;
  /** Throws `invalid_request`. Calls that come together are done one after the other. */
  move(request: RequestOf<'PUT /_kyclone/clock'>['body']): Promise<AnswerOf<'PUT /_kyclone/clock'>>;
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

export function createClockService(_context: ClockContext): ClockService {
  return unbuilt<ClockService>({
    start: () => undefined,
    wake: () => undefined,
    stop: () => Promise.resolve(),
    reset: () => undefined,
  });
}

/** What the clock was set to when the store was last closed. */
export function storedClockSetting(_database: Database): MovableClock['setting'] {
  return { mode: 'real' };
}
