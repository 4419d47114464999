/** Any JSON value. Custom vault values keep their JSON type (contract §1.4). */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };

/** Text that JSON writes as it is: ASCII without quotes, backslashes and control characters. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The text as JSON, as `JSON.stringify` writes it. Most texts of the service itself need no escape. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Whether the value is a JSON object; false for null and lists. */
export function isJsonObject(value: unknown): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
