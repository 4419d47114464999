import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { causeOf, systemFailureOf } from '../kernel/system-failure.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';

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
