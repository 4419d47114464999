import { isJsonObject, type JsonValue } from '../kernel/json.ts';

/** The first byte of a plaintext says how to read the rest. */
const TEXT = 0x74;
const JSON_TEXT = 0x6a;

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes that are sealed for a value: a string as UTF-8, anything else as compact JSON. */
export function encodeValue(value: JsonValue): Uint8Array {
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value);
  const bytes = new Uint8Array(1 + text.length * 3);
  bytes[0] = isText ? TEXT : JSON_TEXT;
  const { written } = utf8.encodeInto(text, bytes.subarray(1));
  return bytes.subarray(0, 1 + written);
}

/** The value back, with the JSON type it was stored with. */
export function decodeValue(bytes: Uint8Array): JsonValue {
  const text = fromUtf8.decode(bytes.subarray(1));
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
