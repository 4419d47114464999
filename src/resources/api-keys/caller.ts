/** Who is calling, with a secret key or a client token, and what that allows (contract §0.2, §0.3). Pure. */
import type { TokenScope } from '../../contract/facts/client-tokens.ts';
import type { Permission, Scope } from '../../contract/facts/permissions.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Space } from './repository.ts';

/** The space is all that the credential sees. */
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

/** What acting on a vault needs to know of a credential. */
export type Rights = Pick<Caller, 'mayDecrypt' | 'mayWrite'>;

/** A client token sees one entity only, and of that the named identifiers. */
export interface TokenCaller extends Space, Rights {
  readonly kind: 'client_token';
  /** The id of the token's record, never the token. */
  readonly id: string;
  readonly fp_id: string;
  readonly scope: TokenScope;
  readonly fields: readonly string[];
  /** The reason of a decryption that gives none. */
  readonly decryptReason: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Throws `unauthenticated` when it was revoked, or its key deleted or disabled, since it was recognised. */
  requireUnrevoked(database: Database): void;
}

/** Somebody who goes through a hosted flow: the token opens this flow and nothing else (contract §14). */
export interface FlowCaller extends Space {
  readonly kind: 'hosted_session';
  /** Whether the token is that of a session, or of an intent. */
  readonly flow: 'session' | 'bank_link';
  /** The public id of the session, or of whom the intent is for; never the token. */
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

/** What these permissions allow with one identifier. */
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
