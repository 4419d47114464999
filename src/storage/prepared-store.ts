/** A store that a snapshot is to become: a migrated copy of it, in a file of its own until it takes the store's place. */
import { openDatabase, type Database } from './database.ts';
import { translated } from './snapshot-file.ts';

export interface PreparedStore {
  readonly path: string;
  readonly database: Database;
  /** Closes it: the file then holds all of it, and is one. */
  close(): void;
}

/** Above so many unused pages the file is written anew without them. */
const FREE_PAGES = 256;

/** Opens a copy of a snapshot, migrates it and takes out what only snapshots have. */
export function prepareStore(path: string): PreparedStore {
  const database = translated(() => openDatabase(path));
  try {
    translated(() => {
      // Of what is dropped nothing is left behind: the file is written anew where that was much.
      database.exec('DROP TABLE snapshot_files; DROP TABLE snapshot_info');
      if ((database.pragma('freelist_count', { simple: true }) as number) > FREE_PAGES)
        database.exec('VACUUM');
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    path,
    database,
    close() {
      if (!database.open) return;
      try {
        // The one form that can also be opened from memory.
        translated(() => void database.pragma('journal_mode = DELETE'));
      } finally {
        database.close();
      }
    },
  };
}
