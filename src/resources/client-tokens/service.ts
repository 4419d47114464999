/** Client tokens: created with a key, for one entity and named identifiers, until they expire (contract §0.2, §2.2). */
import { hash, timingSafeEqual } from 'node:crypto';
import { TOKEN_TTL_SECONDS, type TokenScope } from '../../contract/facts/client-tokens.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { CREDENTIAL_PREFIX, newId } from '../../kernel/ids.ts';
import { givenReason } from '../../kernel/reason.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { parseIdentifierReference } from '../../vault/identifiers/index.ts';
import { hasHistoryUnder } from '../../vault/repository.ts';
import { denial } from '../../vault/rights.ts';
import { requirePermission, rightsOf, type Caller, type TokenCaller } from '../api-keys/index.ts';
import { getEntity, type EntityRow } from '../entities/index.ts';
import { bury, isBuried, listTombstones, unbury } from '../../vault/tombstones.ts';
import { may, rightsOfToken } from './caller.ts';
import {
  deleteTokensExpiredBefore,
  findTokenByDigest,
  hasTokenUnder,
  insertToken,
  isTokenId,
  listTokens,
  markExpired,
  revokeToken,
  type PlacedTokenRow,
} from './repository.ts';
import { requestedScope, requestedFields } from './token-request.ts';

type MintBody = RequestOf<'POST /users/{fp_id}/client_token'>['body'];
type Minted = AnswerOf<'POST /users/{fp_id}/client_token'>;
type TokenView = AnswerOf<'GET /_kyclone/entities/{fp_id}'>['tokens'][number];

export interface ClientTokens {
  mint(caller: Caller, entity: EntityRow, body: MintBody): Promise<Minted>;
  /** The caller of a presented token. Throws `unauthenticated` or `token_expired`. */
  authenticate(token: string | undefined): TokenCaller;
  /** The entity of a token, in its current state. */
  entityOf(caller: TokenCaller): EntityRow;
  /** The tokens of an entity, newest first. */
  list(database: Database, entity: { readonly id: number }): TokenView[];
  /** Call it in the write job that moves the clock back: tokens that are expired by `now` (epoch ms) stay expired. */
  expire(database: Database, now: number): void;
  revoke(id: string): Promise<void>;
}

const TOKEN_PATTERN = /^cttok_[0-9A-Za-z]{34}$/;
const TOKEN_CHARACTERS = 34;
const DAY_MS = 86_400_000;

export function createClientTokens(context: {
  queue: WriteQueue;
  clock: Clock;
  random: Randomness;
}): ClientTokens {
  const { queue, clock, random } = context;
  // Verifies that no tombstone was removed while the daemon was stopped, so that revoked tokens stay revoked.
  listTombstones(queue.database);

  return {
    async mint(caller, entity, body) {
      const scope = requestedScope(body, entity.kind);
      const isCardTaken = (prefix: string) =>
        hasHistoryUnder(queue.database, entity.id, prefix) ||
        hasTokenUnder(queue.database, { entity: entity.id, prefix });
      const fields = requestedFields(body.fields, { scope, kind: entity.kind, random, isCardTaken });
      requireRights(caller, scope, fields);
      const token = `${CREDENTIAL_PREFIX.clientToken}${random.secretText(TOKEN_CHARACTERS)}`;
      const expires_at = await queue.write((database) => {
        const current = getEntity(database, entity, entity.fp_id, entity.kind);
        const now = clock.now();
        // Keeps expired tokens for a day, so that the caller gets the right reason instead of "unknown".
        deleteTokensExpiredBefore(database, current.id, now - DAY_MS);
        const row = {
          id: newId('clientToken', random, (id) => isTokenId(database, id)),
          entity: current.id,
          api_key: caller.id,
          digest: digestOf(token),
          scope,
          fields: JSON.stringify(fields),
          decrypt_reason: givenReason(body.decrypt_reason) ?? null,
          created_at: now,
          expires_at: now + (body.ttl ?? TOKEN_TTL_SECONDS.default) * 1000,
        };
        if (!insertToken(database, row)) throw unknownToken('The secret key was deleted meanwhile');
        // After a load the same seeded ids may be drawn again.
        unbury(database, 'token', row.id);
        return row.expires_at;
      });
      return { token, expires_at: timestamp(expires_at), fields };
    },

    authenticate(token) {
      if (token === undefined) throw unknownToken('Send a client token in header x-fp-authorization');
      const row = TOKEN_PATTERN.test(token) ? findTokenByDigest(queue.database, digestOf(token)) : undefined;
      if (!isUsable(queue.database, row) || !timingSafeEqual(row.digest, digestOf(token)))
        throw unusableToken();
      if (clock.now() >= row.expires_at || row.has_expired === 1)
        throw new ServiceError('token_expired', 'The client token has expired');
      return callerOf(row);
    },

    entityOf(caller) {
      try {
        return getEntity(queue.database, caller, caller.fp_id);
      } catch (error) {
        // The entity was deleted after the token was recognised, and the token with it.
        if (error instanceof ServiceError) throw unusableToken();
        throw error;
      }
    },

    list: (database, entity) =>
      listTokens(database, entity.id).map((row) => ({
        id: row.id,
        scope: row.scope,
        fields: JSON.parse(row.fields) as string[],
        expires_at: timestamp(row.expires_at),
        revoked: row.revoked_at !== null,
      })),

    expire: markExpired,

    async revoke(id) {
      const isKnown = await queue.write((database) => {
        const at = clock.now();
        if (!revokeToken(database, id, at)) return false;
        bury(database, { kind: 'token', id, at });
        return true;
      });
      if (!isKnown) throw new ServiceError('not_found', 'No client token has this id');
    },
  };
}

/** The key that creates a token must have every permission of the token (contract §0.3). */
function requireRights(caller: Caller, scope: TokenScope, fields: readonly string[]): void {
  const isReading = may(scope, 'decrypt') || may(scope, 'download');
  const references = fields.map((field) => parseIdentifierReference(field));
  const written = references.filter(({ version }) => version === undefined).map(({ text }) => text);
  const identifiers = [...new Set(references.map(({ identifier }) => identifier))];
  const refusal =
    (may(scope, 'write') ? denial(caller, 'write', written) : undefined) ??
    (isReading ? denial(caller, 'decrypt', identifiers) : undefined);
  if (refusal) throw refusal;
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function unusableToken(): ServiceError {
  return unknownToken('The client token is malformed, unknown or revoked');
}

function unknownToken(message: string): ServiceError {
  return new ServiceError('unauthenticated', message);
}

/** Even if an old row was restored, the tombstone of its revocation is still there. */
function isUsable(database: Database, row: PlacedTokenRow | undefined): row is PlacedTokenRow {
  return row?.revoked_at === null && row.key_enabled === 1 && !isBuried(database, 'token', row.id);
}

function callerOf(row: PlacedTokenRow): TokenCaller {
  const fields = JSON.parse(row.fields) as string[];
  const key = rightsOf(row.key_permissions);
  return {
    kind: 'client_token',
    id: row.id,
    space: row.space,
    tenant: row.tenant,
    environment: row.environment,
    fp_id: row.fp_id,
    scope: row.scope,
    fields,
    decryptReason: row.decrypt_reason,
    expiresAt: row.expires_at,
    requireUnrevoked(database, act) {
      const current = findTokenByDigest(database, row.digest);
      if (!isUsable(database, current)) throw unusableToken();
      if (act === 'write') requirePermission(callerOf(current), 'vault.write');
    },
    key,
    permissions: key.permissions,
    ...rightsOfToken({ scope: row.scope, fields }, key),
  };
}
