/** Reads query and headers by the schemas of the contract. */
import type { TSchema } from '@sinclair/typebox';
import { nulIn } from '../contract/nul.ts';
import { requireValid } from '../contract/validity.ts';
import { ServiceError } from '../kernel/errors.ts';
import { withoutCredentials } from '../kernel/ids.ts';
import { nearest } from '../kernel/nearest.ts';

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
      const form = isCommaList(expected) ? `: separate several with commas, as in ${name}=a,b` : '';
      throw new ServiceError('invalid_request', `Query parameter ${name} is given more than once${form}`);
    }
    if (text.includes('\0')) throw nulIn(`Query parameter ${name}`);
    values[name] = typed(expected, text);
  }
  requireValid(schema, values, 'Query parameter');
  return values;
}

function isCommaList({ description }: TSchema): boolean {
  return description?.includes('comma') === true;
}

const LISTED_PARAMETERS = 5;
/** `fields[]` and `fields[0]`, as clients write lists. */
const IN_BRACKETS = /^([a-z_]{1,32})\[\d{0,3}\]$/;
const SHOWN_PARAMETER = /^[a-z_-]{1,32}$/i;

/**
 * A hint for each query parameter that is ignored (contract §0.8): a client that writes a list in another form would
 * otherwise get everything without a word. Shows only names that can't be a value.
 */
export function ignoredParameters(schema: TSchema | undefined, names: Iterable<string>): string[] {
  const known = (schema?.['properties'] ?? {}) as Record<string, TSchema>;
  const unknown = [...new Set(names)].filter((name) => name !== '' && !Object.hasOwn(known, name));
  const hints = unknown.map((name) => {
    const list = IN_BRACKETS.exec(name)?.[1] ?? '';
    const expected = Object.hasOwn(known, list) ? known[list] : undefined;
    if (expected) {
      const form = isCommaList(expected) ? `${list}=a,b, with commas` : `${list}=`;
      return `Query parameter ${name} is ignored: send ${form}`;
    }
    const near = nearest(name, Object.keys(known));
    const shown = SHOWN_PARAMETER.test(name) ? withoutCredentials(name) : '***';
    return `Query parameter ${shown} is unknown here and ignored${near === undefined ? '' : `: did you mean ${near}?`}`;
  });
  return [...new Set(hints)].slice(0, LISTED_PARAMETERS);
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
