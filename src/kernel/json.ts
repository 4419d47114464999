import { isUtf8 } from 'node:buffer';

/** Any JSON value. Custom vault values keep their JSON type (contract §1.4). */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };

/** Text that JSON writes as it is: ASCII without quotes, backslashes and control characters. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The text as JSON, as `JSON.stringify` writes it. Most texts of the service itself need no escape. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The text of a file without the byte order mark that editors and spreadsheets put before it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Whether the value is a JSON object; false for null and lists. */
export function isJsonObject(value: unknown): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * The JSON text that bytes from outside hold; undefined when they are no UTF-8. Windows programs begin a text with a
 * byte order mark, which RFC 8259 §8.1 lets a parser ignore.
 */
export function jsonTextOf(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Whether the text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
