/** The caller of a request, by secret key, client token or hosted link, with its permissions (contract §0.2, §0.3). */
import type { TokenScope } from '../../contract/facts/client-tokens.ts';
import type { Permission, Scope } from '../../contract/facts/permissions.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Rights } from '../../vault/access-entry.ts';
import { findApiKey, type Space } from './repository.ts';

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
  return row?.enabled === 1 ? rightsOf(JSON.parse(row.permissions) as string[]) : undefined;
}

/** What both may do. */
export function bothOf(one: KeyRights, other: KeyRights): KeyRights {
  return {
    permissions: new Set([...one.permissions].filter((each) => other.permissions.has(each))),
    mayWrite: (identifier) => one.mayWrite(identifier) && other.mayWrite(identifier),
    mayDecrypt: (identifier) => one.mayDecrypt(identifier) && other.mayDecrypt(identifier),
  };
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
