/** Measures the longest wait of another client during long work of the daemon, on a store of many users. */
import { aLink, anImport } from './banks.ts';
import { caller, took, type Caller } from './calls.ts';
import type { Crowd } from './crowds.ts';

export interface Stall {
  readonly name: string;
  /** The milliseconds of the whole job, in the fastest repetition. */
  readonly took: number;
  /** The milliseconds of another client's longest call during the job, in the repetition where it was shortest. */
  readonly wait: number;
}

/** The number of repetitions. The best one counts, as for every figure here. */
const TIMES = 3;

/** Runs the jobs in turn, `TIMES` times. Loading the snapshot restores the store each time. */
export async function timeStalls({ server, home }: Pick<Crowd, 'server' | 'home'>): Promise<Stall[]> {
  const [ask, other] = [caller(server, home), caller(server, home)];
  const { id, account } = await aLink(ask, 'empty');
  const jobs: Readonly<Record<string, (time: number) => Promise<unknown>>> = {
    'saving a snapshot': () => ask('PUT', '/_kyclone/snapshots/stalls?overwrite=true'),
    'an import of 4,000 transactions': (time) =>
      ask('POST', `/bank_links/${id}/import/transactions`, anImport(account, time)),
    'a rotation of the root key': () => ask('POST', '/_kyclone/keyring/rotate?wait=true'),
    'a reset': () => ask('POST', '/_kyclone/reset'),
    'loading a snapshot': () => ask('POST', '/_kyclone/snapshots/stalls/load'),
  };
  const stalls = new Map<string, Stall>();
  for (let time = 0; time < TIMES; time++) {
    for (const [name, job] of Object.entries(jobs)) {
      const stall = await beside(other, () => job(time));
      const best = stalls.get(name);
      stalls.set(name, {
        name,
        took: Math.min(stall.took, best?.took ?? Infinity),
        wait: Math.min(stall.wait, best?.wait ?? Infinity),
      });
    }
  }
  for (const each of [ask, other]) each.end();
  return [...stalls.values()];
}

/** Runs `work` while another client requests the health and a page of users in turn, without a pause. */
export async function beside(other: Caller, work: () => Promise<unknown>): Promise<Omit<Stall, 'name'>> {
  const done = new AbortController();
  let wait = 0;
  const asking = (async () => {
    for (let call = 0; !done.signal.aborted; call++) {
      const path = call % 2 === 0 ? '/_kyclone/health' : '/users?page_size=1';
      wait = Math.max(wait, await took(() => other('GET', path)));
    }
  })();
  const whole = await took(() => work().finally(() => done.abort()));
  await asking;
  return { took: whole, wait };
}
