/** All SQL of client tokens. Times are epoch milliseconds. */
import type { TokenScope } from '../../contract/client-tokens.ts';
import type { Environment } from '../../contract/shapes.ts';
import { statement, type Database } from '../../storage/database.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import { findApiKey } from '../api-keys/index.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';

export interface TokenRow {
  readonly id: string;
  /** Row id of the entity. */
  readonly entity: number;
  readonly api_key: string;
  /** SHA-256 of the token; the token itself is nowhere in the store. */
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

/** A token with whom it is for, where, and whether the key that made it is enabled. */
export interface PlacedTokenRow extends TokenRow {
  readonly fp_id: string;
  readonly space: number;
  readonly tenant: string;
  readonly environment: Environment;
  readonly key_enabled: number;
}

/** Returns false when the key that makes it is gone. */
export function insertToken(
  database: Database,
  row: Omit<TokenRow, 'revoked_at' | 'has_expired' | 'seal'>,
): boolean {
  const seal = sealOf(database, 'client_tokens', { ...row, revoked_at: null, has_expired: 0 });
  const { changes } = statement(
    database,
    `INSERT INTO client_tokens (id, entity, api_key, digest, scope, fields, decrypt_reason, created_at, expires_at, seal)
     SELECT @id, @entity, id, @digest, @scope, @fields, @decrypt_reason, @created_at, @expires_at, @seal
     FROM api_keys WHERE id = @api_key`,
  ).run({ ...row, seal });
  return changes === 1;
}

/** What is expired by `now` stays so whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  const expired = statement(
    database,
    'SELECT * FROM client_tokens WHERE expires_at <= ? AND has_expired = 0',
  ).all(now) as TokenRow[];
  for (const row of expired) update(database, { ...judged(database, row), has_expired: 1 });
}

function update(database: Database, row: TokenRow): void {
  statement(database, 'UPDATE client_tokens SET revoked_at = ?, has_expired = ?, seal = ? WHERE id = ?').run(
    row.revoked_at,
    row.has_expired,
    sealOf(database, 'client_tokens', row),
    row.id,
  );
}

function judged<Row extends TokenRow>(database: Database, row: Row): Row {
  requireSeal(database, 'client_tokens', row, row.seal);
  return row;
}

export function isTokenId(database: Database, id: string): boolean {
  return statement(database, 'SELECT 1 FROM client_tokens WHERE id = ?').get(id) !== undefined;
}

/** Throws `vault_damaged` when somebody else has changed the token, or the key that made it. */
export function findTokenByDigest(database: Database, digest: Uint8Array): PlacedTokenRow | undefined {
  const row = statement(
    database,
    `SELECT client_tokens.*, entities.fp_id, entities.space, tenant, environment
     FROM client_tokens
     JOIN entities ON entities.id = client_tokens.entity
     JOIN spaces ON spaces.id = entities.space
     WHERE client_tokens.digest = ?`,
  ).get(digest) as Omit<PlacedTokenRow, 'key_enabled'> | undefined;
  // A damaged index must not turn a valid token away.
  if (!row) requireAbsent(database, BY_DIGEST, [digest]);
  const key = row && findApiKey(database, row.api_key);
  return key && { ...judged(database, row), key_enabled: key.enabled };
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
  return statement(
    database,
    'SELECT * FROM client_tokens WHERE entity = ? ORDER BY created_at DESC, rowid DESC LIMIT 100',
  ).all(entity) as TokenRow[];
}

/** Whether a token of the entity is for something whose name begins with `prefix`. */
export function hasTokenUnder(database: Database, entity: number, prefix: string): boolean {
  return (
    statement(
      database,
      `SELECT 1 FROM client_tokens, json_each(client_tokens.fields)
       WHERE entity = @entity AND substr(json_each.value, 1, length(@prefix)) = @prefix LIMIT 1`,
    ).get({ entity, prefix }) !== undefined
  );
}

/** The first revocation counts. Answers false when there is no such token. */
export function revokeToken(database: Database, id: string, at: number): boolean {
  const row = statement(database, 'SELECT * FROM client_tokens WHERE id = ?').get(id) as TokenRow | undefined;
  if (!row) requireAbsent(database, BY_ID, [id]);
  if (row?.revoked_at === null) update(database, { ...judged(database, row), revoked_at: at });
  return row !== undefined;
}

export function deleteTokensExpiredBefore(database: Database, entity: number, before: number): void {
  statement(database, 'DELETE FROM client_tokens WHERE entity = ? AND expires_at < ?').run(entity, before);
}
