/**
 * Checks the folders that `exec --report DIR` and `report DIR` may write to: folders of this user alone, not reached
 * through a link.
 */
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { isOwnFolder } from '../../kernel/files/own-folder.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { UsageError } from '../shell/failure.ts';

/**
 * The absolute path, checked before anything starts: a folder of this user, or none yet. Throws UsageError, which
 * names the `parameter` and doesn't contain the path.
 */
export function reportFolder(given: string, parameter: string): string {
  if (given === '') throw new UsageError(`${parameter} is empty; name a folder`);
  // With a trailing slash, the path would follow a link.
  const path = resolve(given);
  const stats = statsOf(path, parameter);
  if (stats?.isSymbolicLink() === true) {
    throw new UsageError(`${parameter} names a link`, 'name the folder itself');
  }
  if (stats !== undefined && !stats.isDirectory()) {
    throw new UsageError(`${parameter} names something that is not a folder`);
  }
  if (stats !== undefined && !isOwnFolder(path)) {
    throw new UsageError(
      `${parameter} names a folder that other users own or can write to`,
      'name one that does not exist yet; it is created for you alone',
    );
  }
  return path;
}

function statsOf(path: string, parameter: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`The folder of ${parameter} cannot be used: ${causeOf(error) ?? 'failed'}`);
  }
}
