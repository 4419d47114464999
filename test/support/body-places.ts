/** The places of a request body, derived from the schema of its endpoint. */
import type { TSchema } from '@sinclair/typebox';

export type Path = readonly (string | number)[];

/** Yields each place of a body that a schema names, and one member of each free object. */
export function* placesOf(schema: TSchema, path: Path = []): Generator<Path, void, void> {
  yield path;
  for (const choice of (schema['anyOf'] ?? []) as TSchema[]) yield* placesOf(choice, path);
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)) {
    yield* placesOf(member, [...path, name]);
  }
  if (schema['items']) yield* placesOf(schema['items'] as TSchema, [...path, 0]);
  if (schema['patternProperties'] || (schema['type'] === 'object' && !schema['properties'])) {
    yield [...path, 'custom.some'];
  }
}

/** Returns the body with `put` at a place. It replaces the previous value. */
export function withAt(value: unknown, [first, ...rest]: Path, put: unknown): unknown {
  if (first === undefined) return put;
  if (typeof first === 'number') return [withAt(Array.isArray(value) ? value[0] : undefined, rest, put)];
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...members, [first]: withAt((members as Record<string, unknown>)[first], rest, put) };
}

/** Returns the value at a place of the body, or undefined when there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
}

/** Returns the schemas of a place. Members of free objects have none. */
export function schemasAt(schema: TSchema, path: Path): readonly TSchema[] {
  const [first, ...rest] = path;
  const choices = [schema, ...((schema['anyOf'] ?? []) as TSchema[])];
  if (first === undefined) return choices;
  return choices.flatMap((choice) => {
    const members = (choice['properties'] ?? {}) as Record<string, TSchema>;
    const within = typeof first === 'number' ? (choice['items'] as TSchema | undefined) : members[first];
    return within ? schemasAt(within, rest) : [];
  });
}
