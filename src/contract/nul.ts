/**
 * No text of a request may contain a NUL (contract §0.8), since SQLite in Node 22 cuts a text there when it reads it.
 * This applies to every text that a schema names. Free objects are vault values or stored as JSON, where a NUL is an
 * escape.
 */
import type { TSchema } from '@sinclair/typebox';
import { type ServiceError, invalid } from '../kernel/errors.ts';
import { isJsonObject } from '../kernel/text/json.ts';

const NUL = '\0';

/** Throws `invalid_request` naming the members; `value` must fit its schema. */
export function requireNoNul(schema: TSchema, value: unknown): void {
  const found = [...membersWithNul([schema], value, '')];
  if (found.length > 0) throw nulIn(found.join(', '));
}

/** `where`: the member or parameter, by the name that its sender uses. */
export function nulIn(where: string): ServiceError {
  return invalid(`${where} must not hold a NUL character (U+0000)`);
}

function* membersWithNul(
  schemas: readonly TSchema[],
  value: unknown,
  name: string,
): Generator<string, void, void> {
  const fitting = schemas.flatMap((schema) => [
    schema,
    ...((schema['anyOf'] as TSchema[] | undefined) ?? []),
  ]);
  if (typeof value === 'string') {
    if (value.includes(NUL) && fitting.some(({ type }) => type === 'string')) yield name;
  } else if (Array.isArray(value)) {
    const items = fitting.flatMap(({ items: each }) => (each === undefined ? [] : [each as TSchema]));
    for (const [index, item] of value.entries()) yield* membersWithNul(items, item, `${name}[${index}]`);
  } else if (isJsonObject(value)) {
    for (const [member, held] of Object.entries(value)) {
      const declared = fitting.flatMap(({ properties }) => {
        const known = (properties ?? {}) as Record<string, TSchema>;
        const own = Object.hasOwn(known, member) ? known[member] : undefined;
        return own ? [own] : [];
      });
      if (declared.length > 0)
        yield* membersWithNul(declared, held, name === '' ? member : `${name}.${member}`);
    }
  }
}
