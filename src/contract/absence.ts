/**
 * Members that count as absent (contract §0.8): an optional member that is null, as some generated clients send it,
 * unless null has a meaning of its own.
 */
import type { TSchema } from '@sinclair/typebox';
import { isJsonObject } from '../kernel/text/json.ts';

/** Set on the schema of an optional member whose null is refused instead of ignored. */
export const REFUSES_NULL = Symbol('refuses null');

type Properties = Readonly<Record<string, TSchema>>;

/**
 * The value without the members that count as absent, at any depth that the schema describes; the same object if there
 * are none.
 */
export function withoutAbsentMembers(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) return withoutAbsentInItems(schema, value);
  if (!isJsonObject(value)) return value;
  const shape = shapeFor(schema, value);
  if (!shape) return value;
  const required = new Set((shape['required'] ?? []) as string[]);
  let present: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(shape['properties'] as Properties)) {
    const given = value[name];
    if (given === undefined) continue;
    if (given === null) {
      if (required.has(name) || admitsNull(member) || REFUSES_NULL in member) continue;
      present ??= { ...value };
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a name of the schema
      delete present[name];
      continue;
    }
    const kept = withoutAbsentMembers(member, given);
    if (kept === given) continue;
    present ??= { ...value };
    present[name] = kept;
  }
  return present ?? value;
}

function withoutAbsentInItems(schema: TSchema, list: readonly unknown[]): unknown {
  const shape = [schema, ...choicesOf(schema)].find((choice) => choice['items']);
  if (!shape) return list;
  const kept = list.map((item) => withoutAbsentMembers(shape['items'] as TSchema, item));
  return kept.some((item, index) => item !== list[index]) ? kept : list;
}

/** The object schema for the value; of several, the first that shares a member with it. */
function shapeFor(schema: TSchema, value: Readonly<Record<string, unknown>>): TSchema | undefined {
  const shapes = [schema, ...choicesOf(schema)].filter((choice) => choice['properties']);
  return shapes.find((shape) => Object.keys(shape['properties'] as object).some((name) => name in value));
}

const choicesOf = (schema: TSchema) => (schema['anyOf'] as TSchema[] | undefined) ?? [];

/** A schema without a type accepts anything. */
function admitsNull(schema: TSchema): boolean {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.some(admitsNull);
  if ('const' in schema) return schema['const'] === null;
  return schema['type'] === undefined || schema['type'] === 'null';
}
