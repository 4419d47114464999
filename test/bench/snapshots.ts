/** Measures snapshots of a large store, and the reset of a small one, as their client sees them. */
import { caller, took } from './calls.ts';
import type { Server } from './processes.ts';
import { beside, type Stall } from './stalls.ts';

/** The number of repetitions. The best one counts, as for every figure here. */
const TIMES = 5;

/** The number of comparisons of a snapshot with the current state. */
const DIFFS = 3;

export async function timeSnapshots(server: Server, home: string): Promise<{ save: number; load: number }> {
  const ask = caller(server, home);
  const [save, load]: [number[], number[]] = [[], []];
  for (let time = 0; time < TIMES; time++) {
    save.push(await took(() => ask('PUT', '/_kyclone/snapshots/large?overwrite=true')));
    load.push(await took(() => ask('POST', '/_kyclone/snapshots/large/load')));
  }
  ask.end();
  return { save: Math.min(...save), load: Math.min(...load) };
}

export async function timeReset(server: Server, home: string, fill: () => Promise<unknown>): Promise<number> {
  const ask = caller(server, home);
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    await fill();
    times.push(await took(() => ask('POST', '/_kyclone/reset')));
  }
  ask.end();
  return Math.min(...times);
}

/**
 * Compares a snapshot with the current state several times. Returns the milliseconds of the fastest comparison, and the
 * longest wait of another client during the comparison that delayed it least.
 */
export async function timeDiff(server: Server, home: string): Promise<Omit<Stall, 'name'>> {
  const [ask, other] = [caller(server, home), caller(server, home)];
  await ask('PUT', '/_kyclone/snapshots/large?overwrite=true');
  const all: Omit<Stall, 'name'>[] = [];
  for (let time = 0; time < DIFFS; time++) {
    all.push(await beside(other, () => ask('GET', '/_kyclone/snapshots/large/diff')));
  }
  for (const each of [ask, other]) each.end();
  return { took: Math.min(...all.map((each) => each.took)), wait: Math.min(...all.map((each) => each.wait)) };
}
