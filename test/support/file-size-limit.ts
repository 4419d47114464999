import './tier-all.ts';
import { execFileSync } from 'node:child_process';
import { whenFinished } from './finishing.ts';

// Node ignores the signal that comes with a refused write, until a library (here ink's, in an earlier file of the same
// process) takes a listener of its own away and with it Node's choice. This one stays.
process.on('SIGXFSZ', () => undefined);

/**
 * Limits the size of files until the end of the test. The system refuses this process every write beyond this number of
 * bytes, as a full disk does.
 */
export function limitFileSize(bytes: number): void {
  whenFinished(liftFileSize);
  setLimit(process.pid, bytes);
}

export function liftFileSize(): void {
  setLimit(process.pid, 'unlimited');
}

/** Makes the system refuse a daemon every write beyond this file size. */
export function limitFiles(
  { process: { pid } }: { readonly process: { readonly pid?: number | undefined } },
  bytes: number | 'unlimited',
): void {
  setLimit(pid, bytes);
}

function setLimit(pid: number | undefined, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}
