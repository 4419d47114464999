/** Copies the pages of a store, as of one moment, to a file. */
import { execFile } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { ServiceError, storageFull } from '../kernel/errors.ts';
import { snippetArguments } from '../kernel/program/single-file.ts';
import { MIB } from '../kernel/numbers/units.ts';
import { isDiskFull } from './blobs.ts';
import { holdCheckpoints } from './checkpoints.ts';
import { numberPragma } from './binding.ts';
import { isSqliteError, type Database } from './database.ts';
import { translated, translatedFailure } from './snapshot-file.ts';

/**
 * Above this size, copying the file in the background blocks the event loop for less time than copying it in memory.
 */
const HELD_LIMIT_BYTES = 8 * MIB;
const ROLLBACK_JOURNAL = 1;
/**
 * The offset of the two format versions in SQLite's header, which are reset because the image has no write-ahead log.
 */
const FORMAT_VERSIONS_AT = 18;
const OWNER_ONLY_FILE = 0o600;
/** 1 MiB, a millisecond of work. */
const PAGES_AT_A_TIME = 256;
/** 16 MiB. */
const PAGES_PER_SYNC = 4_096;

/**
 * Writes `database`, as of the time of this call, to the empty file at `path`, in rollback-journal mode; unused pages
 * are overwritten there as in the store. Other requests continue while a large file is copied. No transaction may be
 * open. Throws `storage_full`.
 */
export async function writeImage(database: Database, path: string): Promise<void> {
  const pages = (name: string) => numberPragma(database, name);
  const bytes = pages('page_count') * pages('page_size');
  const used = bytes - pages('freelist_count') * pages('page_size');
  if (used > HELD_LIMIT_BYTES && !database.memory) {
    const release = translated(() => holdCheckpoints(database));
    if (release) {
      await copyHeld(database, path, release);
      return;
    }
  }
  vacuumInto(database, path, used);
}

function vacuumInto(database: Database, path: string, bytes: number): void {
  try {
    database.prepare('VACUUM INTO ?').run(path);
  } catch (error) {
    const isTooLarge = isSqliteError(error, 'SQLITE_IOERR_WRITE') && refusesSize(path, bytes);
    // The image is empty, so SQLite that calls it damaged could not read it.
    if ((error as Error).message.startsWith('unable to open database')) {
      throw new ServiceError('storage_failed', 'The copy of the store cannot be read back from the disk', {
        cause: error,
      });
    }
    throw isTooLarge ? storageFull(error) : translatedFailure(error);
  }
}

/** SQLite reports the limit on file sizes as a failed write of any kind; the operating system says which it is. */
function refusesSize(path: string, bytes: number): boolean {
  try {
    truncateSync(path, bytes);
    return false;
  } catch (error) {
    return isDiskFull(error);
  }
}

/**
 * As `writeImage`, but in the background. Requests only wait while the write-ahead log is copied into the file. The
 * image has the state of one moment between the call and its end. Unused pages are copied, too, and damaged pages stay
 * damaged in the copy.
 */
export async function copyImage(database: Database, path: string): Promise<void> {
  const release = database.memory ? undefined : translated(() => holdCheckpoints(database));
  if (!release) {
    await copyPages(database, path);
    return;
  }
  await copyHeld(database, path, release);
}

/**
 * Copies the store's file, which doesn't change until `release` is called. This happens at the end, also on failure.
 */
async function copyHeld(database: Database, path: string, release: () => void): Promise<void> {
  try {
    await copyElsewhere(database.name, path);
    await chmod(path, OWNER_ONLY_FILE);
    await setJournalled(path);
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  } finally {
    release();
  }
}

const COPY = `
try {
  const { constants, copyFileSync } = require('node:fs');
  copyFileSync(process.argv[1], process.argv[2], constants.COPYFILE_FICLONE);
} catch ({ code }) {
  process.stdout.write(String(code));
}`;

/**
 * Copies a file in a separate process. POSIX file locks belong to a process and end when it closes any descriptor of
 * the file. Copying an open store in this process would let other programs write to it from then on.
 */
function copyElsewhere(from: string, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Empty, since the daemon's environment may contain keys.
    execFile(process.execPath, snippetArguments(COPY, from, to), { env: {} }, (failed, code) => {
      if (failed === null && code === '') {
        resolve();
        return;
      }
      const error = new Error('The store could not be copied', { cause: failed ?? undefined });
      reject(code === '' ? error : Object.assign(error, { code }));
    });
  });
}

/**
 * SQLite's own backup, a few pages at a time. Writes in the meantime go into the copy, too, so that it has the state of
 * its last page's moment. SQLite syncs the copy at the end and blocks the process meanwhile. To keep that short, the
 * copy is synced on the way.
 */
async function copyPages(database: Database, path: string): Promise<void> {
  const file = await open(path, 'r+');
  let syncing: Promise<unknown> | undefined;
  let unsynced = 0;
  try {
    await database.backup(path, {
      pagesAtATime: PAGES_AT_A_TIME,
      onStep() {
        unsynced += PAGES_AT_A_TIME;
        if (unsynced < PAGES_PER_SYNC || syncing) return;
        unsynced = 0;
        // SQLite meets the same disk error itself, and then fails.
        syncing = file
          .datasync()
          .catch(() => undefined)
          .finally(() => (syncing = undefined));
      },
    });
  } catch (error) {
    throw translatedFailure(error);
  } finally {
    await syncing;
    await file.close();
  }
  await setJournalled(path);
}

async function setJournalled(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(Buffer.from([ROLLBACK_JOURNAL, ROLLBACK_JOURNAL]), 0, 2, FORMAT_VERSIONS_AT);
  } finally {
    await file.close();
  }
}
