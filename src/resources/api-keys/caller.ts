/** Who is calling, and what the credential allows (contract §0.2, §0.3). Pure. */
import type { Permission, Scope } from '../../contract/permissions.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Space } from './repository.ts';

/** The space is all that the credential sees. */
export interface Caller extends Space {
  readonly kind: 'api_key';
  /** The id of the key's record, never the key. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
  readonly permissions: ReadonlySet<string>;
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('scope_missing', `This key lacks the scope ${scope}`);
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.has(permission)) return;
  throw new ServiceError('permission_denied', `This key lacks the permission ${permission}`);
}

/** Whether a `decrypt:` pattern of the caller (an identifier, `family.*` or `*`) covers the identifier. */
export function mayDecrypt(caller: Caller, identifier: string): boolean {
  if (caller.permissions.has('decrypt:*') || caller.permissions.has(`decrypt:${identifier}`)) return true;
  for (let dot = identifier.indexOf('.'); dot !== -1; dot = identifier.indexOf('.', dot + 1)) {
    if (caller.permissions.has(`decrypt:${identifier.slice(0, dot)}.*`)) return true;
  }
  return false;
}
