/** Measures snapshots of a large store, and the reset of a small one, as their client sees them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Server } from './processes.ts';

/** The number of repetitions. The best one counts, as for every figure here. */
const TIMES = 5;

/** The number of comparisons of a snapshot with the current state. */
const DIFFS = 3;

/** Returns the milliseconds of a call to the control plane of the daemon below `home`. Throws when the call fails. */
async function timeControl(server: Server, home: string, [method, path]: [string, string]): Promise<number> {
  const locator = readFileSync(join(home, 'state/default/daemon.json'), 'utf8');
  const { control_token: token } = JSON.parse(locator) as { control_token: string };
  const start = performance.now();
  const reply = await fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } });
  await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}`);
  return performance.now() - start;
}

export async function timeSnapshots(server: Server, home: string): Promise<{ save: number; load: number }> {
  const [save, load]: [number[], number[]] = [[], []];
  for (let time = 0; time < TIMES; time++) {
    save.push(await timeControl(server, home, ['PUT', '/_kyclone/snapshots/large?overwrite=true']));
    load.push(await timeControl(server, home, ['POST', '/_kyclone/snapshots/large/load']));
  }
  return { save: Math.min(...save), load: Math.min(...load) };
}

export async function timeReset(server: Server, home: string, fill: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    await fill();
    times.push(await timeControl(server, home, ['POST', '/_kyclone/reset']));
  }
  return Math.min(...times);
}

/**
 * Compares a snapshot with the current state several times. Returns the milliseconds of the fastest comparison, and the
 * longest wait of another client during the comparison that delayed it least.
 */
export async function timeDiff(server: Server, home: string): Promise<{ diff: number; wait: number }> {
  await timeControl(server, home, ['PUT', '/_kyclone/snapshots/large?overwrite=true']);
  const [diffs, waits]: [number[], number[]] = [[], []];
  for (let time = 0; time < DIFFS; time++) {
    let [wait, isDone] = [0, false];
    const others = (async () => {
      while (!isDone) wait = Math.max(wait, await timeControl(server, home, ['GET', '/_kyclone/health']));
    })();
    const taken = timeControl(server, home, ['GET', '/_kyclone/snapshots/large/diff']);
    diffs.push(await taken.finally(() => (isDone = true)));
    await others;
    waits.push(wait);
  }
  return { diff: Math.min(...diffs), wait: Math.min(...waits) };
}
