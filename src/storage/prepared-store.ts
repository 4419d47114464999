/** A store in a file of its own that will replace the current one: a migrated copy of a snapshot, or an empty store. */
import { numberPragma, openBinding } from './binding.ts';
import { openDatabase, type Database } from './database.ts';
import { CURRENT_SCHEMA, translated } from './snapshot-file.ts';
import { writeImage } from './snapshot-image.ts';

export interface PreparedStore {
  readonly path: string;
  readonly database: Database;
  /** Closes the store; its content is then in a single file. */
  close(): void;
}

/** Above this number of unused pages the file is rewritten without them. */
const FREE_PAGES = 256;

/**
 * For a private file: on failure it is discarded, and on success it is synced later. So it needs no durability here.
 */
function openDraft(path: string): Database {
  const database = openBinding(path, { fileMustExist: true });
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('journal_mode = OFF');
    database.pragma('synchronous = OFF');
    database.pragma('secure_delete = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a copy of a snapshot with this `schema`, migrates it and removes the tables that only snapshots have. */
export function prepareStore(path: string, schema: number): PreparedStore {
  const database = translated(() => (schema < CURRENT_SCHEMA ? openDatabase(path) : openDraft(path)));
  try {
    translated(() => {
      // Dropped tables must leave no data behind: rewrite the file if they were large.
      database.exec('DROP TABLE snapshot_files; DROP TABLE snapshot_info');
      if (numberPragma(database, 'freelist_count') > FREE_PAGES) database.exec('VACUUM');
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return preparedAt(path, database);
}

/** Creates an empty store of the current schema in the empty file at `path`. Throws `storage_full`. */
export async function emptyStore(path: string): Promise<PreparedStore> {
  const blank = openDatabase(':memory:');
  try {
    await writeImage(blank, path);
  } finally {
    blank.close();
  }
  return preparedAt(path, openDraft(path));
}

function preparedAt(path: string, database: Database): PreparedStore {
  return {
    path,
    database,
    close() {
      if (!database.open) return;
      try {
        // The only journal mode that can also be opened from memory.
        translated(() => void database.pragma('journal_mode = DELETE'));
      } finally {
        database.close();
      }
    },
  };
}
