/** `--import` and `--export-on-exit`: the state that an instance begins with, and where it goes when it stops. */
import { access, constants } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { ServiceError } from '../kernel/errors.ts';
import { accessText } from '../contract/snapshot-access.ts';
import { countByKind } from '../resources/entities/index.ts';
import { adoptFile, type Adopted } from '../resources/snapshots/index.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from './runtime.ts';

interface CarriedState {
  readonly importFile?: string;
  readonly exportFile?: string;
  /** Whether what the file grants or opens comes along. */
  readonly withAccess?: boolean;
}

/**
 * What there is to import. Throws `conflict` when the store holds entities already, `invalid_request` when there is no
 * file, unless it is the one that the export will make.
 */
export function requireImportable(
  { importFile, exportFile }: CarriedState,
  database: Database,
): { file: string | undefined; notices: string[] } {
  if (importFile === undefined) return { file: undefined, notices: [] };
  const { users, businesses } = countByKind(database);
  if (users + businesses > 0) {
    throw new ServiceError(
      'conflict',
      'Option --import is for an instance without entities: `kyclone snapshot load --file FILE` replaces its state',
    );
  }
  if (existsSync(importFile)) return { file: importFile, notices: [] };
  if (importFile === exportFile) {
    return {
      file: undefined,
      notices: [`There is no file ${importFile} yet: it begins empty, and the file is made when it stops.`],
    };
  }
  throw new ServiceError('invalid_request', `Option --import names a file that is not there: ${importFile}`);
}

/**
 * The file as a draft of this vault, judged whole: before the store is changed in any way. Throws as `adoptFile`, and
 * `invalid_request` for one that can't be read.
 */
export async function adoptImport(
  context: Parameters<typeof adoptFile>[0],
  file: string,
  withAccess: boolean,
): Promise<Adopted> {
  try {
    await access(file, constants.R_OK);
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The file of --import cannot be read', { cause });
  }
  return await adoptFile(context, file, { withAccess });
}

/** What the user should know of what the file grants or opens. */
export function accessNotices(brought: Adopted['access'], withAccess: boolean): string[] {
  const text = accessText(brought);
  if (text === '') return [];
  return [
    withAccess
      ? `The file of --import brought access, which is in use now: ${text}.`
      : `The file of --import also holds access, which was left behind: ${text}. --with-access takes it in.`,
  ];
}

/** When nothing is written any more. Returns what went wrong. */
export async function exportOnExit(runtime: Runtime, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    await runtime.service.snapshots.exportFile(file);
    return undefined;
  } catch (error) {
    const known = error instanceof ServiceError ? error.message : systemReason(error);
    return `The state could not be exported to ${file}: ${known}`;
  }
}

function systemReason(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
