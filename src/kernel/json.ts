/** Any JSON value. Custom vault values keep their JSON type (contract §1.4). */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };

/** Whether the value is a JSON object; false for null and lists. */
export function isJsonObject(value: unknown): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
