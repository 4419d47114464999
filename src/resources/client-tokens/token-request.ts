/** Parses a request for a client token (contract §2.2). Failures are `invalid_request` and name the member. */
import type { LegacyTokenScope } from '../../contract/facts/client-tokens.ts';
import type { TokenScope } from '../../contract/facts/client-tokens.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Randomness } from '../../kernel/random.ts';
import {
  describeIdentifier,
  DOCUMENT_KINDS,
  parseIdentifierReference,
  type IdentifierReference,
} from '../../vault/identifiers/index.ts';
import type { EntityKind } from '../entities/index.ts';
import { may } from './caller.ts';

const CARD_FIELDS = ['number', 'expiration', 'cvc', 'name', 'billing_address.zip', 'billing_address.country'];
const ALIAS_CHARACTERS = 12;

/** The scope, from `scope` or the older list. */
export function requestedScope(
  { scope, scopes }: { scope?: TokenScope; scopes?: readonly LegacyTokenScope[] },
  kind: EntityKind,
): TokenScope {
  if ((scope === undefined) === (scopes === undefined)) {
    throw invalid('Send exactly one of scope and scopes');
  }
  const wanted = scope ?? combined(scopes ?? []);
  if (wanted === 'vault_card' && kind === 'business') {
    throw invalid('Scope vault_card is for users only');
  }
  return wanted;
}

function combined(scopes: readonly LegacyTokenScope[]): TokenScope {
  const named = new Set(scopes);
  const [only] = named;
  if (named.size === 1 && only !== undefined) return only;
  if (named.size === 2 && !named.has('decrypt_download')) return 'vault_and_decrypt';
  throw invalid('scopes must hold decrypt_download alone, or not at all');
}

interface FieldsContext {
  readonly scope: TokenScope;
  readonly kind: EntityKind;
  readonly random: Randomness;
  /** Whether the entity has, had or will have a card under `card.<alias>.`. */
  readonly isCardTaken: (prefix: string) => boolean;
}

/**
 * The identifiers without duplicates; for `vault_card` those of a card with a new alias. If the scope reads, a document
 * image may have a version, `<identifier>:<version>`.
 */
export function requestedFields(fields: readonly string[] | undefined, context: FieldsContext): string[] {
  const { scope, kind } = context;
  if (scope === 'vault_card') {
    if (fields !== undefined)
      throw invalid('fields must be left out with scope vault_card, which chooses its own');
    const prefix = newCardPrefix(context);
    return CARD_FIELDS.map((field) => prefix + field);
  }
  if (fields === undefined)
    throw invalid(`fields is missing: with scope ${scope} it must be a list of 1 to 100 data identifiers`);
  const references = fields.map((field) => parseIdentifierReference(field));
  const foreign = fields.filter(
    (_, index) => !describeIdentifier(references[index]?.identifier ?? '')?.belongsTo(kind),
  );
  if (foreign.length > 0) {
    throw invalid(`fields: a ${kind} has no ${foreign.slice(0, 20).join(', ')}`);
  }
  requireReadableVersions(references, scope);
  const wanted = [...new Set(fields)];
  if (scope === 'decrypt_download' && wanted.length !== 1) {
    throw invalid('fields must be a list of exactly one data identifier with scope decrypt_download');
  }
  return wanted;
}

function requireReadableVersions(references: readonly IdentifierReference[], scope: TokenScope): void {
  const versioned = references.filter(({ version }) => version !== undefined);
  const other = versioned.find(({ identifier }) => !isDocumentImage(identifier));
  if (other) throw invalid(`fields: only an image of a document takes a version, not ${other.text}`);
  const [first] = versioned;
  if (first && !may(scope, 'decrypt') && !may(scope, 'download')) {
    throw invalid(`fields: scope ${scope} reads nothing, so ${first.text} may not name a version`);
  }
}

function isDocumentImage(identifier: string): boolean {
  return (
    identifier.endsWith('.image') && DOCUMENT_KINDS.some((kind) => identifier.startsWith(`document.${kind}.`))
  );
}

/** Seeded aliases repeat after a start, while earlier cards still exist. */
function newCardPrefix({ random, isCardTaken }: FieldsContext): string {
  const next = () => `card.${random.id(ALIAS_CHARACTERS, 'card alias')}.`;
  let prefix = next();
  while (random.isSeeded && isCardTaken(prefix)) prefix = next();
  return prefix;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
