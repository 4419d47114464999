/** Measures the first search for a part of a value, which reads all people, and the searches after it. */
import { caller, took, type Caller } from './calls.ts';
import type { Crowd } from './crowds.ts';

/** Each search reads values that no earlier one has read. */
const FIRST = ['quimby', '1/31/1930', '555 0199', '0042'] as const;
/**
 * A first name that everybody has, a full name, the beginning of a name, a name of nobody, a date of birth, and last
 * digits.
 */
const LATER = ['piper', 'quimby 117', 'quim', 'nobody', '31 jan 1930', '0117'] as const;

/**
 * Returns the milliseconds of the first search by a name, the sum of the first searches of each kind, and the
 * milliseconds of the later ones, which only use the index in memory.
 */
export async function timeSearches({ server, home }: Pick<Crowd, 'server' | 'home'>, requests: number) {
  const ask = caller(server, home);
  const first: number[] = [];
  for (const search of FIRST) first.push(await took(() => searched(ask, search)));
  const later: number[] = [];
  for (let request = 0; request < requests; request++) {
    const search = LATER[request % LATER.length] ?? '';
    later.push(await took(() => searched(ask, search)));
  }
  ask.end();
  return { byName: first[0] ?? NaN, byAll: first.reduce((sum, ms) => sum + ms, 0), later };
}

/** Repeats the search until the service has read everything that it needs. */
async function searched(ask: Caller, search: string): Promise<void> {
  let search_id: string | undefined;
  for (;;) {
    const answer = (await ask('POST', '/_kyclone/search', {
      search,
      ...(search_id !== undefined && { search_id }),
    })) as { reading: unknown; search_id: string };
    if (answer.reading === null) return;
    ({ search_id } = answer);
  }
}
