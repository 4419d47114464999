import { jsonText, parseJson } from '../kernel/exact-number.ts';
import { isJsonObject, type JsonValue } from '../kernel/json.ts';
import { decodeFile, encodeFile, StoredFile } from './files/index.ts';

/** A value in a vault. */
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
  const isCompound = (value: JsonValue) => Array.isArray(value) || isJsonObject(value);
  return isCompound(one) && isCompound(other) && jsonText(one) === jsonText(other);
}
