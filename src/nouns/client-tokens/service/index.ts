/** Client tokens: created with a key, for one entity and named identifiers, until they expire (contract §0.2, §2.2). */
import { hash, timingSafeEqual } from 'node:crypto';
import {
  type LegacyTokenScope,
  TOKEN_SCOPES_THAT,
  TOKEN_TTL_SECONDS,
  type TokenAbility,
  type TokenScope,
} from '../facts.ts';
import type { Answer } from '../../../contract/handler.ts';
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { CREDENTIAL_PREFIX, newId } from '../../../kernel/ids/ids.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import { givenReason } from '../../../kernel/text/text.ts';
import { DAY_MS } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import {
  describeIdentifier,
  type IdentifierReference,
  parseIdentifierReference,
} from '../../../vault/identifiers/index.ts';
import { hasHistoryUnder } from '../../../vault/repository.ts';
import { denial, type Rights } from '../../../vault/access-entry.ts';
import { addTombstone, hasTombstone, listTombstones, removeTombstone } from '../../../vault/tombstones.ts';
import { type Caller, requirePermission, rightsOf, type TokenCaller } from '../../api-keys/service/index.ts';
import { type EntityKind, type EntityRow, findEntity, getEntity } from '../../entities/service/index.ts';
import { answer, fileAnswer, type Handlers, doneWriting } from '../../handlers.ts';
import type { VaultService } from '../../vault/service/index.ts';
import {
  deleteTokensExpiredBefore,
  findTokenByDigest,
  hasTokenUnder,
  insertToken,
  isTokenId,
  listTokens,
  markExpired,
  type PlacedTokenRow,
  revokeToken,
} from './repository.ts';
import type { Needs } from '../../needs.ts';

// Parses a request for a client token (contract §2.2). Failures are `invalid_request` and name the member.

const CARD_FIELDS = ['number', 'expiration', 'cvc', 'name', 'billing_address.zip', 'billing_address.country'];
const ALIAS_CHARACTERS = 12;

/** The scope, from `scope` or the older list. */
function requestedScope(
  { scope, scopes }: { scope?: TokenScope; scopes?: readonly LegacyTokenScope[] },
  kind: EntityKind,
): TokenScope {
  if ((scope === undefined) === (scopes === undefined)) throw invalid('Send exactly one of scope and scopes');
  const wanted = scope ?? combined(scopes ?? []);
  if (wanted === 'vault_card' && kind === 'business') throw invalid('Scope vault_card is for users only');
  return wanted;
}

function combined(scopes: readonly LegacyTokenScope[]): TokenScope {
  const named = new Set(scopes);
  const [only] = named;
  if (named.size === 1 && only !== undefined) return only;
  if (named.size === 2 && !named.has('decrypt_download')) return 'vault_and_decrypt';
  throw invalid('scopes must hold decrypt_download alone, or not at all');
}

interface FieldsContext {
  readonly scope: TokenScope;
  readonly kind: EntityKind;
  readonly random: Randomness;
  /** Whether the entity has, had or will have a card under `card.<alias>.`. */
  readonly isCardTaken: (prefix: string) => boolean;
}

/**
 * The identifiers without duplicates; for `vault_card` those of a card with a new alias. If the scope reads, a document
 * image may have a version, `<identifier>:<version>`.
 */
function requestedFields(fields: readonly string[] | undefined, context: FieldsContext): string[] {
  const { scope, kind } = context;
  if (scope === 'vault_card') {
    if (fields !== undefined)
      throw invalid('fields must be left out with scope vault_card, which chooses its own');
    const prefix = newCardPrefix(context);
    return CARD_FIELDS.map((field) => prefix + field);
  }
  if (fields === undefined)
    throw invalid(`fields is missing: with scope ${scope} it must be a list of 1 to 100 data identifiers`);
  const references = fields.map((field) => parseIdentifierReference(field));
  const foreign = fields.filter(
    (_, index) => !describeIdentifier(references[index]?.identifier ?? '')?.belongsTo(kind),
  );
  if (foreign.length > 0) throw invalid(`fields: a ${kind} has no ${foreign.slice(0, 20).join(', ')}`);
  requireReadableVersions(references, scope);
  const wanted = [...new Set(fields)];
  if (scope === 'decrypt_download' && wanted.length !== 1) {
    throw invalid('fields must be a list of exactly one data identifier with scope decrypt_download');
  }
  return wanted;
}

