/**
 * The schema after all migrations. The build computes it (src/devtools/build-constants.ts), since a new store is made
 * from it three times as fast as step by step, and a store is checked against it without making one. From the sources
 * there is none, and both take the migrations.
 */
export interface CurrentSchema {
  /** Tables, indexes, triggers and views in the order of their creation, with the SQL that created them. */
  readonly objects: readonly SchemaObject[];
  /** SQL that inserts the rows of a new store. */
  readonly rows: string;
}

/** Its type and name, the table that it belongs to, and its SQL. */
export type SchemaObject = readonly [name: string, table: string, sql: string];

export const currentSchema: CurrentSchema | undefined = undefined as CurrentSchema | undefined;
