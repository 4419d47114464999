/**
 * What only an API key may ask for is in the journal like any request. So that a screen that keeps itself fresh doesn't
 * fill it, such things are asked for again only when they can have changed.
 */
import type { Source } from '../../data/source.ts';

interface Answered {
  readonly state: string;
  readonly answer: unknown;
}

const answers = new WeakMap<Source, Map<string, Answered>>();

/** A different `state` means that the answer may have changed. A failure isn't kept. */
export async function askedBefore<T>(
  source: Source,
  { about, state }: { about: string; state: string },
  ask: () => Promise<T>,
): Promise<T> {
  let known = answers.get(source);
  if (known === undefined) answers.set(source, (known = new Map<string, Answered>()));
  const before = known.get(about);
  if (before?.state === state) return before.answer as T;
  const answer = await source.once(`${about} ${state}`, ask);
  known.set(about, { state, answer });
  return answer;
}
