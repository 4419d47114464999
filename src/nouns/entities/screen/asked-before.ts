/**
 * Requests that need an API key are recorded in the journal. A screen that reloads itself must not fill the journal,
 * so these requests are repeated only when the response may have changed.
 */
import type { Source } from '../../../tui/data/source.ts';

interface Answered {
  readonly state: string;
  readonly answer: unknown;
}

const answers = new WeakMap<Source, Map<string, Answered>>();

/** A different `state` means that the response may have changed. Failures are not kept. */
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
