import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { causeOf, systemFailureOf } from '../../kernel/system-failure.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { requireOwnFolder } from '../../kernel/own-folder.ts';
import { EXIT } from './exit-codes.ts';
import { CliError, UsageError } from './failure.ts';

/** A new private folder in the system's folder for temporary files. Throws CliError. */
export function makeTemporaryFolder(prefix: string): string {
  const folder = tmpdir();
  try {
    return mkdtempSync(join(folder, prefix));
  } catch (error) {
    throw new CliError(`No temporary folder can be made in ${folder}: ${causeOf(error) ?? 'failed'}`, {
      code: 'system_refused',
      exitCode: EXIT.failed,
      hint: systemFailureOf(error)?.remedy ?? 'check that folder',
      path: folder,
    });
  }
}

/** Before what is in a folder is used or added to. Throws UsageError for one of others, or that others may write to. */
export function requireUsersFolder(path: string): void {
  try {
    requireOwnFolder(path);
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
}
