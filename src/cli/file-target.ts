/**
 * Where a download goes. A file appears under its name only when it is whole, for its owner alone (0600); whatever goes
 * wrong before, a signal too, leaves neither it nor a part of it.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './failure.ts';

interface Fetched {
  readonly content: AsyncIterable<Uint8Array>;
}
type Fetch<T extends Fetched> = () => Promise<T>;

export interface FileTarget {
  /** Absolute; undefined for stdout. */
  readonly path: string | undefined;
  /** Writes the content of what `fetch` gives, and answers that. Throws what `fetch` and the content throw. */
  fill<T extends Fetched>(fetch: Fetch<T>): Promise<T>;
}

export interface TargetChoice {
  /** A path, `-` for stdout whatever it is, or nothing: stdout, unless that is a terminal. */
  readonly out: string | undefined;
  readonly mayReplace: boolean;
  /** What names the file and what lets it be replaced, as messages call them: `--out` and `--force` unless given. */
  readonly flags?: TargetFlags;
  /** Whether stdout is taken by a result as data. */
  readonly isData: boolean;
}

interface TargetFlags {
  readonly file: string;
  readonly force: string;
}

const OUT: TargetFlags = { file: '--out', force: '--force' };

/** Judges the target before anything is fetched for it. Throws UsageError, which doesn't repeat the path. */
export function chooseTarget({ out, mayReplace, isData, flags = OUT }: TargetChoice): FileTarget {
  if (out !== undefined && out !== '-') {
    const path = resolve(out);
    checkPath(path, mayReplace, flags);
    return { path, fill: (fetch) => saveWhole(fetch, { path, mayReplace, flags }) };
  }
  if (isData) {
    throw new UsageError(
      '--json, --output and --field need --out FILE: on stdout the file would stand in their place',
    );
  }
  if (out === undefined && process.stdout.isTTY) {
    throw new UsageError('A file is not shown on a terminal', '--out FILE keeps it, --out - shows it anyway');
  }
  return { path: undefined, fill: printWhole };
}

async function printWhole<T extends Fetched>(fetch: Fetch<T>): Promise<T> {
  const fetched = await fetch();
  await pipeline(fetched.content, process.stdout, { end: false });
  return fetched;
}

function checkPath(path: string, mayReplace: boolean, flags: TargetFlags): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) throw new UsageError(`${flags.file} names a folder; a file is to be named`);
  if (!stats.isFile()) {
    throw new UsageError(
      flags === OUT
        ? '--out names something that is no file; --out - > PATH fills it'
        : `${flags.file} names something that is no file`,
    );
  }
  if (!mayReplace) throw alreadyThere(flags);
}

async function saveWhole<T extends Fetched>(
  fetch: Fetch<T>,
  { path, mayReplace, flags }: { path: string; mayReplace: boolean; flags: TargetFlags },
): Promise<T> {
  const partial = `${path}.${randomBytes(6).toString('hex')}.part`;
  const file = await create(partial, flags);
  const remove = () => rmSync(partial, { force: true });
  const release = beforeSignals(remove);
  try {
    const fetched = await fetch();
    await writeFile(file, fetched.content);
    await file.close();
    publish(partial, path, { mayReplace, flags });
    return fetched;
  } catch (error) {
    await file.close();
    throw error;
  } finally {
    remove();
    release();
  }
}

async function create(path: string, flags: TargetFlags): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw new UsageError(
      `The file of ${flags.file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
    );
  }
}

/** A name that somebody took meanwhile is not taken from them: linking fails then, renaming wouldn't. */
function publish(
  partial: string,
  path: string,
  { mayReplace, flags }: { mayReplace: boolean; flags: TargetFlags },
): void {
  if (mayReplace) renameSync(partial, path);
  else {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyThere(flags);
      // A file system without links.
      renameSync(partial, path);
    }
  }
}

function alreadyThere({ file, force }: TargetFlags): UsageError {
  return new UsageError(`The file of ${file} is there already; nothing was written`, `${force} replaces it`);
}

/** Acts before a signal ends the process. Answers how to take that back. */
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
