/** Reads query and headers by the schemas of the contract. */
import type { TSchema } from '@sinclair/typebox';
import { nulIn } from '../contract/nul.ts';
import { requireValid } from '../contract/validity.ts';
import { ServiceError } from '../kernel/errors.ts';

export { requireValid };

/** Converts the texts of a query to the types of their schema; unknown parameters are left out (contract §0.8). */
export function readQuery(
  schema: TSchema | undefined,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!schema) return values;
  for (const [name, expected] of Object.entries(schema['properties'] as Record<string, TSchema>)) {
    const text = query[name];
    // An empty parameter counts as absent.
    if (text === undefined || text === '') continue;
    if (typeof text !== 'string') {
      throw new ServiceError('invalid_request', `Query parameter ${name} is given more than once`);
    }
    if (text.includes('\0')) throw nulIn(`Query parameter ${name}`);
    values[name] = typed(expected, text);
  }
  requireValid(schema, values, 'Query parameter');
  return values;
}

/** A text that doesn't convert stays as it is: the schema check then says what it must be. */
function typed(schema: TSchema, text: string): unknown {
  if (schema['type'] === 'integer') return isExactInteger(text) ? Number(text) : text;
  if (schema['type'] === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function isExactInteger(text: string): boolean {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** The headers named by the schema, checked. */
export function readHeaders(
  schema: TSchema | undefined,
  headers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!schema) return values;
  for (const name of Object.keys(schema['properties'] as object)) {
    if (headers[name] !== undefined) values[name] = headers[name];
  }
  requireValid(schema, values, 'Header');
  return values;
}