function requireReadableVersions(references: readonly IdentifierReference[], scope: TokenScope): void {
  const versioned = references.filter(({ version }) => version !== undefined);
  const other = versioned.find(({ identifier }) => !isDocument(identifier));
  if (other) throw invalid(`fields: only a file of a document takes a version, not ${other.text}`);
  const [first] = versioned;
  if (first && !may(scope, 'decrypt') && !may(scope, 'download')) {
    throw invalid(`fields: scope ${scope} reads nothing, so ${first.text} may not name a version`);
  }
}

/** Whether the list of documents has it, with its version. */
function isDocument(identifier: string): boolean {
  const { family, storage } = describeIdentifier(identifier) ?? {};
  return family === 'document' && storage === 'file';
}

/** Seeded aliases repeat after a start, while earlier cards still exist. */
function newCardPrefix({ random, isCardTaken }: FieldsContext): string {
  const next = () => `card.${random.id(ALIAS_CHARACTERS, 'card alias')}.`;
  let prefix = next();
  while (random.isSeeded && isCardTaken(prefix)) prefix = next();
  return prefix;
}

type TokenKeys = Extract<
  EndpointKey,
  `POST /${string}/client_token` | 'GET /users/client_token' | `DELETE /_kyclone/tokens/{id}`
>;
type Minting = Pick<RequestOf<'POST /users/{fp_id}/client_token'>, 'body'> & {
  readonly caller: Caller;
  readonly entity: EntityRow;
};
type Minted = AnswerOf<'POST /users/{fp_id}/client_token'>;
type TokenView = AnswerOf<'GET /_kyclone/entities/{fp_id}'>['tokens'][number];

export type ClientTokens = ReturnType<typeof createClientTokens>;

const TOKEN_PATTERN = /^cttok_[0-9A-Za-z]{34}$/;
const TOKEN_CHARACTERS = 34;

export function createClientTokens({ queue, clock, random }: Needs<'queue' | 'clock' | 'random'>) {
  // Verifies that no tombstone was removed while the daemon was stopped, so that revoked tokens stay revoked.
  listTombstones(queue.database);

  async function mint({ caller, entity, body }: Minting): Promise<Answer<Minted>> {
    const scope = requestedScope(body, entity.kind);
    const isCardTaken = (prefix: string) =>
      hasHistoryUnder(queue.database, { entity: entity.id, prefix }) ||
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
      removeTombstone(database, 'token', row.id);
      return row.expires_at;
    });
    return answer({ token, expires_at: timestamp(expires_at), fields });
  }

  return {
    /** The caller of a presented token. Throws `unauthenticated` or `token_expired`. */
    authenticate(token: string | undefined): TokenCaller {
      if (token === undefined) throw unknownToken('Send a client token in header x-fp-authorization');
      const row = TOKEN_PATTERN.test(token) ? findTokenByDigest(queue.database, digestOf(token)) : undefined;
      if (!isUsable(queue.database, row) || !timingSafeEqual(row.digest, digestOf(token)))
        throw unusableToken();
      if (clock.now() >= row.expires_at || row.has_expired)
        throw new ServiceError('token_expired', 'The client token has expired');
      return callerOf(row);
    },

    /** The entity of a token, in its current state. */
    entityOf(caller: TokenCaller): EntityRow {
      const entity = findEntity(queue.database, caller, caller.fp_id);
      // The entity was deleted after the token was recognised, and the token with it.
      if (!entity) throw unusableToken();
      return entity;
    },

    /** The tokens of an entity, newest first. */
    list: (database: Database, entity: { readonly id: number }): TokenView[] =>
      listTokens(database, entity.id).map((row) => ({
        id: row.id,
        scope: row.scope,
        fields: JSON.parse(row.fields) as string[],
        expires_at: timestamp(row.expires_at),
        revoked: row.revoked_at !== null,
      })),

    /** Call it in the write job that moves the clock back: tokens that are expired by `now` (epoch ms) stay expired. */
    expire: markExpired,

    handlers: (vault: VaultService) =>
      ({
        'POST /users/{fp_id}/client_token': mint,
        'POST /businesses/{fp_bid}/client_token': mint,
        'GET /users/client_token': ({ caller: { fp_id, scope, fields, expiresAt } }) =>
          answer({ fp_id, scope, fields: [...fields], expires_at: timestamp(expiresAt) }),
        'DELETE /_kyclone/tokens/{id}': ({ params: { id } }) =>
          doneWriting(queue, (database) => {
            const at = clock.now();
            if (!revokeToken(database, id, at))
              throw new ServiceError('not_found', 'No client token has this id');
            addTombstone(database, { kind: 'token', id, at });
          }),
        ...vaultHandlers(vault),
      }) satisfies Handlers<VaultKeys | TokenKeys>,
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
  return row?.revoked_at === null && row.key.enabled && !hasTombstone(database, 'token', row.id);
}

