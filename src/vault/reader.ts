/**
 * Reads one vault in one version. Opens a value on demand and keeps it for the request, so that validation, derived
 * values and fingerprints of one request open nothing twice.
 */
import type { EntityKind, Environment } from '../nouns/entities/facts.ts';
import { jsonText, type JsonValue, parseJson } from '../kernel/text/json.ts';
import { derivedKey, openAs, seal } from './envelope.ts';
import { decodeFile, encodeFile, StoredFile } from './files/index.ts';
import type { Fingerprint } from './fingerprints.ts';
import { readingOf, type VaultState } from './identifiers/index.ts';
import type { ValueRow } from './repository.ts';

export type StoredValue = JsonValue | StoredFile;

/** The first byte of a plaintext is its encoding. */
const TEXT = 0x74;
const JSON_TEXT = 0x6a;
const FILE = 0x66;

/** The plaintext of a value: a string as UTF-8, other JSON in compact form, a file as its descriptor. */
export function encodeValue(value: StoredValue): Buffer {
  if (value instanceof StoredFile) return Buffer.concat([Uint8Array.of(FILE), encodeFile(value)]);
  const isText = typeof value === 'string';
  const text = isText ? value : jsonText(value);
  const bytes = Buffer.allocUnsafeSlow(1 + Buffer.byteLength(text));
  bytes[0] = isText ? TEXT : JSON_TEXT;
  bytes.write(text, 1);
  return bytes;
}

/** Decodes the value that is `bytes` from `start` to `end`, with its original JSON type. Keeps none of the bytes. */
export function decodeValue(bytes: Buffer, start = 0, end = bytes.length): StoredValue {
  const encoding = bytes[start];
  if (encoding === FILE) return decodeFile(bytes.subarray(start + 1, end));
  const text = bytes.toString('utf8', start + 1, end);
  return encoding === TEXT ? text : parseJson(text);
}

/** The stored form for integrity hashes: text as it is, other values as compact JSON (contract §2.8). */
export function storedText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/**
 * Whether two values are the same JSON with members in the same order. Two files never are: each upload is a version.
 */
export function isSameValue(one: StoredValue, other: StoredValue): boolean {
  if (one instanceof StoredFile || other instanceof StoredFile) return false;
  if (one === other) return true;
  const isCompound = (value: JsonValue) => typeof value === 'object' && value !== null;
  return isCompound(one) && isCompound(other) && jsonText(one) === jsonText(other);
}

/** The properties of an entity that has no row yet. */
export interface NewVault {
  readonly fp_id: string;
  readonly kind: EntityKind;
  readonly tenant: string;
  readonly environment: Environment;
}

/** The part of an entity row that the vault uses. */
export interface VaultEntity extends NewVault {
  /** Row id. */
  readonly id: number;
  readonly vault_version: number;
  /** JSON map of blind indexes by slot. */
  readonly fingerprints: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

interface ValuePlace {
  readonly fp_id: string;
  readonly identifier: string;
  readonly version: number;
}

/** The key of one value, unique to its row, version and entity (docs/architecture.md#vault). */
export function valueKey(entityKey: Uint8Array, { fp_id, identifier, version }: ValuePlace): Uint8Array {
  return derivedKey(entityKey, 'value', fp_id, identifier, String(version));
}

export function sealValue(entityKey: Uint8Array, place: ValuePlace, value: StoredValue): Uint8Array {
  return seal(valueKey(entityKey, place), encodeValue(value));
}

export interface VaultReader extends VaultState {
  read(identifier: string): StoredValue | undefined;
  /** The row that last stored or deleted the value; undefined when it was never stored. */
  rowOf(identifier: string): ValueRow | undefined;
  /** The value, stored or derived; undefined when absent. Throws `vault_damaged`. */
  resolve(identifier: string): StoredValue | undefined;
  /** Records a written value, so that later reads return the new state. */
  put(identifier: string, value: StoredValue | undefined): void;
}

export function createReader(source: {
  /** The key of a stored value. */
  keyOf: (identifier: string, version: number) => Uint8Array;
  /** The row of an identifier in the state that is read; may be a deletion. */
  findValue: (identifier: string) => ValueRow | undefined;
  fingerprint: Fingerprint;
}): VaultReader {
  const known = new Map<string, Known>();

  function lookUp(identifier: string): Known {
    let found = known.get(identifier);
    if (!found) {
      const row = source.findValue(identifier);
      found = { row, isStored: (row?.sealed ?? null) !== null, isOpen: false, value: undefined };
      known.set(identifier, found);
    }
    return found;
  }

  const isStored = (identifier: string): boolean => lookUp(identifier).isStored;

  function read(identifier: string): StoredValue | undefined {
    const found = lookUp(identifier);
    if (!found.isOpen) {
      const { row } = found;
      if (row?.sealed) found.value = openAs(source.keyOf(identifier, row.version), row.sealed, decodeValue);
      found.isOpen = true;
    }
    return found.value;
  }

  const derive = {
    fingerprint: (kind: string, of: readonly string[]) => source.fingerprint(kind, of).toString('hex'),
  };

  return {
    isStored,
    read,
    rowOf: (identifier) => lookUp(identifier).row,
    put(identifier, value) {
      const found = lookUp(identifier);
      found.isStored = value !== undefined;
      found.isOpen = true;
      found.value = value;
    },
    resolve(identifier) {
      const reading = readingOf(identifier, isStored);
      if (!reading) return undefined;
      const parts: StoredValue[] = [];
      for (const name of reading.sources) {
        const part = read(name);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      const [first] = parts;
      if (reading.contentTypeOf) return first instanceof StoredFile ? first.contentType : undefined;
      return reading.compute ? reading.compute(parts.filter(isJson), derive) : first;
    },
  };
}

/** What a reader has found out about an identifier. */
interface Known {
  /** As it is in the store. */
  readonly row: ValueRow | undefined;
  isStored: boolean;
  isOpen: boolean;
  value: StoredValue | undefined;
}

function isJson(value: StoredValue): value is JsonValue {
  return !(value instanceof StoredFile);
}

/** The text of an identifier for fingerprints, stored or derived; for a file the SHA-256 of its bytes. */
export function fingerprintedText(reader: VaultReader): (identifier: string) => string | undefined {
  return (identifier) => {
    const value = reader.resolve(identifier);
    if (value instanceof StoredFile) return value.sha256;
    return typeof value === 'string' ? value : undefined;
  };
}
