/** The source of every timestamp, expiry and delay. Nothing else in the service reads the system time. */
import { realTime } from './real-time.ts';
export interface Clock {
  /** Milliseconds since the Unix epoch, by the instance's clock. */
  now(): number;
  /** Milliseconds since the Unix epoch, by the machine's clock. */
  realNow(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: realTime.now, realNow: realTime.now };

/** How the instance's clock runs: with the machine's clock, at a constant offset from it, or frozen (contract §11). */
export type ClockSetting =
  | { readonly mode: 'real' }
  | { readonly mode: 'offset'; readonly offsetMs: number }
  | { readonly mode: 'frozen'; readonly at: number };

export interface MovableClock extends Clock {
  readonly setting: ClockSetting;
  /**
   * Changes the setting from now on. The caller that moves the clock forward runs the work that falls due; see
   * nouns/clock.
   */
  set(setting: ClockSetting): void;
}

/** A clock that starts as `setting` says, on top of `base`. */
export function movableClock(base: Clock, setting: ClockSetting = { mode: 'real' }): MovableClock {
  let current = setting;
  return {
    realNow: () => base.realNow(),
    now() {
      if (current.mode === 'frozen') return withinClock(current.at);
      return current.mode === 'offset' ? withinClock(base.realNow() + current.offsetMs) : base.realNow();
    },
    get setting() {
      return current;
    },
    set: (next) => void (current = next),
  };
}

/** The last time that the clock shows, in epoch milliseconds. Later years have five digits, which is another format. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The time itself, or the last instant of the clock when the time is later. */
export function withinClock(epochMs: number): number {
  return Math.min(Math.max(epochMs, 0), LAST_INSTANT);
}

/** UTC with milliseconds, `2026-01-31T12:00:00.000Z` (contract §0.6). A later time is shown as the last instant. */
export function timestamp(epochMs: number): string {
  if (epochMs !== lastFormatted.epochMs)
    lastFormatted = { epochMs, text: new Date(withinClock(epochMs)).toISOString() };
  return lastFormatted.text;
}

/** Under load many requests fall into one millisecond and format it several times each. */
let lastFormatted = { epochMs: 0, text: new Date(0).toISOString() };
