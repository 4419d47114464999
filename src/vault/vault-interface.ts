/**
 * The interface of the vault for the rest of the service; vault.ts creates it (docs/architecture.md#vault, contract
 * §0.11, §1).
 */
import type { ChangeSource } from '../nouns/vault/facts.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Database } from '../storage/database.ts';
import type { AttributeName, Attributes } from './attributes.ts';
import type { StoredValue, NewVault, VaultEntity } from './reader.ts';
import type { FileListener, OpenFile, StoredFile } from './files/index.ts';
import type { FingerprintSpace } from './fingerprints.ts';
import type { IdentifierReference } from './identifiers/index.ts';
import type { EntityRecords } from './entity-records.ts';
import type { SealedKey } from './keyring/index.ts';
import type { MaskedValue } from './masked.ts';
import type { Writer } from './access-entry.ts';

export type VaultChanges = ReadonlyMap<string, JsonValue>;

export interface ValueOptions {
  /** Whether this request skips the card checksum (contract §0.7). */
  readonly skipLuhn: boolean;
}

export interface WriteOptions extends ValueOptions {
  /**
   * Without permission to write an identifier it replaces and deletes no stored value; without permission to decrypt it,
   * the result doesn't depend on the stored value.
   */
  readonly by: Writer;
  /** The source of the change; a call by default. */
  readonly source?: ChangeSource;
}

/** A change to check. */
export interface PlannedChange extends WriteOptions {
  readonly changes: VaultChanges;
  /** The canonical identifiers of files. */
  readonly uploads?: readonly string[];
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

export interface VaultNames {
  readonly stored: string[];
  readonly present: string[];
  readonly ever: string[];
}

export interface MaskedPage {
  readonly values: readonly MaskedValue[];
  readonly count: number;
  /** The name after which the next page starts; undefined on the last one. */
  readonly next: string | undefined;
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
  /** The sorted names of the values stored as of `version`, of those present, and of all ever stored by it; in slices. */
  namesInTurns(database: Database, entity: VaultEntity, version: number): Promise<VaultNames>;
  /** `present` for all names, in slices. */
  presentInTurns(database: Database, entity: VaultEntity, version: number): Promise<string[]>;
  /** Those of the identifiers that are present, masked by the rules of contract §1.2. */
  masked(database: Database, entity: VaultEntity, identifiers: readonly string[]): MaskedValue[];
  /**
   * At most `limit` of the present values after the name `after`, masked and sorted by name, and the number of all. Works
   * in slices: a value whose history is destroyed meanwhile is left out.
   */
  maskedPage(
    database: Database,
    entity: VaultEntity,
    page: { after: string | undefined; limit: number },
  ): Promise<MaskedPage>;
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
  ): {
    found: number[];
    identifiers: string[];
    /** Call it before naming one that was found. Throws `vault_damaged` when it doesn't have the text. */
    confirm: (entity: VaultEntity) => void;
  };
  /** The same, separately for each kind of value that the text could be. */
  searchBy(
    database: Database,
    space: FingerprintSpace,
    text: string,
  ): {
    readonly kind: string;
    readonly found: readonly number[];
    /** As that of `search`, for this kind. */
    readonly confirm: (entity: VaultEntity) => void;
  }[];
  /** The blind indexes of a kind, made anew from the opened values of the entity's slots: digests in hex. */
  fingerprintsOf(database: Database, entity: VaultEntity, kind: string): ReadonlySet<string>;
}

export interface Vault extends VaultReads {
  /** Throws T120. */
  draft(entity: NewVault, request: { changes: VaultChanges } & ValueOptions): VaultDraft;
  /**
   * Writes and deletes in one step; returns the resulting version. Throws `permission_denied` and T120, and then changes
   * nothing.
   */
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
  /** Runs the checks of `store` against the current state and stores nothing. */
  validate(database: Database, entity: VaultEntity, request: PlannedChange): void;
  /**
   * Deletes by name, including derived values. `purge` also destroys earlier versions; `released` names their files, to
   * be discarded after the commit.
   */
  remove(
    database: Database,
    entity: VaultEntity,
    request: { fields: readonly string[] | 'all'; purge: boolean },
  ): { answer: Record<string, boolean>; version: number; released: string[] };
  /**
   * The last job of a deletion of everything whose rows were written ahead (values-ahead.ts): makes them the current
   * version, which it returns. `names`: those of all stored values.
   */
  endRemoval(database: Database, entity: VaultEntity, names: readonly string[]): number;
  /** Destroys the versions of these values up to `version`; returns the files to be discarded after the commit. */
  purge(database: Database, entity: VaultEntity, names: Iterable<string>, version: number): string[];
  /** Seals a file to disk as a stream; leaves nothing behind on failure. */
  sealFile(upload: { contentType: string; content: AsyncIterable<Uint8Array> }): Promise<StoredFile>;
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
