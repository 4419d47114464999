import type { ActorKind } from '../../contract/facts/access-log.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Rights } from '../api-keys/index.ts';

const NAMED_IN_MESSAGE = 20;

/** The refusal, if a credential lacks permission for one of the identifiers (contract §0.3). */
export function denial(
  credential: Rights & { readonly kind: ActorKind },
  act: 'decrypt' | 'write',
  identifiers: readonly string[],
): ServiceError | undefined {
  const isDenied = (identifier: string): boolean =>
    act === 'decrypt' ? !credential.mayDecrypt(identifier) : !credential.mayWrite(identifier);
  const denied = identifiers.filter(isDenied);
  if (denied.length === 0) return undefined;
  const list = denied.slice(0, NAMED_IN_MESSAGE).map((identifier) => `${act}<${identifier}>`);
  const who = credential.kind === 'api_key' ? 'This key lacks the permission' : 'This token does not cover';
  return new ServiceError('permission_denied', `${who} ${list.join(', ')}`, {
    context: Object.fromEntries(
      denied.map((identifier) => [identifier, 'not permitted for this credential']),
    ),
  });
}
