import { expect, test } from 'vitest';
import { frozenClock, systemClock, timestamp } from '../../src/kernel/clock.ts';

test('timestamp: is UTC with milliseconds', () => {
  expect(timestamp(Date.UTC(2026, 0, 31, 12))).toBe('2026-01-31T12:00:00.000Z');
  expect(timestamp(1)).toBe('1970-01-01T00:00:00.001Z');
});

test('frozenClock: stands still until it is moved', () => {
  const clock = frozenClock(1000);
  expect([clock.now(), clock.realNow()]).toEqual([1000, 1000]);

  clock.advance(250);

  expect([clock.now(), clock.realNow()]).toEqual([1250, 1250]);
});

test('systemClock: is the time of the machine', () => {
  const before = Date.now();
  const [now, realNow] = [systemClock.now(), systemClock.realNow()];

  expect(now).toBeGreaterThanOrEqual(before);
  expect(realNow).toBeLessThanOrEqual(Date.now());
});
