/** Files that only this user may read: written whole or not at all, and never through a link. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

const OWNER_ONLY = 0o600;
/** Another writer may take the draft's name meanwhile. */
const ATTEMPTS = 5;

/**
 * Replaces the file at once: a reader sees the old content or the new, never a part. A link in its place is replaced,
 * and what it leads to stays as it is. `isDurable` false: it needn't outlive a machine that fails, and its readers
 * can do without.
 */
export function writePrivateFile(path: string, content: string, { isDurable = true } = {}): void {
  makePrivateFolder(dirname(path));
  const draft = `${path}.new`;
  const file = newFile(draft);
  try {
    fchmodSync(file, OWNER_ONLY);
    writeSync(file, content);
    if (isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** A file that wasn't there: what a crash left, or an attacker put there to redirect the write, is removed first. */
function newFile(path: string): number {
  for (let attempt = 1; ; attempt++) {
    rmSync(path, { force: true });
    try {
      return openSync(path, 'wx', OWNER_ONLY);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === ATTEMPTS) throw error;
    }
  }
}
