/** What a client token allows (contract §0.2, §2.2). Pure. */
import type { TokenScope } from '../../contract/client-tokens.ts';
import type { TokenAbility } from '../../contract/endpoint.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { describeIdentifier } from '../../vault/identifiers/index.ts';
import type { Rights, TokenCaller } from '../api-keys/index.ts';

export const ABILITIES: Readonly<Record<TokenScope, readonly TokenAbility[]>> = {
  vault: ['write', 'upload'],
  decrypt: ['decrypt'],
  vault_and_decrypt: ['write', 'upload', 'decrypt'],
  decrypt_download: ['download'],
  vault_card: ['write'],
};

/** A token's fields cover themselves, under their aliases too, and nothing that derives from them. */
export function rightsOfToken(scope: TokenScope, fields: readonly string[]): Rights {
  const covered = new Set(fields.map(canonicalName));
  const covers = (identifier: string) => covered.has(canonicalName(identifier));
  const abilities = ABILITIES[scope];
  const mayWrite = abilities.includes('write');
  const mayRead = abilities.includes('decrypt') || abilities.includes('download');
  return {
    mayWrite: (identifier) => mayWrite && covers(identifier),
    mayDecrypt: (identifier) => mayRead && covers(identifier),
  };
}

function canonicalName(identifier: string): string {
  return describeIdentifier(identifier)?.canonical ?? identifier;
}

/** Throws `permission_denied` naming the scopes that would do. */
export function requireAbility(caller: TokenCaller, ability: TokenAbility): void {
  if (ABILITIES[caller.scope].includes(ability)) return;
  const scopes = Object.entries(ABILITIES).flatMap(([scope, able]) =>
    able.includes(ability) ? [scope] : [],
  );
  throw new ServiceError(
    'permission_denied',
    `The token has scope ${caller.scope}; this call takes ${scopes.join(', ')}`,
  );
}
