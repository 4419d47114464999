/** Work that falls due by the clock (contract §11, PUT clock), with the tests' own sources. */
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { movableClock } from '../../../src/kernel/time/clock.ts';
import { frozenClock } from '../../support/frozen-clock.ts';
import {
  createClockService,
  storedClockSetting,
  type DueSource,
} from '../../../src/nouns/clock/service/index.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { realTime } from '../../../src/kernel/time/real-time.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const HOUR = 3_600_000;

/** Makes a clock service over `sources`; nothing runs by itself until `service.start()`. */
function aClock(makeSources: (aSource: MakeSource, now: () => number) => DueSource[] = () => []) {
  const done: string[] = [];
  const database = openDatabase(':memory:');
  const queue = createWriteQueue(database);
  const base = frozenClock(NOON);
  const clock = movableClock(base, storedClockSetting(database));
  const published: object[] = [];
  const movedBack: number[] = [];
  const service = createClockService({
    queue,
    clock,
    stream: { publish: (type, read) => void published.push({ type, ...read() }) },
    sources: makeSources(
      sources(done, () => clock.now()),
      () => clock.now(),
    ),
    beforeMovingBack: (current, now) => {
      expect(current.inTransaction).toBe(true);
      movedBack.push(now);
    },
  });
  onTestFinished(async () => {
    await service.stop();
    queue.close();
    database.close();
  });
  return { service, queue, database, base, clock, published, movedBack, done };
}

interface Work {
  /** When it is due, in ms after noon. */
  readonly pieces: number[];
  /** Returns another piece after one is done. */
  readonly next?: (piece: number) => number | undefined;
  readonly before?: (piece: number) => Promise<void> | void;
}

type MakeSource = ReturnType<typeof sources>;

/** Returns a function that makes sources of work, which enter in `done` what they do, and how many ms after noon. */
const sources =
  (done: string[], now: () => number) =>
  (name: string, { pieces, next, before }: Work): DueSource & { pieces: number[] } => {
    let working = Promise.resolve();
    return {
      pieces,
      nextAt: () => (pieces.length > 0 ? NOON + Math.min(...pieces) : undefined),
      pending: () => pieces.length,
      idle: () => working,
      async run() {
        const due = pieces.filter((piece) => NOON + piece <= now());
        pieces.splice(0, pieces.length, ...pieces.filter((piece) => !due.includes(piece)));
        const work = async () => {
          for (const piece of due) {
            await before?.(piece);
            done.push(`${name} ${now() - NOON}`);
            const following = next?.(piece);
            if (following !== undefined) pieces.push(following);
          }
        };
        const worked = work();
        working = worked.catch(() => undefined);
        await worked;
        return due.length;
      },
    };
  };

/** A source whose work, which is due then, is never done; `runs` counts the tries. */
function aStuckSource(at: number, run: () => Promise<number> = () => Promise.resolve(0)) {
  const source = {
    runs: 0,
    nextAt: () => at,
    pending: () => 1,
    idle: () => Promise.resolve(),
    run() {
      source.runs += 1;
      return run();
    },
  };
  return source;
}

