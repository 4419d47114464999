/**
 * A store that is to take the place of the one that is served, in a file of its own until then: a migrated copy of a
 * snapshot, or one that begins empty.
 */
import { numberPragma, openBinding } from './binding.ts';
import { openDatabase, type Database } from './database.ts';
import { CURRENT_SCHEMA, translated } from './snapshot-file.ts';
import { writeImage } from './snapshot-image.ts';

export interface PreparedStore {
  readonly path: string;
  readonly database: Database;
  /** Closes it: the file then holds all of it, and is one. */
  close(): void;
}

/** Above so many unused pages the file is written again without them. */
const FREE_PAGES = 256;

/** One that is up to date already and belongs to nobody: what fails is thrown away, what is done is synced later. */
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

/** Opens a copy of a snapshot of `schema`, migrates it and takes out what only snapshots have. */
export function prepareStore(path: string, schema: number): PreparedStore {
  const database = translated(() => (schema < CURRENT_SCHEMA ? openDatabase(path) : openDraft(path)));
  try {
    translated(() => {
      // Dropped tables must leave nothing behind: the file is written again where they were large.
      database.exec('DROP TABLE snapshot_files; DROP TABLE snapshot_info');
      if (numberPragma(database, 'freelist_count') > FREE_PAGES) database.exec('VACUUM');
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return preparedAt(path, database);
}

/** A store of now that holds nothing, in the empty file at `path`. Throws `storage_full`. */
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
        // The one form that can also be opened from memory.
        translated(() => void database.pragma('journal_mode = DELETE'));
      } finally {
        database.close();
      }
    },
  };
}
