/**
 * Saves a download to a file. The file gets its name only when it is complete, and belongs to its owner alone (0600).
 * If anything fails before, or a signal arrives, nothing is left, not even a part.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import { beforeSignals } from '../kernel/program/processes.ts';
import { placeToWrite } from '../kernel/files/file-to-write.ts';

export interface Fetched {
  readonly content: AsyncIterable<Uint8Array>;
}
export type Fetch<T extends Fetched> = () => Promise<T>;

/** Why a path cannot be written. The message does not contain the path. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
  readonly reason: 'taken' | 'folder' | 'no_file' | 'foreign_link' | 'unwritable';
  /** The system's error code, such as `EACCES`. */
  readonly code: string;

  constructor(reason: FileRefusedError['reason'], code = 'refused') {
    super(reason === 'unwritable' ? `${REFUSALS[reason]} (${code})` : REFUSALS[reason]);
    this.reason = reason;
    this.code = code;
  }
}

const REFUSALS: Readonly<Record<FileRefusedError['reason'], string>> = {
  taken: 'A file with this name exists already; nothing was written',
  folder: 'This is the name of a folder; name a file',
  no_file: 'This is the name of something that is not a file',
  foreign_link: 'The folder is reached through a link of another user; nothing was written',
  unwritable: 'The file cannot be written',
};

/** Throws FileRefusedError unless a file may be written at `path`. */
export function requireFree(path: string, mayReplace: boolean): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) throw new FileRefusedError('folder');
  if (!stats.isFile()) throw new FileRefusedError('no_file');
  if (!mayReplace) throw new FileRefusedError('taken');
}

export interface WholeFile<T extends Fetched> {
  readonly path: string;
  readonly mayReplace: boolean;
  /** The final name, in the folder of `path`, when it depends on the fetched file. */
  readonly named?: (fetched: T) => string;
}

/**
 * Creates a temporary file first, then fetches and writes the content. Returns what `fetch` returned. Throws
 * FileRefusedError, and what `fetch`, the content and the file system throw.
 */
export async function saveWhole<T extends Fetched>(
  fetch: Fetch<T>,
  { path, mayReplace, named = () => path }: WholeFile<T>,
): Promise<T> {
  const partial = `${path}.${randomBytes(6).toString('hex')}.part`;
  const file = await create(partial);
  const remove = () => rmSync(partial, { force: true });
  const release = beforeSignals(remove);
  try {
    const fetched = await fetch();
    await writeFile(file, fetched.content);
    await file.close();
    publish(partial, named(fetched), mayReplace);
    return fetched;
  } catch (error) {
    await file.close();
    throw error;
  } finally {
    remove();
    release();
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    // The last part needs no check: a new file replaces a link there.
    placeToWrite(dirname(path));
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof ServiceError) throw new FileRefusedError('foreign_link');
    throw new FileRefusedError('unwritable', (error as NodeJS.ErrnoException).code ?? 'failed');
  }
}

/** Linking fails when a file of this name has appeared meanwhile; renaming would overwrite it. */
function publish(partial: string, path: string, mayReplace: boolean): void {
  if (mayReplace) renameSync(partial, path);
  else {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new FileRefusedError('taken');
      // The file system doesn't support links.
      renameSync(partial, path);
    }
  }
}
