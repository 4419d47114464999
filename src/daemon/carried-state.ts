/**
 * `--import` and `--export-on-exit`: the state that an instance starts with, and the file that receives it at the stop.
 */
import { access, constants } from 'node:fs/promises';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ServiceError, invalid, conflict } from '../kernel/errors.ts';
import { placeToWrite } from '../kernel/files/file-to-write.ts';
import type { InstancePaths } from '../kernel/files/paths.ts';
import { whyRefused } from '../kernel/system-failure.ts';
import { accessText } from '../nouns/snapshots/words.ts';
import { countByKind } from '../nouns/entities/service/index.ts';
import { adoptFile, type Adopted } from '../nouns/snapshots/service/index.ts';
import type { Database } from '../storage/database.ts';
import type { DaemonRuntime } from './runtime.ts';

interface CarriedState {
  readonly importFile?: string;
  readonly exportFile?: string;
  /** Whether to import the access that the file grants, too. */
  readonly withAccess?: boolean;
}

/**
 * Checks the file to import. Throws `conflict` when the store has entities already, and `invalid_request` for a missing
 * file, unless the export will create it.
 */
export function requireImportable(
  { importFile, exportFile }: CarriedState,
  database: Database,
): { file: string | undefined; notices: string[] } {
  // Otherwise the state would be lost at the stop.
  if (exportFile !== undefined) placeToWrite(dirname(exportFile));
  if (importFile === undefined) return { file: undefined, notices: [] };
  const { users, businesses } = countByKind(database);
  if (users + businesses > 0) {
    throw conflict(
      'Option --import is for an instance without entities: `kyclone snapshot load --file FILE` replaces its state',
    );
  }
  if (existsSync(importFile)) return { file: importFile, notices: [] };
  if (importFile === exportFile) {
    return {
      file: undefined,
      notices: [
        `There is no file ${importFile} yet: the instance starts empty, and creates the file when it stops.`,
      ],
    };
  }
  throw invalid(`Option --import names a file that is not there: ${importFile}`);
}

/**
 * Adopts the file as a draft for this vault and checks it completely before the store changes. Throws as `adoptFile`,
 * and `invalid_request` for an unreadable file.
 */
export async function adoptImport(
  context: Parameters<typeof adoptFile>[0],
  file: string,
  withAccess: boolean,
): Promise<Adopted> {
  try {
    await access(file, constants.R_OK);
  } catch (cause) {
    throw invalid('The file of --import cannot be read', { cause });
  }
  return await adoptFile(context, file, { withAccess });
}

/** Notices about the access that the file grants. */
export function accessNotices(brought: Adopted['access'], withAccess: boolean): string[] {
  const text = accessText(brought);
  if (text === '') return [];
  return [
    withAccess
      ? `The file of --import brought access, which is active now: ${text}.`
      : `The file of --import also holds access, which was left behind: ${text}. --with-access takes it in.`,
  ];
}

/**
 * Call it after the last write. Returns the error message, if it failed. The state of an instance in memory, which would
 * be lost, then goes to a new private folder that the message names, sealed in the same way.
 */
export async function exportOnExit(
  runtime: DaemonRuntime,
  {
    exportFile: file,
    isEphemeral,
    paths,
    removesHome,
  }: CarriedState & { isEphemeral: boolean; paths: InstancePaths; removesHome?: boolean },
): Promise<string | undefined> {
  const save = async (path: string) => {
    placeToWrite(dirname(path));
    await runtime.service.snapshots.exportFile(path);
  };
  if (file === undefined) return undefined;
  try {
    await save(file);
    return undefined;
  } catch (error) {
    const why = error instanceof ServiceError ? error.message : whyRefused(error);
    const failure = `The state could not be exported to ${file}: ${why}`;
    if (!isEphemeral) return failure;
    // The home of kyclone exec is deleted next.
    const roots = removesHome ? [tmpdir()] : [paths.stateDirectory, tmpdir()];
    for (const root of roots) {
      try {
        const rescued = join(mkdtempSync(join(root, 'kyclone-state-')), 'state.kysnap');
        await save(rescued);
        return `${failure}. It is in ${rescued} instead: move it, and start with --import`;
      } catch {
        // The next folder may take it.
      }
    }
    return `${failure}; nor to a folder in ${roots.join(' or ')}, so that it is lost`;
  }
}
