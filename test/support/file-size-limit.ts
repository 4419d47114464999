import { execFileSync } from 'node:child_process';
import { whenFinished } from './finishing.ts';

/**
 * From here to the end of the test the system refuses this process every write of a file beyond so many bytes: a disk
 * that takes no more, for real.
 */
export function limitFileSize(bytes: number): void {
  whenFinished(() => setLimit('unlimited'));
  setLimit(bytes);
}

function setLimit(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
}
