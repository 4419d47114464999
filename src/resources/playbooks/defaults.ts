/** Defaults of playbooks (contract §4.1, A51, A52). */
import type { Environment } from '../../contract/facts/entities.ts';
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import { ID_PREFIX } from '../../kernel/ids.ts';
import type { PlaybookRow } from './repository.ts';

/** The delay of a hosted kyb flow after the user has left it: the 'few minutes' of the spec. */
const KYB_SESSION_DELAY_MS = 120_000;

const anyOneOf = (...identifiers: string[]): string[] => identifiers;
const each = (prefix: string, fields: readonly string[]): string[][] =>
  fields.map((field) => [prefix + field]);

const REQUIREMENTS: Readonly<Record<PlaybookKind, string[][]>> = {
  kyc: [
    ...each('id.', ['first_name', 'last_name', 'dob', 'address_line1', 'city', 'state', 'zip', 'country']),
    anyOneOf('id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id'),
  ],
  kyb: each('business.', ['name', 'tin', 'address_line1', 'city', 'state', 'zip', 'country']),
  // It requires a front image of any kind of document, which is not a list of identifiers.
  document: [],
};

/** The defaults of a new playbook of this kind. */
export function defaultsOf(kind: PlaybookKind) {
  return {
    version: 1,
    requirements: REQUIREMENTS[kind],
    has_rules: true,
    default_outcome: 'pass',
    delay_ms: 0,
    session_delay_ms: kind === 'kyb' ? KYB_SESSION_DELAY_MS : 0,
    collects_owners: false,
    owners_playbook_key: null,
    documents: null,
    selfie: false,
    bank_link: false,
  } as const;
}

export const KEY_PREFIX: Readonly<Record<Environment, string>> = {
  sandbox: ID_PREFIX.sandboxPlaybook,
  live: ID_PREFIX.livePlaybook,
};

/** The two initial playbooks of each space; the third migration adds the same to older spaces. */
export function firstPlaybooks(
  space: { readonly space: number; readonly environment: Environment },
  created_at: number,
): PlaybookRow[] {
  const prefix = KEY_PREFIX[space.environment];
  return (['kyc', 'kyb'] as const).map((kind) => ({
    space: space.space,
    key: `${prefix}${kind}default000000000000`,
    name: kind.toUpperCase(),
    kind,
    ...defaultsOf(kind),
    created_at,
  }));
}
