/**
 * The folder that a sink's certificates are in unless the user names one: `echo-<pid>` in the state folder of the
 * instance. A process that is killed leaves its folder, with a private key in it: the next one takes it away.
 */
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_NAMES } from './certificate-files.ts';

const NAME = /^echo-([1-9]\d{0,9})$/;

export function ownFolder(stateDirectory: string): string {
  return join(stateDirectory, `echo-${process.pid}`);
}

/**
 * Takes away what processes that are gone left in the state folder: files of ours alone, and their folder when nothing
 * else is in it. Follows no link. What can't be taken away stays: it is in nobody's way.
 */
export function removeLeftovers(stateDirectory: string): void {
  for (const entry of entriesOf(stateDirectory)) {
    const [, pid] = NAME.exec(entry.name) ?? [];
    if (pid !== undefined && entry.isDirectory() && isGone(Number(pid))) {
      removeFiles(join(stateDirectory, entry.name));
    }
  }
}

function removeFiles(directory: string): void {
  for (const entry of entriesOf(directory)) {
    if (entry.isFile() && FILE_NAMES.includes(entry.name)) {
      attempt(() => unlinkSync(join(directory, entry.name)));
    }
  }
  attempt(() => rmdirSync(directory));
}

/** None of a folder that isn't there, or is not ours to read. */
function entriesOf(directory: string) {
  return attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** Signal 0 asks whether a process exists and sends nothing. Any other answer than that there is none leaves it be. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Another sink may be at the same leftovers: what is gone already is no failure. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
