/** The access in an imported snapshot of any schema: reads it, and removes it from a draft. */
import type { Environment } from '../../entities/facts.ts';
import type { Database } from '../../../storage/database.ts';
import { deleteValue, findValue, putValue, scalarStatement, statement } from '../../../storage/statement.ts';
import { hasTable } from './restored-repository.ts';

export const listBroughtKeys = statement<
  [],
  { name: string; tenant: string; environment: Environment }
>(`SELECT name, tenant, environment FROM api_keys JOIN spaces ON spaces.id = space
     WHERE enabled = 1 ORDER BY tenant, environment, name`).all;

export function countBroughtTokens(database: Database): number {
  if (!hasTable(database, 'client_tokens')) return 0;
  const sql = 'SELECT count(*) FROM client_tokens WHERE revoked_at IS NULL';
  return scalarStatement<[], number>(sql).one(database);
}

const textsIn = (table: string, sql: string) => (database: Database) =>
  hasTable(database, table) ? scalarStatement<[], string>(sql).all(database) : [];

export const listBroughtUrls = textsIn('webhooks', 'SELECT url FROM webhooks WHERE enabled = 1 ORDER BY seq');

/** Origins of enabled proxy configurations, without duplicates. */
export const listBroughtTargets = textsIn(
  'proxy_configurations',
  'SELECT DISTINCT origin FROM proxy_configurations WHERE enabled = 1 ORDER BY origin',
);

export const findBroughtSettings = (database: Database) => findValue(database, 'settings');

const MARK = 'access left behind';

const TABLES = [
  'client_tokens',
  'bank_pages',
  'bank_link_intents',
  'delivery_attempts',
  'deliveries',
  'webhooks',
  'proxy_configurations',
  'api_keys',
];

/**
 * Removes keys, tokens, endpoints and proxy configurations from the draft; a load uses those of the instance instead.
 */
export function leaveAccessBehind(database: Database): void {
  for (const table of TABLES) {
    if (hasTable(database, table)) statement(`DELETE FROM ${table}`).run(database);
  }
  putValue(database, MARK, '1');
}

/** Whether access was left out; clears the mark. */
export function takeMark(database: Database): boolean {
  return deleteValue(database, MARK);
}
