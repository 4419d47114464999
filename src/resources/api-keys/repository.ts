/** All SQL of spaces (tenant + environment) and API keys. Times are epoch milliseconds. */
import type { Environment } from '../../contract/facts/entities.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { checkGrantList, requireSeal, sealOf, updateGrantList } from '../../vault/grants/index.ts';

/** A tenant in one environment: everything that a key can access. */
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
  /** SHA-256 of the key; the store doesn't contain the key itself. */
  readonly digest: Uint8Array;
  /** JSON lists. */
  readonly scopes: string;
  readonly permissions: string;
  readonly enabled: number;
  readonly created_at: number;
  readonly last_used_at: number | null;
  /** Computed here; a caller's value is ignored. */
  readonly seal?: Uint8Array | null;
}

const KEY_COLUMNS = `api_keys.id, space, tenant, environment, name, prefix, digest, scopes, permissions, enabled,
  api_keys.created_at, last_used_at, seal`;
const KEYS = 'api_keys JOIN spaces ON spaces.id = api_keys.space';

export function findSpace(database: Database, tenant: string, environment: Environment): Space | undefined {
  const row = statement<[string, string], Space>(
    'SELECT id AS space, tenant, environment FROM spaces WHERE tenant = ? AND environment = ?',
  ).get(database, tenant, environment);
  if (!row) requireAbsent(database, BY_NAME, [tenant, environment]);
  return row;
}

const BY_NAME: TableIndex = {
  table: 'spaces',
  index: 'sqlite_autoindex_spaces_1',
  columns: ['tenant', 'environment'],
};

export function listSpaces(database: Database): (Space & { readonly created_at: number })[] {
  const sql = 'SELECT id AS space, tenant, environment, created_at FROM spaces ORDER BY id';
  return statement<[], Space & { readonly created_at: number }>(sql).all(database);
}

/** The space of this name; creates it if necessary. */
export function ensureSpace(
  database: Database,
  space: { tenant: string; environment: Environment; created_at: number },
): Space {
  statement<[string, string, number]>(
    'INSERT INTO spaces (tenant, environment, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ).run(database, space.tenant, space.environment, space.created_at);
  const row = findSpace(database, space.tenant, space.environment);
  if (!row) throw new Error('a space that was just inserted is missing');
  return row;
}

export function insertApiKey(database: Database, row: Omit<ApiKeyRow, 'last_used_at'>): void {
  statement<
    [
      id: string,
      space: number,
      name: string,
      prefix: string,
      digest: Uint8Array,
      scopes: string,
      permissions: string,
      enabled: number,
      created_at: number,
      seal: Uint8Array,
    ]
  >(`INSERT INTO api_keys (id, space, name, prefix, digest, scopes, permissions, enabled, created_at, seal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    database,
    row.id,
    row.space,
    row.name,
    row.prefix,
    row.digest,
    row.scopes,
    row.permissions,
    row.enabled,
    row.created_at,
    sealOf(database, 'api_keys', row),
  );
  updateGrantList(database);
}

/** Throws `vault_damaged` when another program has changed, added or removed a key. */
export function listAllApiKeys(database: Database): ApiKeyRow[] {
  const rows = statement<[], ApiKeyRow>(`SELECT ${KEY_COLUMNS} FROM ${KEYS}`).all(database);
  for (const row of rows) judged(database, row);
  checkGrantList(database);
  return rows;
}

function judged(database: Database, row: ApiKeyRow): ApiKeyRow {
  requireSeal(database, 'api_keys', row, row.seal ?? null);
  return row;
}

const MATCHES =
  '(@tenant IS NULL OR tenant = @tenant) AND (@environment IS NULL OR environment = @environment)';

/** Newest first, up to one more than `limit`, starting after the place `after`. */
export function listApiKeys(
  database: Database,
  filter: { tenant: string | null; environment: string | null },
  page: { after: { created_at: number; id: string } | undefined; limit: number },
): ApiKeyRow[] {
  return statement<
    {
      after_at: number | null;
      after_id: string | null;
      limit: number;
      tenant: string | null;
      environment: string | null;
    },
    ApiKeyRow
  >(`SELECT ${KEY_COLUMNS} FROM ${KEYS}
     WHERE ${MATCHES} AND (@after_at IS NULL OR (api_keys.created_at, api_keys.id) < (@after_at, @after_id))
     ORDER BY api_keys.created_at DESC, api_keys.id DESC LIMIT @limit + 1`).all(database, {
    ...filter,
    after_at: page.after?.created_at ?? null,
    after_id: page.after?.id ?? null,
    limit: page.limit,
  });
}

export function countApiKeys(
  database: Database,
  filter: { tenant: string | null; environment: string | null },
): number {
  return scalarStatement<{ tenant: string | null; environment: string | null }, number>(
    `SELECT count(*) FROM ${KEYS} WHERE ${MATCHES}`,
  ).one(database, filter);
}

/** Throws `vault_damaged` when another program has changed it. */
export function findApiKey(database: Database, id: string): ApiKeyRow | undefined {
  const row = statement<[string], ApiKeyRow>(`SELECT ${KEY_COLUMNS} FROM ${KEYS} WHERE api_keys.id = ?`).get(
    database,
    id,
  );
  if (!row) requireAbsent(database, BY_ID, [id]);
  return row && judged(database, row);
}

const BY_ID: TableIndex = { table: 'api_keys', index: 'sqlite_autoindex_api_keys_1', columns: ['id'] };

/** Updates the row with a new name, scopes, permissions or enabled flag. */
export function updateApiKey(database: Database, row: ApiKeyRow): void {
  statement<
    [name: string, scopes: string, permissions: string, enabled: number, seal: Uint8Array, id: string]
  >('UPDATE api_keys SET name = ?, scopes = ?, permissions = ?, enabled = ?, seal = ? WHERE id = ?').run(
    database,
    row.name,
    row.scopes,
    row.permissions,
    row.enabled,
    sealOf(database, 'api_keys', row),
    row.id,
  );
  updateGrantList(database);
}

export function updateLastUsed(database: Database, id: string, usedAt: number): void {
  statement<[number, string]>('UPDATE api_keys SET last_used_at = ? WHERE id = ?').run(database, usedAt, id);
}

export function deleteApiKey(database: Database, id: string): number {
  const { changes } = statement<[string]>('DELETE FROM api_keys WHERE id = ?').run(database, id);
  updateGrantList(database);
  return changes;
}

export function deleteAllSpaces(database: Database): void {
  statement('DELETE FROM api_keys').run(database);
  statement('DELETE FROM spaces').run(database);
  updateGrantList(database);
}
