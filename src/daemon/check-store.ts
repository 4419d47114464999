/**
 * `kycloned --check-store` and `--check-copy`: looks at every page of a store in a process of its own, so that nobody
 * waits for it, and says on stdout what it finds: one JSON object a line, a `StoreCheckLine`.
 */
import { copyFileSync, constants, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import type { InstancePaths } from '../kernel/paths.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import { openBinding } from '../storage/binding.ts';
import { takeLock } from '../storage/lock.ts';
import { createSnapshotFolder, removeDraft } from '../storage/snapshot-folder.ts';
import { checkTables, checkWhole, countTables } from '../storage/store-check.ts';

/** The progress of a check; the last line has `checked` equal to `steps`, or `failure`. */
export interface StoreCheckLine {
  readonly checked: number;
  readonly steps: number;
  /** Found by this step; in SQLite's words, which name tables, indexes, pages and rows, and hold no value. */
  readonly problems: readonly string[];
  /** Why the check could not be made. */
  readonly failure?: string;
}

type Say = (line: StoreCheckLine) => void;

/** Checks a copy that nobody else has open. */
export function checkCopy(path: string, say: Say = print): void {
  try {
    check(path, say);
  } catch (error) {
    say({ checked: 0, steps: 0, problems: [], failure: failureText(error) });
  }
}

/**
 * Checks the store of an instance that no daemon serves: a copy of it, made beside the snapshots, so that nothing of
 * the store is changed. No daemon starts meanwhile.
 */
export async function checkStopped(paths: InstancePaths, say: Say = print): Promise<void> {
  const fail = (failure: string) => say({ checked: 0, steps: 0, problems: [], failure });
  if (!existsSync(paths.storeFile)) {
    fail(`There is no store at ${paths.storeFile}`);
    return;
  }
  let lock: ReturnType<typeof takeLock>;
  let draft: string | undefined;
  try {
    lock = takeLock(paths.lockFile);
    if (!lock) {
      fail('A daemon has just been started; run the check again');
      return;
    }
    draft = await createSnapshotFolder({
      folder: join(paths.dataDirectory, 'snapshots'),
      isDurable: false,
    }).draft();
    for (const suffix of ['', '-wal']) {
      if (!existsSync(`${paths.storeFile}${suffix}`)) continue;
      rmSync(`${draft}${suffix}`, { force: true });
      copyFileSync(`${paths.storeFile}${suffix}`, `${draft}${suffix}`, constants.COPYFILE_FICLONE);
    }
    check(draft, say);
  } catch (error) {
    fail(failureText(error));
  } finally {
    if (draft !== undefined) await removeDraft(draft);
    lock?.release();
  }
}

function check(path: string, say: Say): void {
  const database = openBinding(path, { fileMustExist: true });
  let checked = 0;
  let steps = 1;
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('cell_size_check = ON');
    // Without it a log needs a file for its index beside it.
    database.pragma('locking_mode = EXCLUSIVE');
    steps += countTables(database);
    for (const { problems } of checkTables(database)) say({ checked: ++checked, steps, problems });
    say({ checked: steps, steps, problems: checkWhole(database) });
  } catch (error) {
    // A head or a schema that can't be read: nothing else of the store can be.
    if ((error as { name?: unknown }).name !== 'SqliteError') throw error;
    say({ checked: steps, steps, problems: [(error as Error).message] });
  } finally {
    database.close();
  }
}

function failureText(error: unknown): string {
  const refused = systemFailureOf(error);
  if (refused) return `${refused.message}; ${refused.remedy}`;
  return error instanceof ServiceError || error instanceof Error ? error.message : 'unknown';
}

function print(line: StoreCheckLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
