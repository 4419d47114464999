/** What the first search for a part of something takes, which reads all people, and what those after it take. */
import { performance } from 'node:perf_hooks';
import { caller, type Caller } from './calls.ts';
import type { Crowd } from './crowds.ts';

export interface Searches {
  /** Milliseconds of the first search by a name. */
  readonly byName: number;
  /** As `byName`, and then by date of birth, by the end of a phone number and by that of a tax number. */
  readonly byAll: number;
  /** Milliseconds of the searches after those, which only look into memory. */
  readonly later: readonly number[];
}

/** Each reads what none before it did. */
const FIRST = ['quimby', '1/31/1930', '555 0199', '0042'] as const;
/** A name of half of all, one of one, a beginning, and what nobody has. */
const LATER = ['piper', 'quimby 117', 'quim', 'nobody', '31 jan 1930', '0117'] as const;

export async function timeSearches(
  { server, home }: Pick<Crowd, 'server' | 'home'>,
  requests: number,
): Promise<Searches> {
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

async function took(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Asked until everything has been read that it looks for. */
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
