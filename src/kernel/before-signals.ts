/**
 * Runs `act` before a signal ends the process. With another listener of the signal the process goes on, as that one
 * decides. Returns a function that cancels this.
 */
export function beforeSignals(act: () => void, process = globalThis.process): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: NodeJS.Signals) => {
    release();
    act();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const release = () => {
    for (const signal of signals) process.off(signal, end);
  };
  // First, so that a listener that hears the signal only once still counts.
  for (const signal of signals) process.prependListener(signal, end);
  return release;
}
