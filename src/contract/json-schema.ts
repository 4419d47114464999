import type { TSchema } from '@sinclair/typebox';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** TypeBox schemas are JSON Schema and symbols; a document takes the JSON Schema, in words that others know. */
export function plain(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema, inStandardWords)) as JsonSchema;
}

/** The format `ip` is ours: either of two formats of the standard. */
function inStandardWords(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { format, ...rest } = value as { format?: unknown };
  if (format !== 'ip') return value;
  return { ...rest, anyOf: ['ipv4', 'ipv6'].map((version) => ({ type: 'string', format: version })) };
}

/** Whether a body is bytes that stream, and no JSON. */
export function isFile(schema: JsonSchema): boolean {
  return schema['format'] === 'binary';
}
