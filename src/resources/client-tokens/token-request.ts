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

interface FieldsContext {
  readonly scope: TokenScope;
  readonly kind: EntityKind;
  readonly random: Randomness;
  /** Whether the entity has, had or is to have a card under `card.<alias>.` already. */
  readonly isCardTaken: (prefix: string) => boolean;
}

/** The identifiers, each once; those of a card under a new alias for `vault_card`. */
export function requestedFields(fields: readonly string[] | undefined, context: FieldsContext): string[] {
  const { scope, kind } = context;
  if (scope === 'vault_card') {
    if (fields !== undefined) throw invalid('Member fields: vault_card names its fields itself');
    const prefix = newCardPrefix(context);
    return CARD_FIELDS.map((field) => prefix + field);
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

/** Seeded aliases come again after a start, when the cards of before are still there. */
function newCardPrefix({ random, isCardTaken }: FieldsContext): string {
  const next = () => `card.${random.id(ALIAS_CHARACTERS, 'card alias')}.`;
  let prefix = next();
  while (random.isSeeded && isCardTaken(prefix)) prefix = next();
  return prefix;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
