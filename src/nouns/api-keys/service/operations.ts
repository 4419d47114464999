/**
 * API keys: created, listed, changed and authenticated, and what their callers may do. A key is identified by its
 * SHA-256. The records are few and cached in memory, so authentication costs one hash and no query.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '../../client-tokens/facts.ts';
import type { Environment } from '../../entities/facts.ts';
import { localKeyName } from '../facts.ts';
import type { Permission, Scope } from '../../../contract/facts/permissions.ts';
import { apiKeyName } from '../../../contract/identity-proof.ts';
import type { RequestOf } from '../../../contract/registry.ts';
import { viewAs } from '../../../contract/shapes.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { orderedPage } from '../../cursor.ts';
import { ApiKey } from '../endpoints.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import { CREDENTIAL_PREFIX, newId } from '../../../kernel/ids/ids.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import type { Database } from '../../../storage/database.ts';
import type { Rights } from '../../../vault/access-entry.ts';
import { requireKnownPatterns } from '../../../vault/identifiers/index.ts';
import { addTombstone, removeTombstone } from '../../../vault/tombstones.ts';
import {
  type ApiKeyRow,
  deleteAllSpaces,
  deleteApiKey,
  ensureSpace,
  findApiKey,
  findSpace,
  insertApiKey,
  listAllApiKeys,
  apiKeysOf,
  type Space,
  updateApiKey,
  updateLastUsed,
} from './repository.ts';
import type { Needs } from '../../needs.ts';

// The caller of a request, by secret key, client token or hosted link, with its permissions (contract §0.2, §0.3).

/** The space limits what the credential can access. */
export interface Caller extends Space, Rights {
  readonly kind: 'api_key';
  /** The id of the key's record, never the key. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
  /** Those of the console session that acts for the key, which limit what it makes, too. */
  readonly sessionPermissions?: readonly string[];
}

/** What a key may do now. */
export type KeyRights = Pick<Caller, 'permissions' | 'mayDecrypt' | 'mayWrite'>;

/** A client token can access one entity only, and only the named identifiers, as far as its key may now. */
export interface TokenCaller extends Space, Rights {
  readonly kind: 'client_token';
  /** What the key that made it may do now. */
  readonly permissions: ReadonlySet<string>;
  readonly key: Rights;
  /** The id of the token's record, never the token. */
  readonly id: string;
  readonly fp_id: string;
  readonly scope: TokenScope;
  readonly fields: readonly string[];
  /** The default reason for decryptions. */
  readonly decryptReason: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /**
   * Throws `unauthenticated` when the token was revoked, or its key deleted or disabled, after the token was
   * recognised, and `permission_denied` when the key lost the permission for the act.
   */
  requireUnrevoked(database: Database, act: 'read' | 'write'): void;
}

/** A person in a hosted flow: the token gives access to this flow only (contract §14). */
export interface FlowCaller extends Space {
  readonly kind: 'hosted_session';
  /** Whether the token belongs to a session or to an intent. */
  readonly flow: 'session' | 'bank_link';
  /** The public id of the session, or of the intent's entity; never the token. */
  readonly id: string;
  /** SHA-256 of the token. */
  readonly digest: Uint8Array;
  /** What the key of the link may do now; undefined for an intent of the control plane, and for a flow that is over. */
  readonly permissions: ReadonlySet<string> | undefined;
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('scope_missing', `This key lacks the scope ${scope}`);
}

const KEY_OF = {
  api_key: 'This key',
  client_token: 'The key that made this token',
  hosted_session: 'The key that made this link',
} as const;

/** Asks the key of the caller, which for a token or link is the one that made it. */
export function requirePermission(
  {
    kind,
    permissions,
    sessionPermissions,
  }: Pick<Caller | TokenCaller | FlowCaller, 'kind' | 'permissions'> & Pick<Caller, 'sessionPermissions'>,
  permission: Permission | 'decrypt:*',
): void {
  if (permissions?.has(permission) ?? true) return;
  const isOfSession = sessionPermissions?.includes(permission) === false;
  const who = isOfSession ? 'This console session' : KEY_OF[kind];
  throw new ServiceError('permission_denied', `${who} lacks the permission ${permission}`);
}

/** What a key may do now; undefined when it was deleted or disabled. */
export function findKeyRights(database: Database, id: string): KeyRights | undefined {
  const row = findApiKey(database, id);
  return row?.enabled ? rightsOf(row.permissions) : undefined;
}

/** What both may do. */
export function bothOf(one: KeyRights, other: KeyRights): KeyRights {
  return {
    permissions: new Set([...one.permissions].filter((each) => other.permissions.has(each))),
    mayWrite: (identifier) => one.mayWrite(identifier) && other.mayWrite(identifier),
    mayDecrypt: (identifier) => one.mayDecrypt(identifier) && other.mayDecrypt(identifier),
  };
}

