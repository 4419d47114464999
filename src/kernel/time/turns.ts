/**
 * Yields to the event loop during long work. A job does one slice of work and then waits for the next turn. Only one
 * waiting job continues in each iteration of the event loop, so that other work waits for one slice at most.
 */
import { realTime } from './real-time.ts';
const waiting: (() => void)[] = [];

/** Resolves at the caller's turn: first in, first out, one in each iteration of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) realTime.setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  const goOn = waiting.shift();
  if (waiting.length > 0) realTime.setImmediate(giveTurn);
  goOn?.();
}

/** Runs a generator to its end, with the next turn wherever it yields. */
export async function inTurns<T>(
  steps: Generator<void, T>,
  turn: () => Promise<void> = nextTurn,
): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}

/** Runs the same generator in one turn. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
