/** Single values of a store by name: the clock, the settings, the head of the access log. */
import type { Database } from './binding.ts';
import { scalarStatement, statement } from './statement.ts';

export function findValue(database: Database, name: string): string | undefined {
  return scalarStatement<[string], string>('SELECT value FROM instance_values WHERE name = ?').get(
    database,
    name,
  );
}

export function putValue(database: Database, name: string, value: string): void {
  statement<[string, string]>(
    'INSERT INTO instance_values (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(database, name, value);
}

/** Returns whether there was one. */
export function deleteValue(database: Database, name: string): boolean {
  return statement<[string]>('DELETE FROM instance_values WHERE name = ?').run(database, name).changes === 1;
}
