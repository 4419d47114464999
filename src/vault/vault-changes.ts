/** Changes of a vault, and how they are stored (docs/architecture.md#vault, contract §0.11). vault.ts decides them. */
import type { ChangeSource } from '../nouns/vault/facts.ts';
import type { JsonValue } from '../kernel/text/json.ts';
import type { Database } from '../storage/database.ts';
import type { Writer } from './access-entry.ts';
import { unlessDamaged } from './envelope.ts';
import { StoredFile, type FileListener } from './files/index.ts';
import {
  refreshedFingerprints,
  storeFingerprints,
  type Fingerprint,
  type FingerprintMap,
} from './fingerprints.ts';
import { mayBeFile } from './identifiers/index.ts';
import type { SealedKey } from './keyring/index.ts';
import {
  fingerprintedText,
  isSameValue,
  sealValue,
  type StoredValue,
  type VaultEntity,
  type VaultReader,
} from './reader.ts';
import { insertFile, insertValues, isFileVersion, updateVault } from './repository.ts';
import { dropAhead } from './values-ahead.ts';
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

// Stores the results of a write or a deletion as one version: values, tombstones, files and blind indexes.

export interface StoredChanges {
  readonly set: readonly { readonly identifier: string; readonly value: StoredValue }[];
  readonly remove: readonly string[];
}

interface ChangeContext {
  readonly reader: VaultReader;
  readonly entityKey: Uint8Array;
  readonly fingerprint: Fingerprint;
  /** Whether the result may depend on the stored value: an equal one is then no change. */
  readonly mayCompare: (identifier: string) => boolean;
  readonly listener: FileListener;
  /** Called once everything is stored, with canonical names. */
  readonly changed: (identifiers: readonly string[], version: number) => void;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Stores the changes as the next version, or nothing if there are none; returns the resulting version. */
export function applyChanges(
  database: Database,
  entity: VaultEntity,
  changes: StoredChanges,
  { reader, entityKey, fingerprint, mayCompare, listener, changed: report, now }: ChangeContext,
): number {
  const set = changes.set.filter(({ identifier, value }) => {
    if (!mayCompare(identifier)) return true;
    // A damaged value counts as different, so that overwriting it repairs it.
    const current = unlessDamaged(() => reader.read(identifier));
    return current === undefined || !isSameValue(current, value);
  });
  const remove = changes.remove.filter((identifier) => reader.isStored(identifier));
  if (set.length + remove.length === 0) return entity.vault_version;

  dropAhead(database, entity);
  const version = entity.vault_version + 1;
  const values: { identifier: string; sealed: Uint8Array | null }[] = [];
  for (const { identifier, value } of set) {
    if (value instanceof StoredFile) {
      insertFile(database, { name: value.blob, entity: entity.id, identifier, version });
      listener.stored(database, entity, { identifier, version, at: now });
    } else noteRemoved(identifier);
    const sealed = sealValue(entityKey, { fp_id: entity.fp_id, identifier, version }, value);
    values.push({ identifier, sealed });
    reader.put(identifier, value);
  }
  for (const identifier of remove) {
    noteRemoved(identifier);
    values.push({ identifier, sealed: null });
    reader.put(identifier, undefined);
  }
  insertValues(database, { entity: entity.id, version, created_at: now }, values);
  const changed = [...set.map(({ identifier }) => identifier), ...remove];
  storeVersion(database, entity, { version, changed, read: fingerprintedText(reader), fingerprint, now });
  report(changed, version);
  return version;

  /** Checks the row, not the value, so that a file with a damaged descriptor is removed, too. */
  function noteRemoved(identifier: string): void {
    if (!mayBeFile(identifier)) return;
    const current = reader.rowOf(identifier)?.version;
    if (current === undefined) return;
    const file = { identifier, version: current };
    if (isFileVersion(database, { entity: entity.id, ...file })) listener.removed(database, entity, file);
  }
}

/** Makes `version` the current one, with the fingerprints of the changed values. */
export function storeVersion(
  database: Database,
  entity: VaultEntity,
  {
    version,
    changed,
    read,
    fingerprint,
    now,
  }: {
    readonly version: number;
    readonly changed: readonly string[];
    readonly read: (identifier: string) => string | undefined;
    readonly fingerprint: Fingerprint;
    readonly now: number;
  },
): void {
  const before = JSON.parse(entity.fingerprints) as FingerprintMap;
  const after = refreshedFingerprints(before, { changed, read, fingerprint });
  storeFingerprints(database, entity.id, { before, after });
  updateVault(database, { entity: entity.id, version, fingerprints: JSON.stringify(after), updated_at: now });
}
