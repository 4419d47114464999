/**
 * How long a move of the clock waits for receivers: for one attempt's time-out in all, in real time, however many
 * attempts fall due on its way. One that doesn't answer costs half of what is left; after that the move goes on without
 * it, and its attempt goes on beside the move.
 */

/** An attempt under way. */
export interface Waited {
  readonly delivery: { readonly webhook: string };
  /** Real milliseconds since it began, whatever the clock of the instance shows. */
  readonly elapsed: () => number;
}

export interface Patience {
  /** Endpoints that did not answer in time during this move. */
  readonly slow: ReadonlySet<string>;
  /** Settles when nothing is under way but to endpoints that are slow. */
  wait(): Promise<void>;
  /** Settles when nothing is under way at all, or the time-out of the first that was slow is over. */
  waitForRest(): Promise<void>;
}

/**
 * Attempts that began about as soon as the first slow one end with it; a busy machine may notice that so much later.
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
  /** The first attempt that was slow. */
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
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([...ends, limit]);
  clearTimeout(timer);
}
