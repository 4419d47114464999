/** What a console session may do (contract §11.1): its own permissions, and at the tenant's API those of a key, too. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { changesOrReveals, consolePermissions, EVERY_PERMISSION } from '../../contract/facts/console.ts';
import type { Environment } from '../../contract/facts/entities.ts';
import type { EndpointKey } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { bothOf, rightsOf, type Caller } from '../api-keys/index.ts';
import type { ConsoleSession } from './sessions.ts';

/**
 * The caller that a session is at an endpoint of a secret key: the oldest enabled key of the tenant and environment
 * that may do all that the session may, else the oldest, limited to the session's permissions. Throws
 * `permission_denied` when there is no key.
 */
export function actingFor(
  session: ConsoleSession,
  environment: Environment,
  keysOf: (space: { tenant: string; environment: Environment }) => readonly Caller[],
): Caller {
  const { tenant } = session;
  const keys = keysOf({ tenant, environment });
  const key = keys.find((each) => session.permissions.every(covers(each))) ?? keys[0];
  if (!key) {
    throw new ServiceError(
      'permission_denied',
      `Tenant ${tenant} has no enabled ${environment} key, for which this session could act`,
    );
  }
  const isOpen = () => !session.isReadonly && !session.ended.aborted;
  const { permissions, mayWrite, mayDecrypt } = bothOf(rightsOf(session.permissions), key);
  return {
    ...key,
    sessionPermissions: session.permissions,
    permissions,
    mayWrite: (identifier) => isOpen() && mayWrite(identifier),
    mayDecrypt: (identifier) => isOpen() && mayDecrypt(identifier),
  };
}

function covers({ permissions }: Caller): (permission: string) => boolean {
  return (permission) =>
    permissions.has(permission) || (permission.startsWith('decrypt:') && permissions.has('decrypt:*'));
}

/** Throws `permission_denied`. */
export function requireOfSession(
  { isReadonly, permissions }: ConsoleSession,
  { key }: Endpoint & { readonly key: EndpointKey },
): void {
  if (isReadonly && changesOrReveals(key)) {
    throw new ServiceError(
      'permission_denied',
      'This console session is read-only: it changes and reveals nothing',
    );
  }
  const needed = consolePermissions(key);
  if (needed === undefined) {
    throw new ServiceError('permission_denied', 'A console session may not open or end others');
  }
  const missing = needed.find((each) => !permissions.includes(each));
  if (missing === undefined) return;
  throw new ServiceError('permission_denied', `This console session lacks the permission ${missing}`);
}

/** Whether a search of the session may find people by values of their vaults. */
export function findsValues({ permissions }: ConsoleSession): boolean {
  return permissions.includes('decrypt:*');
}

/** Whether a read may reveal a secret of the instance to the session. */
export function revealsSecrets({ isReadonly, permissions }: ConsoleSession): boolean {
  return !isReadonly && EVERY_PERMISSION.every((each) => permissions.includes(each));
}
