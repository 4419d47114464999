/** Jobs in the store with their due times: who runs which job, and when (contract §11). */
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { frozenClock } from '../../support/frozen-clock.ts';
import { createDueJobs } from '../../../src/nouns/clock/service/index.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';

/** Makes jobs with these due times; each waits for `release` and then completes. */
function someJobs(...times: number[]) {
  const database = openDatabase(':memory:');
  const queue = createWriteQueue(database);
  onTestFinished(() => {
    queue.close();
    database.close();
  });
  const clock = frozenClock(10);
  const [due, taken] = [new Set(times), [] as number[]];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const jobs = createDueJobs<number>({
    queue,
    clock,
    nextAt: (after) => [...due].filter((time) => time > after).sort((one, other) => one - other)[0],
    list: ({ after, until }) => [...due].filter((time) => time > after && time <= until),
    pending: () => due.size,
    stepBack: () => undefined,
    before: () => released,
    runOne(_, time) {
      taken.push(time);
      return Number(due.delete(time));
    },
  });
  return { jobs, clock, due, taken, release };
}

test('due jobs: a piece is in the hands of one run, and what falls due meanwhile is the next one’s', async () => {
  const { jobs, clock, due, taken, release } = someJobs(5, 10, 15, 20);
  const first = jobs.run();
  expect(jobs.nextAt()).toBe(15);
  clock.advance(5);
  const second = jobs.run();
  clock.advance(-10);
  const third = jobs.run();
  expect(jobs.nextAt()).toBe(20);
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(taken).toEqual([]);

  release();

  expect(await Promise.all([first, second, third])).toEqual([2, 1, 0]);
  expect(taken).toEqual([5, 10, 15]);
  expect([jobs.nextAt(), jobs.pending()]).toEqual([20, 1]);
  due.add(7);
  expect(jobs.nextAt()).toBe(7);
});

test('due jobs: are idle once work in progress is done', async () => {
  const { jobs, taken, release } = someJobs(5);
  const run = jobs.run();
  const idle = jobs.idle().then(() => [...taken]);

  release();

  expect(await idle).toEqual([5]);
  expect(await run).toBe(1);
});
