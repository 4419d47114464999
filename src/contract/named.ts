/**
 * Names for schemas of the contract. A named schema is one component of the OpenAPI document, and its uses are
 * references. The name is a symbol property, so validation and other readers ignore it.
 */
import type { TSchema } from '@sinclair/typebox';

const NAME = Symbol('name of the shape');

/** Names the schema, in PascalCase. Generating the document fails when two different schemas have one name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [NAME]: name };
}

/** The name of a schema, or of the one that it was copied from. */
export function nameOf(schema: object): string | undefined {
  return (schema as { [NAME]?: string })[NAME];
}
