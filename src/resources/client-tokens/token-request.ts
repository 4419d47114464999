/** What a request for a client token asks for (contract §2.2). Failures are `invalid_request` and name the member. */
import type { TokenScope } from '../../contract/client-tokens.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Randomness } from '../../kernel/random.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import type { EntityKind } from '../entities/index.ts';

const CARD_FIELDS = ['number', 'expiration', 'cvc', 'name', 'billing_address.zip', 'billing_address.country'];
const ALIAS_CHARACTERS = 12;

/** The scope, given as such or as the older list. */
export function requestedScope(
  { scope, scopes }: { scope?: TokenScope; scopes?: readonly ('vault' | 'decrypt' | 'decrypt_download')[] },
  kind: EntityKind,
): TokenScope {
  if ((scope === undefined) === (scopes === undefined)) {
    throw invalid('Give exactly one of members scope and scopes');
  }
  const wanted = scope ?? combined(scopes ?? []);
  if (wanted === 'vault_card' && kind === 'business') {
    throw invalid('Member scope: vault_card is for users only');
  }
  return wanted;
}

function combined(scopes: readonly ('vault' | 'decrypt' | 'decrypt_download')[]): TokenScope {
  const named = new Set(scopes);
  const [only] = named;
  if (named.size === 1 && only !== undefined) return only;
  if (named.size === 2 && !named.has('decrypt_download')) return 'vault_and_decrypt';
  throw invalid('Member scopes: decrypt_download stands alone');
}

/** The identifiers, each once; those of a card under a new alias for `vault_card`. */
export function requestedFields(
  fields: readonly string[] | undefined,
  { scope, kind, random }: { scope: TokenScope; kind: EntityKind; random: Randomness },
): string[] {
  if (scope === 'vault_card') {
    if (fields !== undefined) throw invalid('Member fields: vault_card names its fields itself');
    const alias = random.id(ALIAS_CHARACTERS, 'card alias');
    return CARD_FIELDS.map((field) => `card.${alias}.${field}`);
  }
  if (fields === undefined) throw invalid(`Member fields is required with scope ${scope}`);
  requireKnownIdentifiers(fields);
  const foreign = fields.filter((field) => !describeIdentifier(field)?.belongsTo(kind));
  if (foreign.length > 0) {
    throw invalid(`Member fields: a ${kind} has no ${foreign.slice(0, 20).join(', ')}`);
  }
  const wanted = [...new Set(fields)];
  if (scope === 'decrypt_download' && wanted.length !== 1) {
    throw invalid('Member fields: decrypt_download takes exactly one identifier');
  }
  return wanted;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
