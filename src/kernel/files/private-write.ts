/** Writes files that only this user may read: whole or not at all, and never through a link. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

const OWNER_ONLY = 0o600;
/** Another writer may take the name of the temporary file in the meantime. */
const ATTEMPTS = 5;

/**
 * Replaces the file atomically: a reader sees the old content or the new, never a part. A link at the path is replaced;
 * its target is not changed. `isDurable` false skips the sync, for a file that may be lost when the machine crashes.
 */
export function writePrivateFile(path: string, content: string | Buffer, { isDurable = true } = {}): void {
  makePrivateFolder(dirname(path));
  const draft = `${path}.new`;
  const file = newFile(draft);
  try {
    try {
      fchmodSync(file, OWNER_ONLY);
      writeFileSync(file, content);
      if (isDurable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Creates a file that did not exist. A file left by a crash, or planted by an attacker to redirect the write, is
 * removed first.
 */
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
