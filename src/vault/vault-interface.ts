/** What the vault is to the rest of the service; vault.ts makes it (docs/architecture.md#vault, contract §0.11, §1). */
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

export type Changes = ReadonlyMap<string, JsonValue>;

export interface WriteOptions {
  /** Whether the card checksum is skipped in this request (contract §0.7). */
  readonly skipLuhn: boolean;
  /** Where it comes from: a call unless said otherwise. */
  readonly source?: ChangeSource;
}

export type { ChangeSource };

/** Called within the write jobs that change an existing vault. */
export interface VaultListener {
  readonly files: FileListener;
  /** What was written and deleted, under canonical names; the entity is the row as it was before. */
  changed(
    database: Database,
    entity: VaultEntity,
    change: { identifiers: readonly string[]; version: number; source: ChangeSource },
  ): void;
}

/** The first data of an entity that has no row yet: checked and sealed before the write job, stored within it. */
export interface VaultDraft {
  readonly version: number;
  /** For the entity's row. */
  readonly fingerprints: string;
  /** The entity key, sealed for the row under the root key of the moment. */
  sealedKey(): SealedKey;
  /** Stores the values of the row with this id. */
  store(database: Database, entity: number): void;
}

/** What reads and changes nothing. */
export interface VaultReads {
  /** Names of what is present as of `version`, derived included, sorted; or which of `fields` are, aliases too. */
  present(database: Database, entity: VaultEntity, version: number, fields?: readonly string[]): string[];
  /** Whether an identifier is present as of `version`, derived ones and aliases too: for many questions, one look. */
  presence(database: Database, entity: VaultEntity, version: number): (identifier: string) => boolean;
  /** Its bytes, each chunk verified before it is released. Throws `vault_damaged`. */
  openFile(file: StoredFile): Promise<OpenFile>;
  /** What was set so; undefined when it wasn't, or was taken away. */
  attribute(database: Database, entity: VaultEntity, name: AttributeName): string | undefined;
  /** Values by reference (`<identifier>` or `<identifier>:<version>`); undefined where absent. */
  reveal(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; version: number },
  ): Map<string, StoredValue | undefined>;
  /**
   * Hex HMAC-SHA256 of the stored form of each reference, as of the version that `entity` has; undefined where absent
   * (contract §2.8). A few at a time: others have their turns. Throws `invalid_request` for files over 512 MiB
   * together.
   */
  integrity(
    database: Database,
    entity: VaultEntity,
    request: { references: readonly IdentifierReference[]; signingKey: Uint8Array },
  ): Promise<Map<string, string | undefined>>;
  /** What is there, masked by the rules of contract §1.2; only the named identifiers when they are given. */
  masked(database: Database, entity: VaultEntity, only?: readonly string[]): MaskedValue[];
  /** The version that was current at `time` (epoch milliseconds). */
  versionAt(database: Database, entity: VaultEntity, time: number): number;
  /** Row ids of the entities of a space that hold `text` under a searchable identifier, and which it could be. */
  search(
    database: Database,
    space: FingerprintSpace,
    text: string,
  ): { found: number[]; identifiers: string[] };
  /** The same for each kind of value that the text could be. */
  searchBy(
    database: Database,
    space: FingerprintSpace,
    text: string,
  ): { readonly kind: string; readonly found: readonly number[] }[];
}

export interface Vault extends VaultReads {
  /** Throws T120. */
  draft(entity: NewVault, request: { changes: Changes } & WriteOptions): VaultDraft;
  /** Writes and deletes together; returns the version after. Throws T120 and changes nothing then. */
  write(database: Database, entity: VaultEntity, request: { changes: Changes } & WriteOptions): number;
  /**
   * The same with sealed files beside, by canonical identifiers that `changes` has none of: one version for all. The
   * caller has judged whether these take files, and discards them when this throws.
   */
  store(
    database: Database,
    entity: VaultEntity,
    request: { changes: Changes; files: ReadonlyMap<string, StoredFile> } & WriteOptions,
  ): number;
  /** The checks of `write` against the current state, nothing stored. */
  validate(database: Database, entity: VaultEntity, request: { changes: Changes } & WriteOptions): void;
  /**
   * Deletes by name, with what derives from it. `purge` also destroys earlier versions; `released` names their files,
   * to be discarded after the commit.
   */
  remove(
    database: Database,
    entity: VaultEntity,
    request: { fields: readonly string[] | 'all'; purge: boolean },
  ): { answer: Record<string, boolean>; version: number; released: string[] };
  /** Seals a file to disk while it streams in; nothing is left of it when that fails. */
  sealFile(upload: { contentType: string; content: AsyncIterable<Uint8Array> }): Promise<StoredFile>;
  /** Stores a sealed file as the next version of a canonical identifier; returns the version after. */
  attach(database: Database, entity: VaultEntity, file: { identifier: string; file: StoredFile }): number;
  /** Removes sealed files that no row refers to any longer. */
  discard(names: Iterable<string>): Promise<void>;
  /** Removes whatever a process that ended in the middle left behind; before anything is uploaded. */
  sweepFiles(database: Database): Promise<void>;
  /** Sets what a browser or device would report about the entity; null takes it away. */
  setAttributes(database: Database, entity: VaultEntity, attributes: Attributes): void;
  /**
   * Seals what belongs to the entity and is no data of its vault. For the length of a request: an entity that is
   * deleted meanwhile takes its key along, and what was sealed then never opens.
   */
  records(entity: VaultEntity): EntityRecords;
  /** Takes back what stands outside the entity's rows, in the job that deletes them; returns the files to discard. */
  forget(database: Database, entity: VaultEntity): string[];
  /** The same for all entities of the store, whose rows are deleted together. */
  forgetAll(database: Database): string[];
}
