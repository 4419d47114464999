/** The end of a command that runs until it is stopped: by a signal, or when its output has no reader any more. */
import { EXIT, exitCodeOfSignal } from './exit-codes.ts';

export interface Ending {
  /** 128 plus the signal's number, or the first value passed to `end`. */
  readonly exitCode: Promise<number>;
  /** Fires at the same time. */
  readonly signal: AbortSignal;
  readonly end: (exitCode: number) => void;
  /** Restores the default behaviour of signals. */
  readonly release: () => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work until its end, or until the process is to end, and returns the exit code. Ends with the work what it has
 * left open, because a stream would keep the process alive.
 */
export async function untilEnd(work: (ending: Ending) => Promise<void>): Promise<number> {
  const ending = whenToEnd();
  try {
    await work(ending);
    return await ending.exitCode;
  } finally {
    ending.end(EXIT.failed);
    ending.release();
  }
}

/** The first signal ends the command in order; the same one again ends the process at once. */
export function whenToEnd(): Ending {
  const over = new AbortController();
  let resolve: (exitCode: number) => void = () => undefined;
  const exitCode = new Promise<number>((settle) => (resolve = settle));
  const end = (code: number) => {
    resolve(code);
    over.abort();
  };
  const bySignal = (signal: NodeJS.Signals) => end(exitCodeOfSignal(signal));
  // A reader that is gone has the effect of SIGPIPE on programs that don't handle it.
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
