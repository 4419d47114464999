import type { Database } from '../../storage/database.ts';

/** The entity that a file belongs to. */
export interface FileOwner {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
}

/** Called within the write job that changes an entity's files; names are canonical. */
export interface FileListener {
  /** `version` is the vault version with the file; `at` is in epoch milliseconds. */
  stored(
    database: Database,
    owner: FileOwner,
    file: { identifier: string; version: number; at: number },
  ): void;
  /** The current file was deleted, or replaced by a value that is no file. Earlier versions remain. */
  removed(database: Database, owner: FileOwner, file: { identifier: string; version: number }): void;
  /** Every version of the identifier was destroyed. */
  purged(database: Database, owner: FileOwner, identifier: string): void;
}
