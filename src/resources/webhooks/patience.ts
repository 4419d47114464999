/**
 * Limits how long a move of the clock waits for receivers: the time-out of one attempt in total, in real time, however
 * many attempts fall due. A receiver that doesn't respond uses up half of the remaining time. Then the move continues
 * without it, and its attempt continues in the background.
 */
import { realTime } from '../../kernel/real-time.ts';

/** An attempt in flight. */
export interface Waited {
  readonly delivery: { readonly webhook: string };
  /** Real milliseconds since its start, whatever the instance's clock shows. */
  readonly elapsed: () => number;
}

export interface Patience {
  /** Endpoints that did not respond in time during this move. */
  readonly slow: ReadonlySet<string>;
  /** Settles when only attempts to slow endpoints are in flight. */
  wait(): Promise<void>;
  /** Settles when nothing is in flight, or the time-out of the first slow attempt is over. */
  waitForRest(): Promise<void>;
}

/**
 * Attempts that started within this time of the first slow one end with it, since a busy machine may notice their end
 * this much later.
 */
const SAME_TIME_MS = 100;
const GRACE_MS = 3_000;

export function createPatience(options: {
  readonly flights: ReadonlyMap<Promise<void>, Waited>;
  /** The time-out of an attempt. */
  readonly limitMs: number;
}): Patience {
  const { flights, limitMs } = options;
  const slow = new Set<string>();
  let patienceMs = limitMs / 2;
  /** The first slow attempt. */
  let firstSlow: Waited | undefined;

  function giveUpOn(waited: readonly Waited[]): void {
    for (const each of waited) slow.add(each.delivery.webhook);
    firstSlow ??= waited[0];
    patienceMs /= 2;
  }

  return {
    slow,
    async wait() {
      for (;;) {
        const awaited = [...flights].filter(([, { delivery }]) => !slow.has(delivery.webhook));
        if (awaited.length === 0) return;
        const left = patienceMs - Math.max(...awaited.map(([, { elapsed }]) => elapsed()));
        if (left > 0) await firstOf(endsOf(awaited), left);
        else giveUpOn(awaited.map(([, each]) => each).filter(({ elapsed }) => elapsed() >= patienceMs));
      }
    },
    async waitForRest() {
      const first = firstSlow;
      if (first === undefined) return;
      for (;;) {
        const since = first.elapsed();
        const isOver = since >= limitMs;
        const awaited = [...flights].filter(
          ([, { elapsed }]) => !isOver || elapsed() >= first.elapsed() - SAME_TIME_MS,
        );
        const left = limitMs + (isOver ? GRACE_MS : 0) - since;
        if (awaited.length === 0 || left <= 0) return;
        await firstOf(endsOf(awaited), left);
      }
    },
  };
}

const endsOf = (flights: readonly (readonly [Promise<void>, Waited])[]) => flights.map(([ended]) => ended);

async function firstOf(ends: readonly Promise<void>[], limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = realTime.setTimeout(resolve, limitMs)));
  await Promise.race([...ends, limit]);
  realTime.clearTimeout(timer);
}
