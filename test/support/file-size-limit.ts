import { execFileSync } from 'node:child_process';
import { whenFinished } from './finishing.ts';

/**
 * Limits the size of files until the end of the test. The system refuses this process every write beyond this number of
 * bytes, as a full disk does.
 */
export function limitFileSize(bytes: number): void {
  whenFinished(() => setLimit('unlimited'));
  setLimit(bytes);
}

function setLimit(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
}
