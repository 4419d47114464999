/** Tries one promise until its time is over; reports how often, and whether it held. */
import { withScope } from '../support/finishing.ts';
import type { Run, TorturePromise } from './promise.ts';
import { seededRandom } from './seeded.ts';
import { missingTools, packagesOf } from './tools.ts';

/** No round takes this long on any machine; a round that does hangs. */
const HANG_MS = 10 * 60_000;

export interface Outcome {
  readonly id: string;
  readonly name: string;
  readonly says: string;
  readonly verdict: 'ok' | 'failed' | 'skipped';
  readonly rounds: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly milliseconds: number;
  /** Why it failed or was skipped. */
  readonly reason?: string;
}

export interface Budget {
  readonly seed: string;
  /** No further round begins after this time; the first one always does. */
  readonly milliseconds: number;
  /** The exact number of rounds, in place of a time. */
  readonly rounds: number | undefined;
  /** True when a missing program of the machine fails the promise. */
  readonly isStrict: boolean;
}

export async function tryPromise(promise: TorturePromise, budget: Budget): Promise<Outcome> {
  const { id, name, says } = promise;
  const counts: Record<string, number> = {};
  const began = performance.now();
  let rounds = 0;
  const outcome = (verdict: Outcome['verdict'], reason?: string): Outcome => ({
    id,
    name,
    says,
    verdict,
    rounds,
    counts,
    milliseconds: Math.round(performance.now() - began),
    ...(reason !== undefined && { reason }),
  });

  const missing = missingTools(promise.needs ?? []);
  if (missing.length > 0) {
    const reason = `${missing.join(', ')} not installed (Debian: apt-get install ${packagesOf(missing)})`;
    return outcome(budget.isStrict ? 'failed' : 'skipped', reason);
  }
  const run: Run = {
    random: seededRandom(`${budget.seed}\0${name}`),
    count: (unit, by = 1) => void (counts[unit] = (counts[unit] ?? 0) + by),
  };
  const isOver = () =>
    budget.rounds === undefined ? performance.now() - began >= budget.milliseconds : rounds >= budget.rounds;
  try {
    await withScope(async () => {
      const generator = promise.rounds(run);
      do {
        const { done } = await withinReason(generator.next());
        if (done === true) return;
        rounds += 1;
      } while (!isOver());
      await generator.return();
    });
  } catch (error) {
    rounds += 1;
    return outcome('failed', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const isEmpty = Object.keys(counts).length === 0 || Object.values(counts).some((count) => count === 0);
  return isEmpty ? outcome('failed', 'it tried nothing, which proves nothing') : outcome('ok');
}

async function withinReason<T>(round: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`a round hangs: no end after ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    return await Promise.race([round, hang]);
  } finally {
    clearTimeout(timer);
  }
}
