import type { Database } from '../../storage/database.ts';

/** The entity that a file belongs to. */
export interface FileOwner {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
}

/** Called for an entity's files within the write job that changes them; names are canonical. */
export interface FileListener {
  /** `version` is the vault version that stores it; `at` epoch milliseconds. */
  stored(
    database: Database,
    owner: FileOwner,
    file: { identifier: string; version: number; at: number },
  ): void;
  /** The current file is gone: deleted, or replaced by a value that is no file. Earlier versions stay. */
  removed(database: Database, owner: FileOwner, file: { identifier: string; version: number }): void;
  /** Every version of the identifier is gone. */
  purged(database: Database, owner: FileOwner, identifier: string): void;
}
