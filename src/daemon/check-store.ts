/**
 * `kycloned --check-store`, `--check-copy` and `--check-next`: check every page of a store in a separate process, so
 * that requests are not delayed. Writes the findings to stdout: one JSON object a line, a `StoreCheckLine`.
 */
import { copyFileSync, constants, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import type { InstancePaths } from '../kernel/files/paths.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import { openBinding, type Database } from '../storage/binding.ts';
import { createBlobStore } from '../storage/blobs.ts';
import { isCurrentSchema, refuseNewerSchema } from '../storage/database.ts';
import { takeLock } from '../storage/lock.ts';
import { noteFileNumber } from '../storage/log-number.ts';
import { createSnapshotFolder, removeDraft } from '../storage/snapshot-folder.ts';
import { checkTables, checkWhole, countTables } from '../storage/store-check.ts';
import { lossOf, refuseLoss, refuseMissingStore } from '../storage/store-files.ts';
import { lostFiles } from './lost-files.ts';

/** The progress of a check; the last line has `checked` equal to `steps`, or `failure`. */
export interface StoreCheckLine {
  readonly checked: number;
  readonly steps: number;
  /** Found by this step; in SQLite's words, which name tables, indexes, pages and rows and contain no value. */
  readonly problems: readonly string[];
  /** Why the check could not run. */
  readonly failure?: string;
}

type Say = (line: StoreCheckLine) => void;

/** Checks a copy that no other process has open. */
export function checkCopy(path: string, say: Say = print): Promise<void> {
  return orFailure(() => check(path, say), say);
}

/**
 * Waits until stdin names a copy, and checks it in one step. This finds the same as a check table by table in half the
 * time, but reports no progress. Checks nothing when stdin ends without a name.
 */
export function checkNextCopy(say: Say = print): Promise<void> {
  return orFailure(async () => {
    const path = readFileSync(0, 'utf8');
    if (path !== '') await check(path, say, { asWhole: true });
  }, say);
}

async function orFailure(run: () => Promise<void>, say: Say): Promise<void> {
  try {
    await run();
  } catch (error) {
    say({ checked: 0, steps: 0, problems: [], failure: failureText(error) });
  }
}

/**
 * Checks the store of a stopped instance; `opens` throws when no key opens its vault. It works on a copy made beside
 * the snapshots, so the store is not modified. No daemon can start in the meantime.
 */
export function checkStopped(
  paths: InstancePaths,
  opens: (database: Database) => Promise<void>,
  say: Say = print,
): Promise<void> {
  return orFailure(async () => {
    let lock: ReturnType<typeof takeLock>;
    let draft: string | undefined;
    try {
      // Without a state folder there is no daemon, as beside a restored data folder.
      if (existsSync(paths.stateDirectory)) {
        lock = takeLock(paths.lockFile);
        if (!lock) throw new Error('A daemon has just been started; run the check again');
      }
      refuseMissingStore(paths.storeFile);
      if (!existsSync(paths.storeFile)) throw new Error(`There is no store at ${paths.storeFile}`);
      draft = await createSnapshotFolder({
        folder: join(paths.dataDirectory, 'snapshots'),
        isDurable: false,
      }).draft();
      for (const suffix of ['', '-wal']) {
        if (!existsSync(`${paths.storeFile}${suffix}`)) continue;
        rmSync(`${draft}${suffix}`, { force: true });
        copyFileSync(`${paths.storeFile}${suffix}`, `${draft}${suffix}`, constants.COPYFILE_FICLONE);
      }
      const requireOwnLog = noteFileNumber(paths.storeFile);
      const blobs = createBlobStore({ folder: join(paths.dataDirectory, 'files'), isDurable: false });
      await check(draft, say, {
        first(database) {
          refuseNewerSchema(database);
          return problemsOf(() => {
            requireOwnLog(database);
            refuseLoss(lossOf(paths.storeFile, database));
          });
        },
        async last(database) {
          if (!isCurrentSchema(database)) return [];
          await opens(database);
          return await lostFiles(database, blobs);
        },
      });
    } finally {
      if (draft !== undefined) await removeDraft(draft);
      lock?.release();
    }
  }, say);
}

/**
 * `first` and `last` return what is wrong with the store besides its pages, or throw why `start` refuses it; `last` reads
 * a store whose pages are whole.
 */
async function check(
  path: string,
  say: Say,
  {
    asWhole = false,
    first,
    last,
  }: {
    asWhole?: boolean;
    first?: (database: Database) => string[];
    last?: (database: Database) => Promise<string[]>;
  } = {},
): Promise<void> {
  const database = openBinding(path, { fileMustExist: true });
  let checked = 0;
  let steps = 1;
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('cell_size_check = ON');
    // Otherwise WAL mode needs a shared-memory file beside the store.
    database.pragma('locking_mode = EXCLUSIVE');
    const problems = first?.(database) ?? [];
    if (!asWhole) {
      steps += countTables(database);
      for (const { problems } of checkTables(database)) say({ checked: ++checked, steps, problems });
    }
    problems.push(...checkWhole(database));
    if (problems.length === 0 && last) problems.push(...(await last(database)));
    say({ checked: steps, steps, problems });
  } catch (error) {
    if (error instanceof ServiceError) {
      say({ checked: steps, steps, problems: [], failure: error.message });
      return;
    }
    // The file header or the schema is unreadable, so nothing else can be read.
    if ((error as { name?: unknown }).name !== 'SqliteError') throw error;
    say({ checked: steps, steps, problems: [(error as Error).message] });
  } finally {
    database.close();
  }
}

function problemsOf(run: () => void): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.message];
  }
}

function failureText(error: unknown): string {
  const refused = systemFailureOf(error);
  if (refused) return `${refused.message}; ${refused.remedy}`;
  return error instanceof Error ? error.message : 'unknown';
}

function print(line: StoreCheckLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