function callerOf(row: PlacedTokenRow): TokenCaller {
  const { id, space, tenant, environment, fp_id, scope } = row;
  const fields = JSON.parse(row.fields) as string[];
  const key = rightsOf(row.key.permissions);
  return {
    kind: 'client_token',
    id,
    space,
    tenant,
    environment,
    fp_id,
    scope,
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
    ...rightsOfToken({ scope, fields }, key),
  };
}

export { revokeToken } from './repository.ts';

type VaultKeys = Extract<EndpointKey, `${string} /users/vault${'' | `/${string}`}`>;

/** The vault endpoints for tokens: the same service as with a key, limited to the token's rights. */
function vaultHandlers(vault: VaultService): Handlers<VaultKeys> {
  return {
    'PATCH /users/vault': vault.write,
    'POST /users/vault/validate': vault.validate,
    'POST /users/vault/decrypt': ({ body, ...call }) => {
      const { fields, decryptReason } = call.caller;
      const reason = givenReason(body.reason) ?? givenReason(decryptReason);
      return vault.decrypt({ ...call, body: { ...body, fields: body.fields ?? [...fields], reason } });
    },
    'GET /users/vault/decrypt/{token}': async (call) => {
      const [field = ''] = call.caller.fields;
      const reason = givenReason(call.caller.decryptReason) ?? givenReason(call.query.reason);
      return fileAnswer(
        parseIdentifierReference(field).identifier,
        await vault.download(call, field, reason),
      );
    },
    'POST /users/vault/{identifier}/upload': vault.upload,
  };
}

// The permissions of a client token (contract §0.2, §2.2). Pure.

/**
 * A token may do what its key may do now, and no more. Its fields cover themselves, including their aliases, but nothing
 * derived from them. An identifier without a version covers all its versions for reading; one with a version covers
 * only that version, and no writing.
 */
function rightsOfToken(
  { scope, fields }: { readonly scope: TokenScope; readonly fields: readonly string[] },
  key: Rights,
): Rights {
  const covered = new Set(fields.map(canonicalName));
  const covers = (name: string) => covered.has(canonicalName(name));
  const mayWrite = may(scope, 'write');
  const mayRead = may(scope, 'decrypt') || may(scope, 'download');
  return {
    mayWrite: (identifier) => mayWrite && covers(identifier) && key.mayWrite(identifier),
    mayDecrypt(reference) {
      const { identifier } = parseIdentifierReference(reference);
      return mayRead && (covers(reference) || covers(identifier)) && key.mayDecrypt(identifier);
    },
  };
}

function canonicalName(reference: string): string {
  const { identifier, version } = parseIdentifierReference(reference);
  const name = describeIdentifier(identifier)?.canonical ?? identifier;
  return version === undefined ? name : `${name}:${version}`;
}

/** Throws `permission_denied` naming the sufficient scopes. */
export function requireAbility(caller: TokenCaller, ability: TokenAbility): void {
  if (may(caller.scope, ability)) return;
  throw new ServiceError(
    'permission_denied',
    `The token has scope ${caller.scope}; this call takes ${TOKEN_SCOPES_THAT[ability].join(', ')}`,
  );
}

function may(scope: TokenScope, ability: TokenAbility): boolean {
  return TOKEN_SCOPES_THAT[ability].includes(scope);
}
