/** The longest that anybody else waits while the daemon does what takes long, on a store of many users. */
import { performance } from 'node:perf_hooks';
import { aLink, anImport } from './banks.ts';
import { caller, type Caller } from './calls.ts';
import type { Crowd } from './crowds.ts';

export interface Stall {
  readonly name: string;
  /** Milliseconds of the whole of it, the fastest of all times. */
  readonly took: number;
  /** Milliseconds of the longest call of another client meanwhile, where it was shortest of all times. */
  readonly wait: number;
}

/** The best of so many, as for every figure here. */
const TIMES = 3;

/** Each in turn, `TIMES` over; the store is as it was in between. */
export async function timeStalls({ server, home }: Pick<Crowd, 'server' | 'home'>): Promise<Stall[]> {
  const [ask, other] = [caller(server, home), caller(server, home)];
  const { id, account } = await aLink(server, home, 'empty');
  const jobs: Readonly<Record<string, (time: number) => Promise<unknown>>> = {
    'saving a snapshot': () => ask('PUT', '/_kyclone/snapshots/stalls?overwrite=true'),
    'an import of 4,000 transactions': (time) =>
      ask('POST', `/bank_links/${id}/import/transactions`, JSON.parse(anImport(account, time))),
    'a rotation of the root key': () => ask('POST', '/_kyclone/keyring/rotate?wait=true'),
    'a reset': () => ask('POST', '/_kyclone/reset'),
    'loading a snapshot': () => ask('POST', '/_kyclone/snapshots/stalls/load'),
  };
  const stalls = new Map<string, Stall>();
  for (let time = 0; time < TIMES; time++) {
    for (const [name, job] of Object.entries(jobs)) {
      const { took, wait } = await beside(other, () => job(time));
      const best = stalls.get(name);
      stalls.set(name, {
        name,
        took: Math.min(took, best?.took ?? Infinity),
        wait: Math.min(wait, best?.wait ?? Infinity),
      });
    }
  }
  for (const each of [ask, other]) each.end();
  return [...stalls.values()];
}

/** The other client asks for the health and for a page of users, one after the other without a pause. */
async function beside(other: Caller, work: () => Promise<unknown>): Promise<{ took: number; wait: number }> {
  const done = new AbortController();
  let wait = 0;
  const asking = (async () => {
    for (let call = 0; !done.signal.aborted; call++) {
      const start = performance.now();
      await other('GET', call % 2 === 0 ? '/_kyclone/health' : '/users?page_size=1');
      wait = Math.max(wait, performance.now() - start);
    }
  })();
  const start = performance.now();
  await work().finally(() => done.abort());
  const took = performance.now() - start;
  await asking;
  return { took, wait };
}
