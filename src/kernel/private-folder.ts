import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from './errors.ts';
import { requireOwnFolder } from './own-folder.ts';
import { causeOf } from './system-failure.ts';

const OWNER_ONLY = 0o700;

/**
 * Makes a folder and those above it, for this user alone; what is there already stays as it is, and is refused where
 * others could write in it or put another in its place (own-folder.ts).
 * Throws ServiceError `invalid_request`, which names the folder, the system's reason and what to set.
 */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new ServiceError(
      'invalid_request',
      `The folder ${path} cannot be made: ${causeOf(error) ?? 'failed'}; set KYCLONE_HOME to a folder that you can write to`,
      { cause: error },
    );
  }
  requireOwnFolder(path);
}

/**
 * Makes a folder and those above it. Throws the system's own error for the first that can't be made. Level by level:
 * Node's recursive mkdir never returns where a file system has a folder and makes none in it, such as /proc, and says
 * ENOENT for a read-only file system and for a link to nothing.
 */
export function makeFolder(path: string, mode = OWNER_ONLY): void {
  makeLevel(resolve(path), mode);
}

function makeLevel(path: string, mode: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeLevel(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

/** False for what can't be looked at: making it says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
