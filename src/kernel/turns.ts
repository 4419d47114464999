/**
 * Turns of the event loop for work that takes long. A job that has done a slice of it waits for the next turn. Each time
 * the loop comes round, one of those who wait goes on: however many there are, everybody else waits for one slice only.
 */
const waiting: (() => void)[] = [];

/** Resolves when it is the caller's turn: after those who asked before, one in each round of the event loop. */
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
