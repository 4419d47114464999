/** All SQL of spaces (tenant + environment) and API keys. Times are epoch milliseconds. */
import type { Environment } from '../../contract/shapes.ts';
import { statement, type Database } from '../../storage/database.ts';

/** A tenant in one environment: all that a key can see. */
export interface Space {
  /** Row id. */
  readonly space: number;
  readonly tenant: string;
  readonly environment: Environment;
}

export interface ApiKeyRow {
  readonly id: string;
  readonly space: number;
  readonly tenant: string;
  readonly environment: Environment;
  readonly name: string;
  readonly prefix: string;
  /** SHA-256 of the key; the key itself is nowhere in the store. */
  readonly digest: Uint8Array;
  /** JSON lists. */
  readonly scopes: string;
  readonly permissions: string;
  readonly enabled: number;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

const KEY_COLUMNS = `api_keys.id, space, tenant, environment, name, prefix, digest, scopes, permissions, enabled,
  api_keys.created_at, last_used_at`;
const KEYS = 'api_keys JOIN spaces ON spaces.id = api_keys.space';

export function findSpace(database: Database, tenant: string, environment: Environment): Space | undefined {
  return statement(
    database,
    'SELECT id AS space, tenant, environment FROM spaces WHERE tenant = ? AND environment = ?',
  ).get(tenant, environment) as Space | undefined;
}

/** The space of this name, made when it is new. */
export function ensureSpace(
  database: Database,
  space: { tenant: string; environment: Environment; created_at: number },
): Space {
  statement(
    database,
    'INSERT INTO spaces (tenant, environment, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ).run(space.tenant, space.environment, space.created_at);
  const row = findSpace(database, space.tenant, space.environment);
  if (!row) throw new Error('a space that was just inserted is missing');
  return row;
}

export function insertApiKey(
  database: Database,
  row: Omit<ApiKeyRow, 'tenant' | 'environment' | 'last_used_at'>,
): void {
  statement(
    database,
    `INSERT INTO api_keys (id, space, name, prefix, digest, scopes, permissions, enabled, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    row.id,
    row.space,
    row.name,
    row.prefix,
    row.digest,
    row.scopes,
    row.permissions,
    row.enabled,
    row.created_at,
  );
}

export function listAllApiKeys(database: Database): ApiKeyRow[] {
  return statement(database, `SELECT ${KEY_COLUMNS} FROM ${KEYS}`).all() as ApiKeyRow[];
}

const MATCHES =
  '(@tenant IS NULL OR tenant = @tenant) AND (@environment IS NULL OR environment = @environment)';

/** Newest first, one more than `limit`, after the place `after`. */
export function listApiKeys(
  database: Database,
  filter: { tenant: string | null; environment: string | null },
  page: { after: { created_at: number; id: string } | undefined; limit: number },
): ApiKeyRow[] {
  return statement(
    database,
    `SELECT ${KEY_COLUMNS} FROM ${KEYS}
     WHERE ${MATCHES} AND (@after_at IS NULL OR (api_keys.created_at, api_keys.id) < (@after_at, @after_id))
     ORDER BY api_keys.created_at DESC, api_keys.id DESC LIMIT @limit + 1`,
  ).all({
    ...filter,
    after_at: page.after?.created_at ?? null,
    after_id: page.after?.id ?? null,
    limit: page.limit,
  }) as ApiKeyRow[];
}

export function countApiKeys(
  database: Database,
  filter: { tenant: string | null; environment: string | null },
): number {
  return statement(database, `SELECT count(*) FROM ${KEYS} WHERE ${MATCHES}`).pluck().get(filter) as number;
}

export function findApiKey(database: Database, id: string): ApiKeyRow | undefined {
  return statement(database, `SELECT ${KEY_COLUMNS} FROM ${KEYS} WHERE api_keys.id = ?`).get(id) as
    ApiKeyRow | undefined;
}

export function updateApiKey(
  database: Database,
  row: Pick<ApiKeyRow, 'id' | 'name' | 'scopes' | 'permissions' | 'enabled'>,
): void {
  statement(
    database,
    'UPDATE api_keys SET name = ?, scopes = ?, permissions = ?, enabled = ? WHERE id = ?',
  ).run(row.name, row.scopes, row.permissions, row.enabled, row.id);
}

export function updateLastUsed(database: Database, id: string, usedAt: number): void {
  statement(database, 'UPDATE api_keys SET last_used_at = ? WHERE id = ?').run(usedAt, id);
}

export function deleteApiKey(database: Database, id: string): number {
  return statement(database, 'DELETE FROM api_keys WHERE id = ?').run(id).changes;
}

export function deleteAllSpaces(database: Database): void {
  statement(database, 'DELETE FROM api_keys').run();
  statement(database, 'DELETE FROM spaces').run();
}