/** Throws `invalid_request` for a permission to decrypt what is no identifier, and no family of some. */
export function requireKnownPermissions(permissions: readonly string[] = []): void {
  requireKnownPatterns(
    permissions.filter((each) => each.startsWith(DECRYPT)).map((each) => each.slice(DECRYPT.length)),
  );
}

/** The rights of a credential with these permissions. */
export function rightsOf(list: readonly string[]): KeyRights {
  const permissions = new Set(list);
  const mayWrite = permissions.has('vault.write');
  return {
    permissions,
    mayWrite: () => mayWrite,
    mayDecrypt(identifier) {
      if (permissions.has('decrypt:*') || permissions.has(`decrypt:${identifier}`)) return true;
      for (let dot = identifier.indexOf('.'); dot !== -1; dot = identifier.indexOf('.', dot + 1)) {
        if (permissions.has(`decrypt:${identifier.slice(0, dot)}.*`)) return true;
      }
      return false;
    },
  };
}

/** The keys of the local user, stored in a file of the state folder. */
export interface LocalKeys {
  readonly sandbox: string;
  readonly live: string;
}

/** What is given with a new key; the columns have the rest. */
type NewKey = Pick<ApiKeyRow, 'tenant' | 'environment'> &
  Omit<NonNullable<RequestOf<'POST /_kyclone/api-keys'>['body']>, 'key'>;

export type ApiKeys = ReturnType<typeof createApiKeys>;

const DECRYPT = 'decrypt:';
const KEY_PATTERN = /^sk_(?:test|live)_[0-9A-Za-z]{16,128}$/;
const SHOWN_CHARACTERS = 12;

/** A new key for an environment: its prefix and 32 unpredictable characters (contract §0.2). */
export function newApiKey(environment: Environment, random: Randomness): string {
  return CREDENTIAL_PREFIX[environment] + random.secretText(32);
}

