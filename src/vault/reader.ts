/**
 * One vault as of one version. Opens a value when it is asked for and keeps it for the length of the request, so
 * that validation, derived values and fingerprints of one request open nothing twice.
 */
import type { JsonValue } from '../kernel/json.ts';
import type { Database } from '../storage/database.ts';
import { decodeValue } from './encoding.ts';
import { derivedKey, open } from './envelope.ts';
import { readingOf, type VaultState } from './identifiers/index.ts';
import { findValue } from './repository.ts';

/** The part of an entity row that the vault works with. */
export interface VaultEntity {
  /** Row id. */
  readonly id: number;
  readonly fp_id: string;
  readonly kind: 'user' | 'business';
  readonly tenant: string;
  readonly environment: 'sandbox' | 'live';
  readonly vault_version: number;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

/** The key of one value: no other row, version or entity has it (DESIGN §5). */
export function valueKey(
  entityKey: Uint8Array,
  place: { fp_id: string; identifier: string; version: number },
): Uint8Array {
  return derivedKey(entityKey, 'value', place.fp_id, place.identifier, String(place.version));
}

export interface VaultReader extends VaultState {
  /** The value, stored or derived; undefined when absent. Throws `vault_damaged`. */
  resolve(identifier: string): JsonValue | undefined;
  /** Tells the reader what has been written, so that it reads the state after. */
  put(identifier: string, value: JsonValue | undefined): void;
}

export type Fingerprint = (kind: string, parts: readonly string[]) => Uint8Array;

export function createReader(source: {
  database: Database;
  entity: VaultEntity;
  entityKey: () => Uint8Array;
  version: number;
  fingerprint: Fingerprint;
  /** A vault that was just made: nothing is looked up. */
  isNew?: boolean;
}): VaultReader {
  const { database, entity, version } = source;
  const sealedValues = new Map<string, { version: number; sealed: Uint8Array } | undefined>();
  const values = new Map<string, JsonValue | undefined>();

  function sealedOf(identifier: string) {
    if (source.isNew) return undefined;
    if (!sealedValues.has(identifier)) {
      const row = findValue(database, { entity: entity.id, identifier, version });
      sealedValues.set(identifier, row?.sealed ? { version: row.version, sealed: row.sealed } : undefined);
    }
    return sealedValues.get(identifier);
  }

  const reader: VaultReader = {
    isStored: (identifier) =>
      values.has(identifier) ? values.get(identifier) !== undefined : sealedOf(identifier) !== undefined,
    read(identifier) {
      if (values.has(identifier)) return values.get(identifier);
      const row = sealedOf(identifier);
      const value =
        row &&
        decodeValue(
          open(
            valueKey(source.entityKey(), { fp_id: entity.fp_id, identifier, version: row.version }),
            row.sealed,
          ),
        );
      values.set(identifier, value);
      return value;
    },
    put: (identifier, value) => void values.set(identifier, value),
    resolve(identifier) {
      const reading = readingOf(identifier, reader.isStored);
      if (!reading) return undefined;
      const parts: JsonValue[] = [];
      for (const name of reading.sources) {
        const part = reader.read(name);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      if (!reading.compute) return parts[0];
      const fingerprint = (kind: string, of: readonly string[]) =>
        Buffer.from(source.fingerprint(kind, of)).toString('hex');
      return reading.compute(parts, { fingerprint });
    },
  };
  return reader;
}
