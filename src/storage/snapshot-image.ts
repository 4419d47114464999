/** The pages of a store as they are at one moment, in a file of their own. */
import { writeFile } from 'node:fs/promises';
import { MIB } from '../kernel/units.ts';
import { isDiskFull } from './blobs.ts';
import type { Database } from './database.ts';
import { storageFull, translated } from './snapshot-file.ts';

/** Above so many unused pages it is worth its while to leave them out. */
const FREE_PAGES = 256;
/** Below this the pages are copied in memory and written aside, a fraction of the time that SQLite's own way holds the loop. */
const IN_MEMORY_LIMIT_BYTES = 256 * MIB;
const ROLLBACK_JOURNAL = 1;

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
  // The two versions of the file format, in SQLite's head: the write-ahead log is no part of the image.
  image[18] = image[19] = ROLLBACK_JOURNAL;
  try {
    await writeFile(path, image);
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  }
}
