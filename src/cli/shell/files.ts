/**
 * The user's files: a source that is read as a stream, a target that is written atomically (client/whole-file.ts),
 * and folders for temporary files.
 */
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { tmpdir } from 'node:os';
import { UsageError, CliError } from './failure.ts';
import {
  FileRefusedError,
  requireFree,
  saveWhole,
  type Fetch,
  type Fetched,
} from '../../client/whole-file.ts';
import { causeOf, systemFailureOf, whyRefused } from '../../kernel/system-failure.ts';
import { makeTemporaryFolder, type TemporaryKind } from '../../kernel/files/temporary-folders.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { requireOwnFolder } from '../../kernel/files/own-folder.ts';

export interface FileSource {
  readonly content: Readable;
  /** Undefined if the length is unknown before reading: stdin, a pipe. */
  readonly bytes: number | undefined;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** Stops reading. An open stdin doesn't keep this process alive. */
  readonly close: () => void;
}

/** Opens a file, or stdin for `-`. Throws UsageError, which doesn't contain the path. */
export async function openSource(path: string): Promise<FileSource> {
  if (path === '-') return sourceOf(process.stdin, { bytes: undefined, path: undefined });
  try {
    const file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new UsageError('That is a folder; name a file, or - for stdin');
    }
    // Files of /proc have size 0 but content. The daemon refuses really empty files.
    const isMeasured = stats.isFile() && stats.size > 0;
    return sourceOf(file.createReadStream(), { bytes: isMeasured ? stats.size : undefined, path });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadable(error);
  }
}

/** The bytes of the file that a flag names. Throws UsageError, which doesn't contain the path. */
export function readFileOf(flag: string, path: string): Buffer;
/** Undefined for a file of more than `mostBytes`, which is not read. */
export function readFileOf(flag: string, path: string, mostBytes: number): Buffer | undefined;
export function readFileOf(flag: string, path: string, mostBytes = Infinity): Buffer | undefined {
  try {
    return statSync(path).size > mostBytes ? undefined : readFileSync(path);
  } catch (error) {
    throw new UsageError(`The file of ${flag} cannot be read: ${whyRefused(error)}`);
  }
}

/** The error for a file that can't be opened, or read to its end. */
export function unreadable(error: unknown): UsageError {
  return new UsageError(`The file cannot be read: ${whyRefused(error)}`, '- reads stdin');
}

function sourceOf(content: Readable, of: Pick<FileSource, 'bytes' | 'path'>): FileSource {
  return { content, ...of, close: () => void content.destroy() };
}

export interface FileTarget {
  /** Absolute; undefined for stdout. */
  readonly path: string | undefined;
  /** Writes the content of what `fetch` returns, and returns that. Throws what `fetch` and the content throw. */
  fill<T extends Fetched>(fetch: Fetch<T>): Promise<T>;
}

export interface TargetChoice {
  /** A path; `-` for stdout in any case; undefined for stdout unless it is a terminal. */
  readonly out: string | undefined;
  readonly mayReplace: boolean;
  /** The names for messages of the flags that choose and replace the file; by default `--out` and `--force`. */
  readonly flags?: TargetFlags;
  /** Whether stdout is used for data output. */
  readonly isData: boolean;
}

interface TargetFlags {
  readonly file: string;
  readonly force: string;
}

const OUT: TargetFlags = { file: '--out', force: '--force' };

/** Checks the target before anything is fetched for it. Throws UsageError, which doesn't contain the path. */
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
      '--json, --output and --field need --out FILE: on stdout the file would replace them',
    );
  }
  if (out === undefined && process.stdout.isTTY) {
    throw new UsageError(
      'A file is not shown on a terminal',
      'save it with --out FILE, --out - shows it anyway',
    );
  }
  return { path: undefined, fill: printWhole };
}

async function printWhole<T extends Fetched>(fetch: Fetch<T>): Promise<T> {
  const fetched = await fetch();
  await pipeline(fetched.content, process.stdout, { end: false });
  return fetched;
}

/** Explains a refused file in terms of the flags that named it. Returns other errors unchanged. */
function inFlags(error: unknown, flags: TargetFlags): unknown {
  if (!(error instanceof FileRefusedError)) return error;
  const { file, force } = flags;
  switch (error.reason) {
    case 'folder':
      return new UsageError(`${file} names a folder; name a file`);
    case 'no_file':
      return new UsageError(
        flags === OUT
          ? '--out names something that is not a file; use --out - > PATH for it'
          : `${file} names something that is not a file`,
      );
    case 'taken':
      return new UsageError(
        `The file of ${file} exists already; nothing was written`,
        `${force} replaces it`,
      );
    case 'foreign_link':
      return new UsageError(
        `The folder of ${file} is reached through a link of another user; nothing was written`,
        'name a file in a folder of your own',
      );
    case 'unwritable':
      return new UsageError(`The file of ${file} cannot be written: ${whyRefused(error)}`);
  }
}

/** A new private folder in the system's folder for temporary files. Throws CliError. */
export function temporaryFolder(kind: TemporaryKind): string {
  const folder = tmpdir();
  try {
    return makeTemporaryFolder(kind);
  } catch (error) {
    throw new CliError(`No temporary folder can be created in ${folder}: ${causeOf(error) ?? 'failed'}`, {
      code: 'system_refused',
      hint: systemFailureOf(error)?.remedy ?? 'check that folder',
      path: folder,
    });
  }
}

/**
 * Checks a folder before its content is used or changed. Throws UsageError if it belongs to others, or if others can
 * write to it.
 */
export function requireUsersFolder(path: string): void {
  try {
    requireOwnFolder(path);
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
}
