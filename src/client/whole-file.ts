/**
 * A file of what came over the wire. It appears under its name only when it is whole, for its owner alone (0600);
 * whatever goes wrong before, a signal too, leaves neither it nor a part of it.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';

export interface Fetched {
  readonly content: AsyncIterable<Uint8Array>;
}
export type Fetch<T extends Fetched> = () => Promise<T>;

/** What stands at a path that was to be written; the message repeats no path. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
  readonly reason: 'taken' | 'folder' | 'no_file' | 'unwritable';
  /** The system's error code, such as `EACCES`. */
  readonly code: string;

  constructor(reason: FileRefusedError['reason'], code = 'refused') {
    super(reason === 'unwritable' ? `${REFUSALS[reason]} (${code})` : REFUSALS[reason]);
    this.reason = reason;
    this.code = code;
  }
}

const REFUSALS: Readonly<Record<FileRefusedError['reason'], string>> = {
  taken: 'There is a file of this name already; nothing was written',
  folder: 'This is the name of a folder; a file is to be named',
  no_file: 'This is the name of something that is no file',
  unwritable: 'The file cannot be written',
};

/** Throws FileRefusedError unless a file may be written there. */
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
  /** Its name in the end, in the folder of `path`, where that depends on what was fetched. */
  readonly named?: (fetched: T) => string;
}

/**
 * Writes the content of what `fetch` gives, and returns that; nothing is fetched before there is a file for it. Throws
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
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw new FileRefusedError('unwritable', (error as NodeJS.ErrnoException).code ?? 'failed');
  }
}

/** A name that somebody took meanwhile is not taken from them: linking fails then, renaming wouldn't. */
function publish(partial: string, path: string, mayReplace: boolean): void {
  if (mayReplace) renameSync(partial, path);
  else {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new FileRefusedError('taken');
      // A file system without links.
      renameSync(partial, path);
    }
  }
}

/** Acts before a signal ends the process. Returns how to take that back. */
function beforeSignals(act: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: NodeJS.Signals) => {
    release();
    act();
    process.kill(process.pid, signal);
  };
  const release = () => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return release;
}
