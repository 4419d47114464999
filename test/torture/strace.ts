/** Makes system calls of a daemon fail or kill it, or records them, with strace. */
import { spawn } from 'node:child_process';
import { whenFinished } from '../support/finishing.ts';

export interface Injection {
  /** The names of the calls, such as `fsync,fdatasync`. */
  readonly calls: string;
  /** What happens to the calls: `error=EIO`, `signal=SIGKILL`. */
  readonly effect: string;
  /** Which calls: the n-th and all later ones (`3+`), or only that one (`3`). Each thread has its own count. */
  readonly when: string;
  /** Limits the injection to calls on this file. */
  readonly path?: string;
}

function optionsOf({ calls, effect, when, path }: Injection): string[] {
  return [
    '-f',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:${effect}:when=${when}`,
    ...(path === undefined ? [] : ['-P', path]),
  ];
}

/**
 * Returns the words to put before a command: its calls are injected from the first one on, and it keeps its own process
 * id.
 */
export function underInjection(injection: Injection): string[] {
  return ['strace', '-D', '-qq', ...optionsOf(injection), '--'];
}

/**
 * Returns the words to put before a command: its calls are recorded in a file with all data in hexadecimal and with
 * paths.
 */
export function underRecording(calls: string, file: string): string[] {
  return [
    'strace',
    '-D',
    '-qq',
    '-f',
    '-y',
    '-xx',
    '-s',
    '4000000',
    '-o',
    file,
    '-e',
    `trace=${calls}`,
    '--',
  ];
}

/** Injects the calls of a running process, counted from now on, until the returned function is called. */
export async function inject(pid: number, injection: Injection): Promise<() => Promise<void>> {
  const tracer = spawn('strace', [...optionsOf(injection), '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => tracer.once('close', () => resolve()));
  const stop = async (signal: NodeJS.Signals) => {
    tracer.kill(signal);
    await ended;
  };
  whenFinished(() => stop('SIGKILL'));
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    tracer.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (printed.includes('attached')) resolve();
    });
    void ended.then(() => reject(new Error(`strace could not attach: ${printed}`)));
  });
  return () => stop('SIGTERM');
}
