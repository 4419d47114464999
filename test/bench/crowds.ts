/**
 * Fills stores for comparison. Stores differ in their number of users only. Half of the users of each live in families
 * of four who share an e-mail address, and the other half share one name and birthday.
 */
import { caller, took } from './calls.ts';
import { choice, someUsers, type PersonOf } from './load.ts';
import type { Server } from './processes.ts';

export interface Crowd {
  readonly server: Server;
  readonly home: string;
  readonly ids: readonly string[];
  /** Users with three duplicates each. */
  readonly relatives: readonly string[];
  /** Users who are duplicates of half the store. */
  readonly namesakes: readonly string[];
}

const FAMILY = 4;
/**
 * The number of possible last four digits. More people than this need another birthday, so that each pair of birthday
 * and digits is unique.
 */
const ENDINGS = 10_000;

const relatives: PersonOf = (serial) => ({
  'id.ssn9': String(100_000_000 + serial),
  'id.email': `family${Math.floor((serial - 1) / FAMILY)}@example.com`,
  'id.last_name': `Quimby ${serial}`,
  'id.dob': `${1930 + Math.floor(serial / ENDINGS)}-01-31`,
});

const namesakes: PersonOf = (serial) => ({
  'id.ssn9': String(200_000_000 + serial),
  'id.email': `namesake${serial}@example.com`,
});

export async function aCrowd(
  { server, home }: { server: Server; home: string },
  users: number,
): Promise<Crowd> {
  const parts = {
    relatives: await someUsers(server, users / 2, relatives),
    namesakes: await someUsers(server, users / 2, namesakes),
  };
  return { server, home, ...parts, ids: [...parts.relatives, ...parts.namesakes] };
}

/**
 * Returns, for each crowd, the median milliseconds of a request for the duplicates of one user. The crowds take turns
 * request by request, so that other work of the machine affects both alike.
 */
export async function timeDuplicates(
  crowds: readonly Crowd[],
  { who, records, requests }: { who: 'relatives' | 'namesakes'; records: number; requests: number },
): Promise<number[]> {
  const sides = crowds.map((crowd) => ({
    ask: caller(crowd.server),
    next: choice(crowd[who]),
    times: [] as number[],
  }));
  for (let request = 0; request < requests; request++) {
    for (const { ask, next, times } of sides) {
      let found: unknown;
      times.push(await took(async () => (found = await ask('GET', `/users/${next()}/duplicates`))));
      const { length } = found as unknown[];
      if (length !== records) throw new Error(`${length} duplicates in place of ${records}`);
    }
  }
  for (const { ask } of sides) ask.end();
  return sides.map(({ times }) => median(times));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
