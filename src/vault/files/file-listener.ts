import type { Database } from '../../storage/database.ts';
import type { VaultEntity } from '../reader.ts';

/** Told of an entity's files within the write job that changes them; names are canonical. */
export interface FileListener {
  /** `version` is the vault version that stores it; `at` epoch milliseconds. */
  stored(
    database: Database,
    entity: VaultEntity,
    file: { identifier: string; version: number; at: number },
  ): void;
  /** The current file is gone: deleted, or replaced by a value that is no file. Earlier versions stay. */
  removed(database: Database, entity: VaultEntity, file: { identifier: string; version: number }): void;
  /** Every version of the identifier is gone. */
  purged(database: Database, entity: VaultEntity, identifier: string): void;
}
