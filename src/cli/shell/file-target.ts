/** Where a download goes: stdout, or a file that appears when it is whole (client/whole-file.ts). */
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  FileRefusedError,
  requireFree,
  saveWhole,
  type Fetch,
  type Fetched,
} from '../../client/whole-file.ts';
import { UsageError } from './failure.ts';

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
