/** The pages of a store as they are at one moment, in a file of their own. */
import { constants } from 'node:fs';
import { chmod, copyFile, open, writeFile } from 'node:fs/promises';
import { MIB } from '../kernel/units.ts';
import { isDiskFull } from './blobs.ts';
import { holdCheckpoints } from './checkpoints.ts';
import type { Database } from './database.ts';
import { storageFull, translated } from './snapshot-file.ts';

/** Above so many unused pages it is worth its while to leave them out. */
const FREE_PAGES = 256;
/** Below this the pages are copied in memory and written aside, a fraction of the time that SQLite's own way holds the loop. */
const IN_MEMORY_LIMIT_BYTES = 256 * MIB;
const ROLLBACK_JOURNAL = 1;
/** The two versions of the file format, in SQLite's head: the write-ahead log is no part of the image. */
const FORMAT_VERSIONS_AT = 18;
const OWNER_ONLY_FILE = 0o600;

/**
 * Writes `database` as it is when this is called to the empty file at `path`, in rollback-journal mode; what is unused
 * has been overwritten there as it was in the store. No transaction may be open. Throws `storage_full`.
 */
export async function writeImage(database: Database, path: string): Promise<void> {
  const pages = (name: string) => database.pragma(name, { simple: true }) as number;
  const bytes = pages('page_count') * pages('page_size');
  if (pages('freelist_count') > FREE_PAGES || bytes > IN_MEMORY_LIMIT_BYTES) {
    translated(() => database.prepare('VACUUM INTO ?').run(path));
    return;
  }
  const image = translated(() => database.serialize());
  image[FORMAT_VERSIONS_AT] = image[FORMAT_VERSIONS_AT + 1] = ROLLBACK_JOURNAL;
  try {
    await writeFile(path, image);
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  }
}

/**
 * As `writeImage`, but of a store in a file the file is copied beside the requests, which wait for nothing but the log
 * being carried over. Pages that are damaged are damaged in the copy, too.
 */
export async function copyImage(database: Database, path: string): Promise<void> {
  const release = database.memory ? undefined : translated(() => holdCheckpoints(database));
  if (!release) {
    await writeImage(database, path);
    return;
  }
  try {
    await copyFile(database.name, path, constants.COPYFILE_FICLONE);
    await chmod(path, OWNER_ONLY_FILE);
    const file = await open(path, 'r+');
    try {
      await file.write(Buffer.from([ROLLBACK_JOURNAL, ROLLBACK_JOURNAL]), 0, 2, FORMAT_VERSIONS_AT);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  } finally {
    release();
  }
}
