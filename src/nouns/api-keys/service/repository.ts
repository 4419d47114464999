/** All SQL of spaces (tenant + environment) and API keys. Times are epoch milliseconds. */
import type { Environment } from '../../entities/facts.ts';
import { PERMISSIONS, SCOPES, type Scope } from '../../../contract/facts/permissions.ts';
import type { Database } from '../../../storage/database.ts';
import { statement } from '../../../storage/statement.ts';
import {
  boolean,
  bytes,
  initially,
  integer,
  joined,
  json,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';
import { checkGrantList, rowSeal, updateGrantList } from '../../../vault/grants/index.ts';

/** A tenant in one environment: everything that a key can access. */
export interface Space {
  /** Row id. */
  readonly space: number;
  readonly tenant: string;
  readonly environment: Environment;
}

const KEYS = table(
  'api_keys',
  {
    id: text,
    space: integer,
    tenant: joined('tenant', text),
    environment: joined('environment', textOf<Environment>()),
    name: initially('unnamed', text),
    prefix: text,
    /** SHA-256 of the key; the store doesn't contain the key itself. */
    digest: bytes,
    scopes: initially([...SCOPES], json<Scope[]>()),
    permissions: initially([...PERMISSIONS, 'decrypt:*'], json<string[]>()),
    enabled: initially(true, boolean),
    created_at: integer,
    last_used_at: initially(null, optional(integer)),
  },
  {
    key: ['id'],
    fixed: ['space', 'prefix', 'digest', 'created_at', 'last_used_at'],
    from: 'api_keys LEFT JOIN spaces ON spaces.id = api_keys.space',
    seal: rowSeal('api_keys'),
  },
);

/** The seal is computed here; a caller needs none. */
export type ApiKeyRow = Omit<RowOf<typeof KEYS>, 'seal'>;

export const findSpace = statement<[tenant: string, environment: Environment], Space>(
  'SELECT id AS space, tenant, environment FROM spaces WHERE tenant = ? AND environment = ?',
).get;

export const listSpaces = statement<[], Space & { readonly created_at: number }>(
  'SELECT id AS space, tenant, environment, created_at FROM spaces ORDER BY id',
).all;

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

export const insertApiKey = KEYS.insert;
export const isApiKeyId = KEYS.has<[id: string]>('id = ?');

const listAll = KEYS.all('');

/** Throws `vault_damaged` when another program has changed, added or removed a key. */
export function listAllApiKeys(database: Database): ApiKeyRow[] {
  const rows = listAll(database);
  checkGrantList(database);
  return rows;
}

interface KeyFilter {
  readonly tenant: string | null;
  readonly environment: string | null;
}

const MATCHES = `api_keys.space IN (SELECT id FROM spaces
  WHERE (@tenant IS NULL OR tenant = @tenant) AND (@environment IS NULL OR environment = @environment))`;

/** Newest first. */
export const apiKeysOf = KEYS.unchecked.page<KeyFilter, 'created_at' | 'id'>(
  MATCHES,
  { created_at: 'number', id: 'string' },
  'DESC',
);

/** Throws `vault_damaged` when another program has changed it. */
export const findApiKey = KEYS.first<[id: string]>('WHERE api_keys.id = ?');

/** Updates the row with a new name, scopes, permissions or enabled flag. */
export const updateApiKey = KEYS.update;

export function updateLastUsed(database: Database, id: string, usedAt: number): void {
  KEYS.set(database, { id }, { last_used_at: usedAt });
}

export const deleteApiKey = KEYS.delete<[id: string]>('id = ?');

export function deleteAllSpaces(database: Database): void {
  statement('DELETE FROM api_keys').run(database);
  statement('DELETE FROM spaces').run(database);
  updateGrantList(database);
}
