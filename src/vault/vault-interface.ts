/**
 * The interface of the vault for the rest of the service; vault.ts creates it (docs/architecture.md#vault, contract
 * §0.11, §1).
 */
import type { ChangeSource } from '../contract/facts/vault.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Database } from '../storage/database.ts';
import type { AttributeName, Attributes } from './attributes.ts';
import type { StoredValue } from './encoding.ts';
import type { FileListener, OpenFile, StoredFile } from './files/index.ts';
import type { FingerprintSpace } from './fingerprints.ts';
import type { IdentifierReference } from './identifiers/index.ts';
import type { EntityRecords } from './entity-records.ts';
import type { SealedKey } from './keyring/index.ts';
import type { MaskedValue } from './masked.ts';
import type { NewVault, VaultEntity } from './reader.ts';

export type VaultChanges = ReadonlyMap<string, JsonValue>;

export interface WriteOptions {
  /** Whether this request skips the card checksum (contract §0.7). */
  readonly skipLuhn: boolean;
  /** The source of the change; a call by default. */
  readonly source?: ChangeSource;
}

export type { ChangeSource };

/** Called within the write jobs that change an existing vault. */
export interface VaultListener {
  readonly files: FileListener;
  /** The written and deleted values by canonical names; the entity is the row before the change. */
  changed(
    database: Database,
    entity: VaultEntity,
    change: { identifiers: readonly string[]; version: number; source: ChangeSource },
  ): void;
}

/** The first data of an entity without a row: checked and sealed before the write job, stored within it. */
export interface VaultDraft {
  readonly version: number;
  /** For the entity's row. */
  readonly fingerprints: string;
  /** The entity key, sealed for the row under the current root key. */
  sealedKey(): SealedKey;
  /** Stores the values of the row with this id. */
  store(database: Database, entity: number): void;
}

/** Operations that change nothing. */
export interface VaultReads {
  /**
   * Names of the values present as of `version`, including derived ones, sorted. With `fields`, those of them that are
   * present, including aliases.
   */
  present(database: Database, entity: VaultEntity, version: number, fields?: readonly string[]): string[];
  /**
   * Returns a function that says whether an identifier is present as of `version`, including derived ones and aliases.
   * It reads the vault once.
   */
  presence(database: Database, entity: VaultEntity, version: number): (identifier: string) => boolean;
  /** The bytes of the file, each chunk verified before it is released. Throws `vault_damaged`. */
  openFile(file: StoredFile): Promise<OpenFile>;
  /** The attribute; undefined when it isn't set, or was removed. */
  attribute(database: Database, entity: VaultEntity, name: AttributeName): string | undefined;
  /** Values by reference (`<identifier>` or `<identifier>:<version>`); undefined where absent. */
  reveal(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; version: number },
  ): Map<string, StoredValue | undefined>;
  /**
   * Hex HMAC-SHA256 of the stored form of each reference, in the version of `entity`; undefined where absent (contract
   * §2.8). Works on a few at a time and yields in between. Throws `invalid_request` when the files exceed 512 MiB
   * together.
   */
  integrity(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; signingKey: Uint8Array },
  ): Promise<Map<string, string | undefined>>;
  /** The present values, masked by the rules of contract §1.2, or only those of a given list. */
  masked(database: Database, entity: VaultEntity, only?: readonly string[]): MaskedValue[];
  /** The version that was current at `time` (epoch milliseconds). */
  versionAt(database: Database, entity: VaultEntity, time: number): number;
  /**
   * Row ids of the entities of a space that have `text` under a searchable identifier, and the identifiers that it
   * could be.
   */
  search(
    database: Database,
    space: FingerprintSpace,
    text: string,
  ): { found: number[]; identifiers: string[] };
  /** The same, separately for each kind of value that the text could be. */
  searchBy(
    database: Database,
    space: FingerprintSpace,
    text: string,
  ): { readonly kind: string; readonly found: readonly number[] }[];
}

export interface Vault extends VaultReads {
  /** Throws T120. */
  draft(entity: NewVault, request: { changes: VaultChanges } & WriteOptions): VaultDraft;
  /** Writes and deletes in one step; returns the resulting version. Throws T120, and then changes nothing. */
  write(database: Database, entity: VaultEntity, request: { changes: VaultChanges } & WriteOptions): number;
  /**
   * The same with sealed files in addition, by canonical identifiers that are not in `changes`, all in one version. The
   * caller has checked that these accept files, and discards the files when this throws.
   */
  store(
    database: Database,
    entity: VaultEntity,
    request: { changes: VaultChanges; files: ReadonlyMap<string, StoredFile> } & WriteOptions,
  ): number;
  /** Runs the checks of `write` against the current state and stores nothing. */
  validate(database: Database, entity: VaultEntity, request: { changes: VaultChanges } & WriteOptions): void;
  /**
   * Deletes by name, including derived values. `purge` also destroys earlier versions; `released` names their files, to
   * be discarded after the commit.
   */
  remove(
    database: Database,
    entity: VaultEntity,
    request: { fields: readonly string[] | 'all'; purge: boolean },
  ): { answer: Record<string, boolean>; version: number; released: string[] };
  /** Seals a file to disk as a stream; leaves nothing behind on failure. */
  sealFile(upload: { contentType: string; content: AsyncIterable<Uint8Array> }): Promise<StoredFile>;
  /** Stores a sealed file as the next version of a canonical identifier; returns the resulting version. */
  attach(database: Database, entity: VaultEntity, file: { identifier: string; file: StoredFile }): number;
  /** Removes sealed files that no row refers to any longer. */
  discard(names: Iterable<string>): Promise<void>;
  /** Removes files left behind by an interrupted process. Call it before anything is uploaded. */
  sweepFiles(database: Database): Promise<void>;
  /** Sets what a browser or device would report about the entity; null removes an attribute. */
  setAttributes(database: Database, entity: VaultEntity, attributes: Attributes): void;
  /**
   * Seals records of the entity outside of its vault. Use it within one request: deleting the entity destroys its key,
   * and records sealed afterwards never open.
   */
  records(entity: VaultEntity): EntityRecords;
  /** Removes data of the entity outside of its rows, in the job that deletes them; returns the files to discard. */
  forget(database: Database, entity: VaultEntity): string[];
  /** The same for all entities of the store, whose rows are deleted together. */
  forgetAll(database: Database): string[];
}
