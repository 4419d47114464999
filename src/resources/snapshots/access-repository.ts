/** What a snapshot that came in grants or opens, of any schema: read, and taken out of a draft. */
import { statement, type Database } from '../../storage/database.ts';
import { hasTable } from './revival-repository.ts';

export interface BroughtKey {
  readonly name: string;
  readonly tenant: string;
  readonly environment: 'sandbox' | 'live';
}

export function listBroughtKeys(database: Database): BroughtKey[] {
  return statement(
    database,
    `SELECT name, tenant, environment FROM api_keys JOIN spaces ON spaces.id = space
     WHERE enabled = 1 ORDER BY tenant, environment, name`,
  ).all() as BroughtKey[];
}

export function countBroughtTokens(database: Database): number {
  if (!hasTable(database, 'client_tokens')) return 0;
  const sql = 'SELECT count(*) FROM client_tokens WHERE revoked_at IS NULL';
  return statement(database, sql).pluck().get() as number;
}

export function listBroughtUrls(database: Database): string[] {
  if (!hasTable(database, 'webhooks')) return [];
  return statement(database, 'SELECT url FROM webhooks WHERE enabled = 1 ORDER BY seq')
    .pluck()
    .all() as string[];
}

/** Origins of enabled proxy configurations, each once. */
export function listBroughtTargets(database: Database): string[] {
  if (!hasTable(database, 'proxy_configurations')) return [];
  const sql = 'SELECT DISTINCT origin FROM proxy_configurations WHERE enabled = 1 ORDER BY origin';
  return statement(database, sql).pluck().all() as string[];
}

export function findBroughtSettings(database: Database): string | undefined {
  const sql = "SELECT value FROM instance_values WHERE name = 'settings'";
  return statement(database, sql).pluck().get() as string | undefined;
}

const MARK = 'access left behind';

const TABLES = [
  ...['client_tokens', 'delivery_attempts', 'deliveries', 'webhooks', 'proxy_configurations', 'api_keys'],
];

/** Keys, tokens, endpoints and proxy configurations are gone from the draft; a load takes those of the instance instead. */
export function leaveAccessBehind(database: Database): void {
  for (const table of TABLES) {
    if (hasTable(database, table)) statement(database, `DELETE FROM ${table}`).run();
  }
  statement(database, "INSERT OR REPLACE INTO instance_values (name, value) VALUES (?, '1')").run(MARK);
}

/** Whether access was left behind; it is forgotten then. */
export function takeMark(database: Database): boolean {
  return statement(database, 'DELETE FROM instance_values WHERE name = ?').run(MARK).changes === 1;
}
