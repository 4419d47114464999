import { isJsonObject, type JsonValue } from '../kernel/json.ts';

/** The first byte of a plaintext says how to read the rest. */
const TEXT = 0x74;
const JSON_TEXT = 0x6a;

/** The bytes that are sealed for a value: a string as UTF-8, anything else as compact JSON. */
export function encodeValue(value: JsonValue): Uint8Array {
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(1 + Buffer.byteLength(text));
  bytes[0] = isText ? TEXT : JSON_TEXT;
  bytes.write(text, 1);
  return bytes;
}

/** The value back, with the JSON type it was stored with. */
export function decodeValue(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1).toString('utf8');
  return bytes[0] === TEXT ? text : (JSON.parse(text) as JsonValue);
}

/** The stored form that integrity hashes are made of: text as it is, other values as compact JSON (contract §2.8). */
export function storedText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether two values are the same JSON, members in the same order. */
export function isSameValue(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  const isCompound = (value: JsonValue) => Array.isArray(value) || isJsonObject(value);
  return isCompound(one) && isCompound(other) && JSON.stringify(one) === JSON.stringify(other);
}
