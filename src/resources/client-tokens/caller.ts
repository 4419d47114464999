/** The permissions of a client token (contract §0.2, §2.2). Pure. */
import { TOKEN_SCOPES_THAT, type TokenScope, type TokenAbility } from '../../contract/facts/client-tokens.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { describeIdentifier, parseIdentifierReference } from '../../vault/identifiers/index.ts';
import type { Rights } from '../../vault/rights.ts';
import type { TokenCaller } from '../api-keys/index.ts';

/**
 * A token may do what its key may do now, and no more. Its fields cover themselves, including their aliases, but nothing derived from them. An identifier without a
 * version covers all its versions for reading; one with a version covers only that version, and no writing.
 */
export function rightsOfToken(
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
      const identifier = withoutVersion(reference);
      return mayRead && (covers(reference) || covers(identifier)) && key.mayDecrypt(identifier);
    },
  };
}

function canonicalName(reference: string): string {
  const { identifier, version } = parseIdentifierReference(reference);
  const name = describeIdentifier(identifier)?.canonical ?? identifier;
  return version === undefined ? name : `${name}:${version}`;
}

function withoutVersion(reference: string): string {
  return parseIdentifierReference(reference).identifier;
}

/** Throws `permission_denied` naming the sufficient scopes. */
export function requireAbility(caller: TokenCaller, ability: TokenAbility): void {
  if (may(caller.scope, ability)) return;
  throw new ServiceError(
    'permission_denied',
    `The token has scope ${caller.scope}; this call takes ${TOKEN_SCOPES_THAT[ability].join(', ')}`,
  );
}

export function may(scope: TokenScope, ability: TokenAbility): boolean {
  return TOKEN_SCOPES_THAT[ability].includes(scope);
}
