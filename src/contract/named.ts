/**
 * Names for the shapes of the contract. A named schema is one component of the OpenAPI document, which refers to it
 * wherever it stands. The name is a symbol of the schema: validation, and whatever else reads members, passes it over.
 */
import type { TSchema } from '@sinclair/typebox';

const NAME = Symbol('name of the shape');

/** The schema under a name, in PascalCase. The document can't be made when two different shapes have one name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [NAME]: name };
}

/** The name that a schema, or the one it is a copy of, was given. */
export function nameOf(schema: object): string | undefined {
  return (schema as { [NAME]?: string })[NAME];
}
