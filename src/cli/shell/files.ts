/**
 * Files of the user: a source that is read as a stream, a target that appears when it is whole (client/whole-file.ts),
 * and folders for temporary files.
 */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { resolve, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { UsageError, CliError } from './failure.ts';
import {
  FileRefusedError,
  requireFree,
  saveWhole,
  type Fetch,
  type Fetched,
} from '../../client/whole-file.ts';
import { causeOf, systemFailureOf } from '../../kernel/system-failure.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { requireOwnFolder } from '../../kernel/own-folder.ts';
import { EXIT } from './exit-codes.ts';

/** A file that is to be sent, read as it goes. */
export interface FileSource {
  readonly content: Readable;
  /** Undefined for what has no length before it was read: stdin, a pipe. */
  readonly bytes: number | undefined;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** Nothing more is read; a stdin that others keep open doesn't keep this process. */
  readonly close: () => void;
}

/** Opens a file, or stdin for `-`. Throws UsageError, which doesn't repeat the path. */
export async function openSource(path: string): Promise<FileSource> {
  if (path === '-') return sourceOf(process.stdin, { bytes: undefined, path: undefined });
  try {
    const file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new UsageError('That is a folder; a file is to be named, or - for stdin');
    }
    // Files of /proc say 0 and hold something; what is really empty is for the daemon to refuse.
    const isMeasured = stats.isFile() && stats.size > 0;
    return sourceOf(file.createReadStream(), { bytes: isMeasured ? stats.size : undefined, path });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadable(error);
  }
}

/** What is said of a file that can't be opened, or read on. */
export function unreadable(error: unknown): UsageError {
  const code = (error as NodeJS.ErrnoException).code ?? 'failed';
  return new UsageError(`The file cannot be read (${code})`, '- reads stdin');
}

function sourceOf(content: Readable, of: Pick<FileSource, 'bytes' | 'path'>): FileSource {
  return { content, ...of, close: () => void content.destroy() };
}

export interface FileTarget {
  /** Absolute; undefined for stdout. */
  readonly path: string | undefined;
  /** Writes the content of what `fetch` gives, and returns that. Throws what `fetch` and the content throw. */
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
    try {
      requireFree(path, mayReplace);
    } catch (error) {
      throw inFlags(error, flags);
    }
    const fill = async <T extends Fetched>(fetch: Fetch<T>): Promise<T> => {
      try {
        return await saveWhole(fetch, { path, mayReplace });
      } catch (error) {
        throw inFlags(error, flags);
      }
    };
    return { path, fill };
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

/** A refused file in the words of the flags that named it; anything else as it is. */
function inFlags(error: unknown, flags: TargetFlags): unknown {
  if (!(error instanceof FileRefusedError)) return error;
  const { file, force } = flags;
  switch (error.reason) {
    case 'folder':
      return new UsageError(`${file} names a folder; a file is to be named`);
    case 'no_file':
      return new UsageError(
        flags === OUT
          ? '--out names something that is no file; --out - > PATH fills it'
          : `${file} names something that is no file`,
      );
    case 'taken':
      return new UsageError(
        `The file of ${file} is there already; nothing was written`,
        `${force} replaces it`,
      );
    case 'unwritable':
      return new UsageError(`The file of ${file} cannot be written (${error.code})`);
  }
}

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
