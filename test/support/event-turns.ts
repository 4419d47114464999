/** Counts the turns of the event loop that work leaves to others, without a clock. */

/** Returns how often other work could run until `work` settled, and its result. Work without input or output only. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  try {
    return { result: await work(), turns };
  } finally {
    isDone = true;
  }
}
