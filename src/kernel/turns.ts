/**
 * Yields to the event loop during long work. A job does one slice of work and then waits for the next turn. Only one
 * waiting job continues in each iteration of the event loop, so that other work waits for one slice at most.
 */
const waiting: (() => void)[] = [];

/** Resolves at the caller's turn: first in, first out, one in each iteration of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  const goOn = waiting.shift();
  if (waiting.length > 0) setImmediate(giveTurn);
  goOn?.();
}