export function createApiKeys(
  context: Needs<'queue' | 'clock' | 'random'> & {
    localKeys: LocalKeys;
    /** Called in the write job that creates a space, to add its default records. */
    onNewSpace: (database: Database, space: Space) => void;
  },
) {
  const { queue, clock, random, localKeys } = context;
  /** By the hex digest of the key. The digest is also kept as bytes for the comparison in constant time. */
  const records = new Map<
    string,
    { row: ApiKeyRow; rights: KeyRights; caller: Caller; digest: Buffer; name?: string }
  >();
  const lastUsed = new Map<string, number>();

  function reload(): void {
    records.clear();
    for (const row of listAllApiKeys(queue.database)) remember(row);
  }
  function remember(row: ApiKeyRow): void {
    const digest = Buffer.from(row.digest).toString('hex');
    const rights = rightsOf(row.permissions);
    // A request that goes on may do what the key may do by then.
    const now = () => {
      const current = records.get(digest);
      return current?.row.enabled ? current.rights : undefined;
    };
    const caller: Caller = {
      ...callerOf(row, rights),
      mayWrite: (identifier) => now()?.mayWrite(identifier) ?? false,
      mayDecrypt: (identifier) => now()?.mayDecrypt(identifier) ?? false,
    };
    records.set(digest, { row, rights, caller, digest: Buffer.from(digest, 'latin1') });
  }
  reload();

  function insert(database: Database, key: string, { tenant, environment, ...given }: NewKey): ApiKeyRow {
    const now = clock.now();
    const isNewSpace = !findSpace(database, tenant, environment);
    const space = ensureSpace(database, { tenant, environment, created_at: now });
    if (isNewSpace) context.onNewSpace(database, space);
    const digest = hash('sha256', key, 'buffer');
    if (records.has(digest.toString('hex'))) throw conflict('This key exists already');
    const id = newId('apiKey', random, (taken) => findApiKey(database, taken) !== undefined);
    const prefix = key.slice(0, SHOWN_CHARACTERS);
    insertApiKey(database, { id, ...given, ...space, prefix, digest, created_at: now });
    return getApiKey(database, id);
  }

  function view(row: ApiKeyRow): ApiKey {
    const usedAt = lastUsed.get(row.id) ?? row.last_used_at;
    return viewAs(ApiKey, {
      ...row,
      created_at: timestamp(row.created_at),
      last_used_at: usedAt === null ? null : timestamp(usedAt),
    });
  }

  async function flushUsage(): Promise<void> {
    const used = [...lastUsed];
    lastUsed.clear();
    if (used.length === 0) return;
    await queue.write((database) => {
      for (const [id, usedAt] of used) updateLastUsed(database, id, usedAt);
    });
  }

  return {
    /** Writes the times of last use, which are kept in memory in between. */
    flushUsage,

    /** The caller of a presented key; undefined when it is unknown, malformed or disabled. */
    authenticate(key: string): Caller | undefined {
      if (!KEY_PATTERN.test(key)) return undefined;
      const digest = hash('sha256', key);
      const record = records.get(digest);
      if (!record?.row.enabled) return undefined;
      if (!timingSafeEqual(record.digest, Buffer.from(digest, 'latin1'))) return undefined;
      lastUsed.set(record.row.id, clock.now());
      return record.caller;
    },

    /** The SHA-256 of an enabled key, by its public name (contract/identity-proof.ts); undefined for any other. */
    digestNamed(name: string): Uint8Array | undefined {
      // Names are computed at the first request for one, so that a start need not wait for them.
      for (const record of records.values()) record.name ??= apiKeyName(record.row.digest);
      const named = [...records.values()].find((record) => record.name === name);
      return named?.row.enabled ? named.row.digest : undefined;
    },

    /** The oldest enabled key of a space with this permission, which a link without a key acts for (contract §14). */
    oldestWith(permission: Permission, { space }: Space): Caller | undefined {
      const able = [...records.values()].filter(
        ({ row, rights }) => row.enabled && row.space === space && rights.permissions.has(permission),
      );
      return able.sort((one, other) => one.row.created_at - other.row.created_at)[0]?.caller;
    },

    /** The enabled keys of a tenant and environment, oldest first: a console session acts for one of them (§11.1). */
    enabledOf({ tenant, environment }: Pick<Space, 'tenant' | 'environment'>): readonly Caller[] {
      return [...records.values()]
        .filter(({ row }) => row.enabled && row.tenant === tenant && row.environment === environment)
        .sort((one, other) => one.row.created_at - other.row.created_at)
        .map(({ caller }) => caller);
    },

    async create({
      key: fixed,
      tenant = 'default',
      environment = 'sandbox',
      ...given
    }: NonNullable<RequestOf<'POST /_kyclone/api-keys'>['body']>) {
      const key = fixed ?? newApiKey(environment, random);
      if (!key.startsWith(CREDENTIAL_PREFIX[environment])) {
        throw invalid(`key must begin with ${CREDENTIAL_PREFIX[environment]}`);
      }
      requireKnownPermissions(given.permissions);
      const row = await queue.write((database) => insert(database, key, { tenant, environment, ...given }));
      // Reloads only this key, since there may be a thousand tenants. A hard reset may have deleted it in the meantime.
      if (findApiKey(queue.database, row.id)) remember(row);
      return { ...view(row), key };
    },

    list(query: RequestOf<'GET /_kyclone/api-keys'>['query']) {
      const filter = { tenant: query.tenant ?? null, environment: query.environment ?? null };
      return orderedPage(query, { ...apiKeysOf(queue.database, filter), view });
    },

    async change(id: string, body: RequestOf<'PATCH /_kyclone/api-keys/{id}'>['body']) {
      requireKnownPermissions(body.permissions);
      const row = await queue.write((database) => {
        const found = getApiKey(database, id);
        const changed = { ...found, ...body };
        updateApiKey(database, changed);
        if (changed.enabled) removeTombstone(database, 'disabled_key', id);
        else if (found.enabled) addTombstone(database, { kind: 'disabled_key', id, at: clock.now() });
        return changed;
      });
      reload();
      return view(row);
    },

    async remove(id: string): Promise<void> {
      await queue.write((database) => {
        if (deleteApiKey(database, id) === 0) throw keyNotFound();
        addTombstone(database, { kind: 'key', id, at: clock.now() });
      });
      lastUsed.delete(id);
      reload();
    },

    /** Registers the local keys for tenant `default`, as at a first start. `isFresh` first deletes all others. */
    async installLocalKeys({ isFresh }: { isFresh: boolean }): Promise<void> {
      await queue.write((database) => {
        if (isFresh) {
          deleteAllSpaces(database);
          records.clear();
        }
        for (const environment of ['sandbox', 'live'] as const) {
          const key = localKeys[environment];
          if (findSpace(database, 'default', environment) && records.has(hash('sha256', key))) continue;
          insert(database, key, { name: localKeyName(environment), tenant: 'default', environment });
        }
      });
      reload();
    },
  };
}

function getApiKey(database: Database, id: string): ApiKeyRow {
  const row = findApiKey(database, id);
  if (!row) throw keyNotFound();
  return row;
}

function keyNotFound(): ServiceError {
  return new ServiceError('not_found', 'No API key has this id');
}

function callerOf(row: ApiKeyRow, rights: KeyRights): Caller {
  return {
    kind: 'api_key',
    id: row.id,
    space: row.space,
    tenant: row.tenant,
    environment: row.environment,
    scopes: new Set(row.scopes),
    ...rights,
  };
}
