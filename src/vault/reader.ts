/**
 * One vault as of one version. Opens a value when it is asked for and keeps it for the length of the request, so
 * that validation, derived values and fingerprints of one request open nothing twice.
 */
import type { JsonValue } from '../kernel/json.ts';
import { decodeValue, encodeValue } from './encoding.ts';
import { derivedKey, open, seal } from './envelope.ts';
import type { Fingerprint } from './fingerprints.ts';
import { readingOf, type VaultState } from './identifiers/index.ts';
import type { ValueRow } from './repository.ts';

/** What the vault knows of an entity before it has a row. */
export interface NewVault {
  readonly fp_id: string;
  readonly kind: 'user' | 'business';
  readonly tenant: string;
  readonly environment: 'sandbox' | 'live';
}

/** The part of an entity row that the vault works with. */
export interface VaultEntity extends NewVault {
  /** Row id. */
  readonly id: number;
  readonly vault_version: number;
  /** JSON map of blind indexes by slot. */
  readonly fingerprints: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

interface Place {
  readonly fp_id: string;
  readonly identifier: string;
  readonly version: number;
}

/** The key of one value: no other row, version or entity has it (DESIGN §5). */
function valueKey(entityKey: Uint8Array, { fp_id, identifier, version }: Place): Uint8Array {
  return derivedKey(entityKey, 'value', fp_id, identifier, String(version));
}

export function sealValue(entityKey: Uint8Array, place: Place, value: JsonValue): Uint8Array {
  return seal(valueKey(entityKey, place), encodeValue(value));
}

export interface VaultReader extends VaultState {
  /** The value, stored or derived; undefined when absent. Throws `vault_damaged`. */
  resolve(identifier: string): JsonValue | undefined;
  /** Tells the reader what has been written, so that it reads the state after. */
  put(identifier: string, value: JsonValue | undefined): void;
}

export function createReader(source: {
  fp_id: string;
  entityKey: () => Uint8Array;
  /** The row of an identifier that counts in the state that is read, a deletion included. */
  findValue: (identifier: string) => ValueRow | undefined;
  fingerprint: Fingerprint;
}): VaultReader {
  const rows = new Map<string, ValueRow | undefined>();
  const values = new Map<string, JsonValue | undefined>();

  function rowOf(identifier: string): ValueRow | undefined {
    if (!rows.has(identifier)) rows.set(identifier, source.findValue(identifier));
    return rows.get(identifier);
  }

  function isStored(identifier: string): boolean {
    if (values.has(identifier)) return values.get(identifier) !== undefined;
    return (rowOf(identifier)?.sealed ?? null) !== null;
  }

  function read(identifier: string): JsonValue | undefined {
    if (values.has(identifier)) return values.get(identifier);
    const row = rowOf(identifier);
    let value: JsonValue | undefined;
    if (row?.sealed) {
      const key = valueKey(source.entityKey(), { fp_id: source.fp_id, identifier, version: row.version });
      value = decodeValue(open(key, row.sealed));
    }
    values.set(identifier, value);
    return value;
  }

  const derive = {
    fingerprint: (kind: string, of: readonly string[]) => source.fingerprint(kind, of).toString('hex'),
  };

  return {
    isStored,
    read,
    put: (identifier, value) => void values.set(identifier, value),
    resolve(identifier) {
      const reading = readingOf(identifier, isStored);
      if (!reading) return undefined;
      const parts: JsonValue[] = [];
      for (const name of reading.sources) {
        const part = read(name);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      return reading.compute ? reading.compute(parts, derive) : parts[0];
    },
  };
}

/** The text of an identifier, stored or derived; undefined when it is absent or no text. */
export function textOf(reader: VaultReader): (identifier: string) => string | undefined {
  return (identifier) => {
    const value = reader.resolve(identifier);
    return typeof value === 'string' ? value : undefined;
  };
}
