/** All SQL of client tokens. Times are epoch milliseconds. */
import type { TokenScope } from '../facts.ts';
import type { Environment } from '../../entities/facts.ts';
import type { Database } from '../../../storage/database.ts';
import {
  boolean,
  bytes,
  initially,
  integer,
  joined,
  optional,
  table,
  text,
  textOf,
} from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';
import { findApiKey, isApiKeyId } from '../../api-keys/service/index.ts';

const TOKENS = table(
  'client_tokens',
  {
    id: text,
    /** Row id of the entity. */
    entity: integer,
    api_key: text,
    /** SHA-256 of the token; the store doesn't contain the token itself. */
    digest: bytes,
    scope: textOf<TokenScope>(),
    /** JSON list. */
    fields: text,
    decrypt_reason: optional(text),
    created_at: integer,
    expires_at: integer,
    revoked_at: initially(null, optional(integer)),
    /** Whether it was expired when the clock was moved back. */
    has_expired: initially(false, boolean),
    fp_id: joined('entities.fp_id', text),
    space: joined('entities.space', integer),
    tenant: joined('tenant', text),
    environment: joined('environment', textOf<Environment>()),
  },
  {
    key: ['id'],
    from: `client_tokens LEFT JOIN entities ON entities.id = client_tokens.entity
      LEFT JOIN spaces ON spaces.id = entities.space`,
    seal: rowSeal('client_tokens'),
  },
);

/** A token with its entity, its space, and the key that created it, as it is now. */
export type PlacedTokenRow = NonNullable<ReturnType<typeof findTokenByDigest>>;

/** Returns false when its key was deleted. */
export function insertToken(database: Database, row: Parameters<typeof TOKENS.insert>[1]): boolean {
  if (!isApiKeyId(database, row.api_key)) return false;
  TOKENS.insert(database, row);
  return true;
}

const listExpired = TOKENS.all<[now: number]>(
  'WHERE client_tokens.expires_at <= ? AND client_tokens.has_expired = 0',
);

/** Tokens that are expired by `now` stay expired whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  for (const row of listExpired(database, now)) TOKENS.change(database, row, { has_expired: true });
}

export const isTokenId = TOKENS.has<[id: string]>('id = ?');

const findAnyToken = TOKENS.unchecked.first<[id: string]>('WHERE client_tokens.id = ?');
const findByDigest = TOKENS.first<[digest: Uint8Array]>('WHERE client_tokens.digest = ?');

/** Throws `vault_damaged` when another program has changed the token, or its key. */
export function findTokenByDigest(database: Database, digest: Uint8Array) {
  const row = findByDigest(database, digest);
  const key = row && findApiKey(database, row.api_key);
  return key && { ...row, key };
}

/** Newest first, the most recent hundred. */
export const listTokens = TOKENS.unchecked.all<[entity: number]>(
  'WHERE client_tokens.entity = ? ORDER BY client_tokens.created_at DESC, client_tokens.rowid DESC LIMIT 100',
);

/** Whether a token of the entity has a field whose name begins with `prefix`. */
export const hasTokenUnder = TOKENS.has<{ entity: number; prefix: string }>(
  `entity = @entity AND EXISTS (SELECT 1 FROM json_each(fields)
     WHERE substr(json_each.value, 1, length(@prefix)) = @prefix)`,
);

/** The first revocation counts. Returns false when there is no such token. */
export function revokeToken(database: Database, id: string, at: number): boolean {
  const row = findAnyToken(database, id);
  if (row?.revoked_at === null) {
    TOKENS.requireOwn(database, row);
    TOKENS.change(database, row, { revoked_at: at });
  }
  return row !== undefined;
}

export const deleteTokensExpiredBefore = TOKENS.delete<[entity: number, before: number]>(
  'entity = ? AND expires_at < ?',
);
