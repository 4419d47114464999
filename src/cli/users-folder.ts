import { ServiceError } from '../kernel/errors.ts';
import { requireOwnFolder } from '../kernel/own-folder.ts';
import { UsageError } from './failure.ts';

/** Before what is in a folder is used or added to. Throws UsageError for one of others, or that others may write to. */
export function requireUsersFolder(path: string): void {
  try {
    requireOwnFolder(path);
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
}
