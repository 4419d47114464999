/** How a command ends that runs until it is stopped: by a signal, or when nobody reads its output any more. */
import { constants } from 'node:os';
import { SIGNAL_EXIT_BASE } from './exit-codes.ts';

export interface Ending {
  /** 128 and the signal's number, or what `end` was called with first. */
  readonly exitCode: Promise<number>;
  /** Fires with it. */
  readonly signal: AbortSignal;
  end(exitCode: number): void;
  /** Signals do again what they did before. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal ends the command in order once; the same one again ends the process at once. */
export function whenToEnd(): Ending {
  const over = new AbortController();
  let resolve: (exitCode: number) => void = () => undefined;
  const exitCode = new Promise<number>((settle) => (resolve = settle));
  const end = (code: number) => {
    resolve(code);
    over.abort();
  };
  const bySignal = (signal: NodeJS.Signals) => end(SIGNAL_EXIT_BASE + constants.signals[signal]);
  // A reader that is gone: what SIGPIPE does to programs that don't look after it themselves.
  const byPipe = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') bySignal('SIGPIPE');
  };
  for (const signal of SIGNALS) process.once(signal, bySignal);
  process.stdout.on('error', byPipe);
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, bySignal);
    process.stdout.off('error', byPipe);
  };
  return { exitCode, signal: over.signal, end, release };
}
