/** Files that only this user may read: written whole or not at all. */
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Replaces the file at once: a reader sees the old content or the new, never a part. One writer, by the lock.
 * `isDurable` false: it needn't outlive a machine that fails, and whoever reads it can do without.
 */
export function writePrivateFile(path: string, content: string, { isDurable = true } = {}): void {
  makePrivateDirectory(dirname(path));
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', OWNER_ONLY);
  try {
    fchmodSync(file, OWNER_ONLY);
    writeSync(file, content);
    if (isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
