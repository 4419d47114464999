/** System calls of a daemon that fail, kill it or are recorded, through strace. */
import { spawn } from 'node:child_process';
import { whenFinished } from '../support/finishing.ts';

export interface Injection {
  /** `fsync,fdatasync` */
  readonly calls: string;
  /** What happens to them: `error=EIO`, `signal=SIGKILL`. */
  readonly effect: string;
  /** From the n-th on (`3+`), or only that one (`3`). Each thread counts its own. */
  readonly when: string;
  /** Only calls on this file. */
  readonly path?: string;
}

function optionsOf({ calls, effect, when, path }: Injection): string[] {
  return [
    ...['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}:when=${when}`],
    ...(path === undefined ? [] : ['-P', path]),
  ];
}

/** Before a command: it runs with these calls injected from its first one on, under its own process id. */
export function underInjection(injection: Injection): string[] {
  return ['strace', '-D', '-qq', ...optionsOf(injection), '--'];
}

/** Before a command: it runs with these calls recorded in a file, data and all, in hexadecimal, with paths. */
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

/** From now on the calls of a running process are injected, counted from here, until what is returned is called. */
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
  let said = '';
  await new Promise<void>((resolve, reject) => {
    tracer.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (said.includes('attached')) resolve();
    });
    void ended.then(() => reject(new Error(`strace could not attach: ${said}`)));
  });
  return () => stop('SIGTERM');
}
