/** Measures the latency for one client that waits for each answer, on a connection that stays open. */
import { performance } from 'node:perf_hooks';
import { caller } from './calls.ts';
import { baselinePath, DECRYPTION, kyclonePath, strangers, USER } from './load.ts';
import type { Server } from './processes.ts';

const PLAYBOOK = { key: 'pb_test_kycdefault000000000000' };

/**
 * The milliseconds of each request. `logged` are reads of the bare program that write a row of a log, too: ours logs each
 * read. The bare program has no `run`.
 */
type Latencies = Record<'create' | 'read' | 'logged' | 'run', number[]>;

/**
 * Creates and reads this number of users on each server. Our server also runs each through kyc. The servers take turns.
 */
export async function timeOneByOne({ ours, bare }: { ours: Server; bare: Server }, rounds: number) {
  const sides = [
    { call: caller(bare), pathOf: baselinePath, times: noTimes() },
    { call: caller(ours), pathOf: kyclonePath, times: noTimes() },
  ] as const;
  for (let round = 0; round < rounds; round++) {
    for (const { call, pathOf, times } of sides) {
      const post = async (name: keyof Latencies, path: string, body: object) => {
        const start = performance.now();
        const answer = await call('POST', path, body);
        times[name].push(performance.now() - start);
        return answer as { readonly id: string };
      };
      const { id } = await post('create', '/users', { ...USER, ...strangers(round) });
      await post('read', pathOf(id), DECRYPTION);
      if (pathOf === kyclonePath) await post('run', `/users/${id}/kyc`, PLAYBOOK);
      else await post('logged', `/users/${id}/logged`, DECRYPTION);
    }
  }
  for (const { call } of sides) call.end();
  return { bare: sides[0].times, ours: sides[1].times };
}

function noTimes(): Latencies {
  return { create: [], read: [], logged: [], run: [] };
}
