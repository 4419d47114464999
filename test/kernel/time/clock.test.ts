import { expect, test } from 'vitest';
import { movableClock, systemClock, timestamp } from '../../../src/kernel/time/clock.ts';
import { frozenClock } from '../../support/frozen-clock.ts';

test('timestamp: is UTC with milliseconds', () => {
  expect(timestamp(Date.UTC(2026, 0, 31, 12))).toBe('2026-01-31T12:00:00.000Z');
  expect(timestamp(1)).toBe('1970-01-01T00:00:00.001Z');
});

test('systemClock: is the time of the machine', () => {
  const before = Date.now();
  const [now, realNow] = [systemClock.now(), systemClock.realNow()];

  expect(now).toBeGreaterThanOrEqual(before);
  expect(realNow).toBeLessThanOrEqual(Date.now());
});

test('movableClock: runs as the one below it, off it by a constant, or not at all', () => {
  const base = frozenClock(1000);
  const clock = movableClock(base);
  expect([clock.now(), clock.realNow(), clock.setting]).toEqual([1000, 1000, { mode: 'real' }]);

  clock.set({ mode: 'offset', offsetMs: -300 });
  base.advance(50);
  expect([clock.now(), clock.realNow()]).toEqual([750, 1050]);

  clock.set({ mode: 'frozen', at: 5 });
  base.advance(50);
  expect([clock.now(), clock.realNow(), clock.setting]).toEqual([5, 1100, { mode: 'frozen', at: 5 }]);

  clock.set({ mode: 'real' });
  expect(clock.now()).toBe(1100);
});

test('movableClock: starts as it was set before', () => {
  expect(movableClock(frozenClock(1000), { mode: 'offset', offsetMs: 7 }).now()).toBe(1007);
});