/** Lets others have their turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

test('advance: work of all sources is done in due order, each piece at its own time, before the answer', async () => {
  const { service, clock, done } = aClock((aSource) => [
    aSource('a', { pieces: [5_000, 30_000] }),
    aSource('b', { pieces: [4_000, 5_000, 60_000, 60_001] }),
  ]);

  const { drained, now } = await service.move({ action: 'advance', by: 60_000 });

  expect(done).toEqual(['b 4000', 'a 5000', 'b 5000', 'a 30000', 'b 60000']);
  expect(drained).toBe(5);
  expect(now).toBe('2026-03-01T12:01:00.000Z');
  expect(clock.setting).toEqual({ mode: 'offset', offsetMs: 60_000 });
});

test('advance: work that comes of work is done too, when it falls due before the end', async () => {
  const { service, done } = aClock((aSource) => [
    aSource('retries', { pieces: [0], next: (piece) => piece * 2 + 1_000 }),
  ]);
  const { drained } = await service.move({ action: 'advance', by: 10_000 });
  expect(done).toEqual(['retries 0', 'retries 1000', 'retries 3000', 'retries 7000']);
  // The first piece was due before the move.
  expect(drained).toBe(3);
});

test('advance: overdue work runs at the time from which the clock moves', async () => {
  const { service, base, done } = aClock((aSource) => [aSource('late', { pieces: [5_000] })]);
  base.advance(HOUR);
  await service.move({ action: 'advance', by: 1 });
  expect(done).toEqual(['late 3600000']);
});

test.each([
  ['set', { action: 'set', at: '2026-03-01T13:00:00Z' }],
  ['freeze', { action: 'freeze', at: '2026-03-01T13:00:00Z' }],
  ['offset', { action: 'offset', by: 'PT1H' }],
] as const)('%s: forward, runs what falls due on the way', async (_name, request) => {
  const { service, done } = aClock((aSource) => [aSource('work', { pieces: [HOUR, HOUR + 1] })]);
  expect(await service.move(request)).toMatchObject({ drained: 1, now: '2026-03-01T13:00:00.000Z' });
  expect(done).toEqual(['work 3600000']);
});

test('resume: from the past, runs what falls due on the way', async () => {
  const { service, done } = aClock((aSource) => [aSource('work', { pieces: [-5_000] })]);
  await service.move({ action: 'freeze', at: '2026-03-01T11:00:00Z' });
  expect(done).toEqual([]);
  expect(await service.move({ action: 'resume' })).toEqual({ drained: 1, now: '2026-03-01T12:00:00.000Z' });
  expect(done).toEqual(['work -5000']);
});

test('offset: moving back runs nothing; the sources expire items in the same commit, and none when it advances', async () => {
  const { service, movedBack, clock, done } = aClock((aSource) => [aSource('work', { pieces: [0] })]);
  expect(await service.move({ action: 'offset', by: '-1h' })).toEqual({
    drained: 0,
    now: '2026-03-01T11:00:00.000Z',
  });
  expect([done, clock.now()]).toEqual([[], NOON - HOUR]);
  await service.move({ action: 'advance', by: '1d' });
  await service.move({ action: 'advance', by: 0 });
  expect(movedBack).toEqual([NOON]);
});

test('advance: real time that passes while work is done is not lost', async () => {
  const { service, base, clock, done } = aClock((aSource) => [
    aSource('slow', { pieces: [1_000], before: () => base.advance(700) }),
  ]);
  await service.move({ action: 'advance', by: '1h' });
  expect(done).toEqual(['slow 1000']);
  expect(clock.now()).toBe(NOON + HOUR + 700);
});

test('advance: calls that come together are done one after the other', async () => {
  const { service, clock } = aClock((aSource) => [
    aSource('slow', { pieces: [1_000, 61_000], before: () => delay(1) }),
  ]);
  const answers = await Promise.all([
    service.move({ action: 'advance', by: '1m' }),
    service.move({ action: 'advance', by: '1m' }),
    service.move({ action: 'freeze' }),
  ]);
  expect(answers.map(({ now }) => now)).toEqual([
    '2026-03-01T12:01:00.000Z',
    '2026-03-01T12:02:00.000Z',
    '2026-03-01T12:02:00.000Z',
  ]);
  expect(answers.map(({ drained }) => drained)).toEqual([1, 1, 0]);
  expect(clock.setting).toEqual({ mode: 'frozen', at: NOON + 120_000 });
});

test('advance: waits for a working source, and stops the clock meanwhile', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { service, base, done } = aClock((aSource) => [
    aSource('first', { pieces: [0], before: () => held }),
    aSource('second', { pieces: [1_000] }),
  ]);
  service.start();
  await expect.poll(() => service.state().mode).toBe('real');
  await turns(2);
  const moved = service.move({ action: 'advance', by: '1m' });
  await Promise.resolve();
  base.advance(500);
  expect(done).toEqual([]);
  release();
  await moved;
  expect(done).toEqual(['first 0', 'second 1000']);
});

test('advance: a source that never gets done does not hold the clock, nor the other sources', async () => {
  const stuck = aStuckSource(NOON + 10);
  const { service, clock, done } = aClock((aSource) => [stuck, aSource('other', { pieces: [5_000] })]);
  expect(await service.move({ action: 'advance', by: '1m' })).toMatchObject({ drained: 1 });
  expect(done).toEqual(['other 5000']);
  expect(clock.now()).toBe(NOON + 60_000);
  expect(stuck.runs).toBeLessThan(10);
});

test('advance: a source that always has more at the same time does not hold the clock', async () => {
  const { service, clock, done } = aClock((aSource) => [
    aSource('endless', { pieces: [10], next: (piece) => piece }),
    aSource('other', { pieces: [5_000] }),
  ]);
  await service.move({ action: 'advance', by: '1m' });
  expect(done.filter((each) => each.startsWith('other'))).toEqual(['other 5000']);
  expect(clock.now()).toBe(NOON + 60_000);
});

test('advance: when a source fails before anything is done, the clock runs as before, and so does the next move', async () => {
  let isBroken = true;
  const { service, clock, database, published } = aClock((aSource) => [
    aSource('fails', {
      pieces: [1_000, 5_000],
      before(piece) {
        if (piece === 5_000 && isBroken) throw new Error('broken');
      },
    }),
  ]);
  await expect(service.move({ action: 'advance', by: '1m' })).rejects.toThrow('broken');
  expect(clock.setting).toEqual({ mode: 'real' });
  expect(clock.now()).toBe(NOON);
  expect(storedClockSetting(database)).toEqual({ mode: 'real' });
  expect(published).toEqual([]);

  isBroken = false;
  expect(await service.move({ action: 'advance', by: '1m' })).toMatchObject({
    now: '2026-03-01T12:01:00.000Z',
  });
});

test('advance: the clock is stored with what falls due, and stays there when the move does not go on', async () => {
  const stored: object[] = [];
  const pieces = [1_000, 2_000, 3_000];
  const { service, clock, database, queue, published } = aClock((aSource, now) => [
    {
      nextAt: () => (pieces[0] === undefined ? undefined : NOON + pieces[0]),
      pending: () => pieces.length,
      idle: () => Promise.resolve(),
      async run() {
        // What a killed move leaves is what is stored before each piece.
        stored.push(storedClockSetting(database));
        const piece = pieces.shift();
        await queue.write(() => {
          expect(now()).toBe(NOON + (piece ?? 0));
          if (piece === 3_000) throw new Error('broken');
        });
        return 1;
      },
    },
  ]);
  await expect(service.move({ action: 'advance', by: '1m' })).rejects.toThrow('broken');
  expect(stored).toEqual([
    { mode: 'real' },
    { mode: 'offset', offsetMs: 1_000 },
    { mode: 'offset', offsetMs: 2_000 },
  ]);
  expect(storedClockSetting(database)).toEqual({ mode: 'offset', offsetMs: 2_000 });
  expect(clock.setting).toEqual({ mode: 'offset', offsetMs: 2_000 });
  expect(published).toEqual([expect.objectContaining({ mode: 'offset', offset_ms: 2_000 })]);
  await queue.write(() => undefined);
  expect(storedClockSetting(database)).toEqual({ mode: 'offset', offsetMs: 2_000 });

  await service.move({ action: 'freeze' });
  pieces.push(4_000);
  await service.move({ action: 'advance', by: '5s' });
  expect(storedClockSetting(database)).toEqual({ mode: 'frozen', at: NOON + 7_000 });
  expect(stored.at(-1)).toEqual({ mode: 'frozen', at: NOON + 2_000 });
});

test('move: every move is published on the stream once it is committed', async () => {
  const { service, published } = aClock((aSource) => [aSource('work', { pieces: [0, 1] })]);
  await service.move({ action: 'advance', by: 1_000 });
  await service.move({ action: 'freeze', at: '2026-03-01T11:00:00Z' });
  await service.move({ action: 'resume' });
  const type = 'clock';
  expect(published).toEqual([
    { type, now: '2026-03-01T12:00:01.000Z', mode: 'offset', offset_ms: 1_000, drained: 1 },
    { type, now: '2026-03-01T11:00:00.000Z', mode: 'frozen', offset_ms: -HOUR, drained: 0 },
    { type, now: '2026-03-01T12:00:00.000Z', mode: 'real', offset_ms: 0, drained: 0 },
  ]);
});

test('reset: real time again, once the job is committed and only then', async () => {
  const { service, queue, clock, database, movedBack } = aClock();
  await service.move({ action: 'freeze', at: '2026-03-01T13:00:00Z' });
  const failed = queue.write((current) => {
    service.reset(current);
    throw new Error('the reset fails');
  });
  await expect(failed).rejects.toThrow('the reset fails');
  expect(clock.setting).toEqual({ mode: 'frozen', at: NOON + HOUR });

  await queue.write((current) => {
    service.reset(current);
    expect(clock.setting.mode).toBe('frozen');
  });
  expect(clock.setting).toEqual({ mode: 'real' });
  expect(storedClockSetting(database)).toEqual({ mode: 'real' });
  expect(movedBack).toEqual([NOON + HOUR, NOON + HOUR]);
});

test('reset: runs work that is due by real time and was not by the clock', async () => {
  const { service, queue, done } = aClock((aSource) => [aSource('a', { pieces: [0] })]);
  await service.move({ action: 'freeze', at: '2026-03-01T11:00:00Z' });
  service.start();
  await turns(1);
  expect(done).toEqual([]);

  await queue.write((current) => service.reset(current));

  await expect.poll(() => done).toEqual(['a 0']);
});

test('reset: ends a move that is under way', async () => {
  const context = aClock((aSource) => [
    aSource('work', {
      pieces: [1_000, 2_000],
      before: () => context.queue.write((current) => context.service.reset(current)),
    }),
  ]);
  expect(await context.service.move({ action: 'advance', by: '1h' })).toEqual({
    now: '2026-03-01T12:00:00.000Z',
    drained: 1,
  });
  expect(context.clock.setting).toEqual({ mode: 'real' });
  expect(storedClockSetting(context.database)).toEqual({ mode: 'real' });
});

test.each([
  { action: 'advance', by: HOUR },
  { action: 'offset', by: -HOUR },
] as const)('reset: a move $action that comes into the same commit behind it moves nothing', async (move) => {
  const { service, queue, database, clock } = aClock();
  await service.move({ action: 'freeze', at: '2027-01-01T00:00:00Z' });

  const reset = queue.write((current) => service.reset(current));
  await Promise.all([reset, service.move(move)]);

  expect(clock.setting).toEqual({ mode: 'real' });
  expect(storedClockSetting(database)).toEqual({ mode: 'real' });
});

test('stop: a move that is under way ends where it began, and reports so', async () => {
  let stopped: Promise<void> | undefined;
  const context = aClock((aSource) => [
    aSource('work', { pieces: [1_000, 2_000], before: () => void (stopped ??= context.service.stop()) }),
  ]);
  await expect(context.service.move({ action: 'advance', by: '1h' })).rejects.toMatchObject({
    code: 'not_ready',
  });
  await stopped;
  expect(context.done).toHaveLength(1);
  expect(context.clock.setting).toEqual({ mode: 'real' });
  expect(storedClockSetting(context.database)).toEqual({ mode: 'real' });
});

test('start: what fell due while no daemon ran is done; nothing is before the start', async () => {
  const { service, done } = aClock((aSource) => [aSource('work', { pieces: [-1_000] })]);
  service.wake();
  await turns(2);
  expect(done).toEqual([]);
  service.start();
  await expect.poll(() => done).toHaveLength(1);
});

test('wake: new work that is due is done at once, on a frozen clock too; later work waits for the clock', async () => {
  let source: (DueSource & { pieces: number[] }) | undefined;
  const { service, done } = aClock((aSource) => [(source = aSource('work', { pieces: [] }))]);
  service.start();
  await service.move({ action: 'freeze' });
  source?.pieces.push(0, 5);
  service.wake();
  await expect.poll(() => done).toEqual(['work 0']);
  await service.move({ action: 'advance', by: 5 });
  expect(done).toEqual(['work 0', 'work 5']);
});

test('a running clock: work is done when its time comes, by itself', async () => {
  fakeTimers('setTimeout', 'clearTimeout');
  const { service, base, done } = aClock((aSource) => [aSource('work', { pieces: [30] })]);
  service.start();
  for (const ms of [29, 1]) {
    await turns(2);
    expect(done).toEqual([]);
    base.advance(ms);
    vi.advanceTimersByTime(ms);
  }
  await expect.poll(() => done).toEqual(['work 30']);
});

test('a source that hangs holds up no other, and stopping waits for it', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { service, done } = aClock((aSource) => [
    aSource('hangs', { pieces: [0], before: () => held }),
    aSource('other', { pieces: [0] }),
  ]);
  service.start();
  await expect.poll(() => done).toEqual(['other 0']);
  let hasStopped = false;
  const stopped = service.stop().then(() => (hasStopped = true));
  await turns(1);
  expect(hasStopped).toBe(false);
  release();
  await stopped;
  expect(done).toContainEqual('hangs 0');
});

test('wake: nothing is begun beside a move that is under way', async () => {
  let [hasBegun, release] = [false, (): void => undefined];
  const held = new Promise<void>((resolve) => (release = resolve));
  const before = () => {
    hasBegun = true;
    return held;
  };
  const { service, done } = aClock((aSource) => [
    aSource('first', { pieces: [1_000], before }),
    aSource('second', { pieces: [1_000] }),
  ]);
  service.start();
  const moved = service.move({ action: 'advance', by: 2_000 });
  await expect.poll(() => hasBegun).toBe(true);

  service.wake();
  await turns(5);
  const meanwhile = [...done];
  release();

  expect([meanwhile, (await moved).drained]).toEqual([[], 2]);
  expect(done).toEqual(['first 1000', 'second 1000']);
});

test('a running clock: a piece that is months away is waited for by no timer longer than there are', async () => {
  const waits = vi.spyOn(realTime, 'setTimeout');
  const { service } = aClock((aSource) => [aSource('far', { pieces: [100 * 24 * HOUR] })]);
  service.start();
  await turns(2);
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1]);
});

test('a frozen clock: no timer waits for work that only a move makes due', async () => {
  const { service } = aClock((aSource) => [aSource('soon', { pieces: [1_000] })]);
  await service.move({ action: 'freeze' });
  const waits = vi.spyOn(realTime, 'setTimeout');
  service.start();
  await turns(2);
  expect(waits).not.toHaveBeenCalled();
});

test('wake: a wake during a move that fails is done after it', async () => {
  const { service, done } = aClock((aSource) => {
    const other = aSource('other', { pieces: [] });
    const failing = aStuckSource(NOON + 1_000, async () => {
      other.pieces.push(0);
      service.wake();
      await turns(2);
      throw new Error('not now');
    });
    return [failing, other];
  });
  service.start();

  await expect(service.move({ action: 'advance', by: 2_000 })).rejects.toThrow('not now');

  await expect.poll(() => done).toEqual(['other 0']);
});

test('a source that fails is tried again', async () => {
  fakeTimers('setTimeout', 'clearTimeout');
  const failing = aStuckSource(NOON, () => Promise.reject(new Error('not now')));
  const { service } = aClock(() => [failing]);
  service.start();
  await turns(3);
  service.wake();
  await turns(3);
  expect(failing.runs).toBe(1);
  vi.advanceTimersByTime(1_000);
  await turns(3);
  expect(failing.runs).toBe(2);
});

test('a source that does nothing though it has something due is not asked without end', async () => {
  const stuck = aStuckSource(NOON);
  const { service } = aClock(() => [stuck]);
  service.start();
  await turns(100);
  expect(stuck.runs).toBeGreaterThan(0);
  expect(stuck.runs).toBeLessThan(10);
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['no object', '"frozen"'],
  ['an unknown mode', '{"mode":"fast"}'],
  ['an offset that is none', '{"mode":"offset","offsetMs":"1"}'],
  ['a frozen time that is none', '{"mode":"frozen"}'],
])('storedClockSetting: %s means real time', (_name, value) => {
  const { database } = aClock();
  if (value !== null) {
    database.prepare('INSERT INTO instance_values (name, value) VALUES (?, ?)').run('clock', value);
  }
  expect(storedClockSetting(database)).toEqual({ mode: 'real' });
});
