/** What a credential may do with single identifiers, and the refusal of the rest (contract §0.3). */
import type { ActorKind } from '../contract/facts/access-log.ts';
import { ServiceError } from '../kernel/errors.ts';

export interface Rights {
  /** Whether a `decrypt:` pattern (an identifier, `family.*` or `*`) covers the identifier. */
  mayDecrypt(identifier: string): boolean;
  mayWrite(identifier: string): boolean;
}

/** Whoever changes a vault: a key, a client token, or the key behind a hosted link. */
export interface Writer extends Rights {
  readonly kind: ActorKind | 'hosted_session';
  /** The rights of the key that made a token, which limit its own. */
  readonly key?: Rights;
}

const NAMED_IN_MESSAGE = 20;

/** The refusal, if a credential lacks permission for one of the identifiers. */
export function denial(
  credential: Writer,
  act: 'decrypt' | 'write',
  identifiers: readonly string[],
): ServiceError | undefined {
  const denied = identifiers.filter((identifier) => !may(credential, act, identifier));
  if (denied.length === 0) return undefined;
  const list = denied.slice(0, NAMED_IN_MESSAGE).map((identifier) => `${act}<${identifier}>`);
  return new ServiceError('permission_denied', `${whoLacks(credential, act, denied)} ${list.join(', ')}`, {
    context: Object.fromEntries(
      denied.map((identifier) => [identifier, 'not permitted for this credential']),
    ),
  });
}

function may(rights: Rights, act: 'decrypt' | 'write', identifier: string): boolean {
  return act === 'decrypt' ? rights.mayDecrypt(identifier) : rights.mayWrite(identifier);
}

function whoLacks({ kind, key }: Writer, act: 'decrypt' | 'write', denied: readonly string[]): string {
  if (kind === 'hosted_session') return 'The key that made this link lacks the permission';
  if (kind === 'api_key') return 'This key lacks the permission';
  const isOfKey = key !== undefined && denied.every((identifier) => !may(key, act, identifier));
  return isOfKey ? 'The key that made this token lacks the permission' : 'This token does not cover';
}
