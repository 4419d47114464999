/** The caller of a request, by secret key or client token, with its permissions (contract §0.2, §0.3). Pure. */
import type { TokenScope } from '../../contract/facts/client-tokens.ts';
import type { Permission, Scope } from '../../contract/facts/permissions.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Space } from './repository.ts';

/** The space limits what the credential can access. */
export interface Caller extends Space {
  readonly kind: 'api_key';
  /** The id of the key's record, never the key. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
  /** Whether a `decrypt:` pattern (an identifier, `family.*` or `*`) covers the identifier. */
  mayDecrypt(identifier: string): boolean;
  mayWrite(identifier: string): boolean;
}

/** The permissions that vault operations check. */
export type Rights = Pick<Caller, 'mayDecrypt' | 'mayWrite'>;

/** A client token can access one entity only, and only the named identifiers. */
export interface TokenCaller extends Space, Rights {
  readonly kind: 'client_token';
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
   * recognised.
   */
  requireUnrevoked(database: Database): void;
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
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('scope_missing', `This key lacks the scope ${scope}`);
}

export function requirePermission(caller: Caller, permission: Permission | 'decrypt:*'): void {
  if (caller.permissions.has(permission)) return;
  throw new ServiceError('permission_denied', `This key lacks the permission ${permission}`);
}

/** What these permissions allow for an identifier. */
export function rightsOf(permissions: ReadonlySet<string>): Rights {
  const mayWrite = permissions.has('vault.write');
  return {
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
