import { attempt } from '../attempt.ts';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError, invalid } from '../errors.ts';
import { placeToWrite } from './file-to-write.ts';
import { requireOwnFolder } from './own-folder.ts';
import { causeOf } from '../system-failure.ts';

const OWNER_ONLY = 0o700;

/**
 * Creates a folder and its parents, for this user alone. An existing folder stays as it is, and is refused when others
 * could write in it or replace it (own-folder.ts). Throws ServiceError `invalid_request`, which names the folder, the
 * system's reason and the setting to change.
 */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalid(
      `The folder ${path} cannot be created: ${causeOf(error) ?? 'failed'}; set KYCLONE_HOME to a folder that you can write to`,
      { cause: error },
    );
  }
  requireOwnFolder(path);
}

/**
 * Creates a folder and its parents. Throws the system's own error for the first that can't be created. Works level by
 * level: Node's recursive mkdir never returns on a file system that refuses to create folders, such as /proc, and
 * reports ENOENT for a read-only file system and for a dangling link. Throws ServiceError `invalid_request` for a path
 * through a link of another user, before anything is created.
 */
export function makeFolder(path: string, mode = OWNER_ONLY): void {
  placeToWrite(path);
  makeLevel(resolve(path), mode);
}

function makeLevel(path: string, mode: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeLevel(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have created it first.
    if (!isFolder(path)) throw error;
  }
}

/** False for a path that can't be read; creating it then reports why. */
function isFolder(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() === true;
}
