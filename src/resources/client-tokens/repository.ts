/** All SQL of client tokens. Times are epoch milliseconds. */
import type { TokenScope } from '../../contract/facts/client-tokens.ts';
import type { Environment } from '../../contract/facts/entities.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import { findApiKey } from '../api-keys/index.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';

export interface TokenRow {
  readonly id: string;
  /** Row id of the entity. */
  readonly entity: number;
  readonly api_key: string;
  /** SHA-256 of the token; the store doesn't contain the token itself. */
  readonly digest: Uint8Array;
  readonly scope: TokenScope;
  /** JSON list. */
  readonly fields: string;
  readonly decrypt_reason: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly seal: Uint8Array | null;
}

/** A token with its entity, its space, and what the key that created it may do now. */
export interface PlacedTokenRow extends TokenRow {
  readonly fp_id: string;
  readonly space: number;
  readonly tenant: string;
  readonly environment: Environment;
  readonly key_enabled: number;
  /** JSON list. */
  readonly key_permissions: string;
}

/** Returns false when its key was deleted. */
export function insertToken(
  database: Database,
  row: Omit<TokenRow, 'revoked_at' | 'has_expired' | 'seal'>,
): boolean {
  const seal = sealOf(database, 'client_tokens', { ...row, revoked_at: null, has_expired: 0 });
  const { changes } = statement<{
    seal: Uint8Array;
    id: string;
    digest: Uint8Array;
    created_at: number;
    entity: number;
    api_key: string;
    scope: string;
    fields: string;
    decrypt_reason: string | null;
    expires_at: number;
  }>(`INSERT INTO client_tokens (id, entity, api_key, digest, scope, fields, decrypt_reason, created_at, expires_at, seal)
     SELECT @id, @entity, id, @digest, @scope, @fields, @decrypt_reason, @created_at, @expires_at, @seal
     FROM api_keys WHERE id = @api_key`).run(database, { ...row, seal });
  return changes === 1;
}

/** Tokens that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  const expired = statement<[number], TokenRow>(
    'SELECT * FROM client_tokens WHERE expires_at <= ? AND has_expired = 0',
  ).all(database, now);
  for (const row of expired) update(database, { ...judged(database, row), has_expired: 1 });
}

function update(database: Database, row: TokenRow): void {
  statement<[number | null, number, Uint8Array, string]>(
    'UPDATE client_tokens SET revoked_at = ?, has_expired = ?, seal = ? WHERE id = ?',
  ).run(database, row.revoked_at, row.has_expired, sealOf(database, 'client_tokens', row), row.id);
}

function judged<Row extends TokenRow>(database: Database, row: Row): Row {
  requireSeal(database, 'client_tokens', row, row.seal);
  return row;
}

export function isTokenId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM client_tokens WHERE id = ?').get(database, id) !== undefined
  );
}

/** Throws `vault_damaged` when another program has changed the token, or its key. */
export function findTokenByDigest(database: Database, digest: Uint8Array): PlacedTokenRow | undefined {
  const row = statement<
    [Uint8Array],
    Omit<PlacedTokenRow, 'key_enabled' | 'key_permissions'>
  >(`SELECT client_tokens.*, entities.fp_id, entities.space, tenant, environment
     FROM client_tokens
     JOIN entities ON entities.id = client_tokens.entity
     JOIN spaces ON spaces.id = entities.space
     WHERE client_tokens.digest = ?`).get(database, digest);
  // A damaged index must not cause a valid token to be refused.
  if (!row) requireAbsent(database, BY_DIGEST, [digest]);
  const key = row && findApiKey(database, row.api_key);
  return key && { ...judged(database, row), key_enabled: key.enabled, key_permissions: key.permissions };
}

const BY_ID: TableIndex = {
  table: 'client_tokens',
  index: 'sqlite_autoindex_client_tokens_1',
  columns: ['id'],
};
const BY_DIGEST: TableIndex = {
  table: 'client_tokens',
  index: 'sqlite_autoindex_client_tokens_2',
  columns: ['digest'],
};

/** Newest first, the most recent hundred. */
export function listTokens(database: Database, entity: number): TokenRow[] {
  return statement<[number], TokenRow>(
    'SELECT * FROM client_tokens WHERE entity = ? ORDER BY created_at DESC, rowid DESC LIMIT 100',
  ).all(database, entity);
}

/** Whether a token of the entity has a field whose name begins with `prefix`. */
export function hasTokenUnder(database: Database, entity: number, prefix: string): boolean {
  return (
    scalarStatement<
      { entity: number; prefix: string },
      1
    >(`SELECT 1 FROM client_tokens, json_each(client_tokens.fields)
       WHERE entity = @entity AND substr(json_each.value, 1, length(@prefix)) = @prefix LIMIT 1`).get(
      database,
      { entity, prefix },
    ) !== undefined
  );
}

/** The first revocation counts. Returns false when there is no such token. */
export function revokeToken(database: Database, id: string, at: number): boolean {
  const row = statement<[string], TokenRow>('SELECT * FROM client_tokens WHERE id = ?').get(database, id);
  if (!row) requireAbsent(database, BY_ID, [id]);
  if (row?.revoked_at === null) update(database, { ...judged(database, row), revoked_at: at });
  return row !== undefined;
}

export function deleteTokensExpiredBefore(database: Database, entity: number, before: number): void {
  statement<[number, number]>('DELETE FROM client_tokens WHERE entity = ? AND expires_at < ?').run(
    database,
    entity,
    before,
  );
}
