/**
 * Applies the instance's vocabulary to schemas of the document, and adds lists of words that a start should not load.
 */
import codes from '../fixtures/reason-codes.json' with { type: 'json' };
import { identifierCatalogue, namePattern, type IdentifierEntry } from '../vault/identifiers/catalogue.ts';
import type { KeyedEndpoint } from './endpoint.ts';
import { DUPLICATE_KINDS } from './facts/control.ts';
import type { EntityKind } from './facts/entities.ts';
import type { MethodAndPath } from './facts/requests.ts';
import type { JsonSchema } from './json-schema.ts';
import { splitKey } from './registry.ts';
import type { Settings } from './settings.ts';

/** The words of the vocabulary that occur in paths, headers and bodies (contract §0.13). */
export type WireWords = Settings['vocabulary'];

/** A named schema of the contract with the words of the vocabulary. */
export function inWordsOf(vocabulary: WireWords): (name: string, schema: JsonSchema) => JsonSchema {
  const lists: Readonly<Record<string, readonly string[]>> = {
    DuplicateKind: DUPLICATE_KINDS.map((kind) =>
      kind === 'name_dobname' ? vocabulary.duplicate_name_dob : kind,
    ),
    Vendor: vocabulary.vendors,
    ReasonCode: codes.map(({ reason_code }) => reason_code),
    RiskSignalScope: codes.flatMap(({ scopes }) => scopes),
  };
  return (name, schema) => {
    const words = lists[name];
    if (words) return { ...schema, enum: [...new Set(words)] };
    if (name === 'UserVaultData') return vaultDataSchema('user');
    if (name === 'BusinessVaultData') return vaultDataSchema('business');
    return name === 'ForwardedCip'
      ? renamedMember(schema, 'partner_response', vocabulary.partner_response)
      : schema;
  };
}

function renamedMember(schema: JsonSchema, from: string, to: string): JsonSchema {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name === from ? to : name, member as unknown]),
    ),
    required: [...new Set(required.map((name) => (name === from ? to : name)))],
  };
}

// What a write of a vault may name (contract §0.8, §1), for the document: identifiers with a fixed name are properties,
// with their types. One pattern of `propertyNames` names all, also those with a part that the caller chooses. It isn't
// `patternProperties`, which generators turn into a member of any name: no compiler finds a misspelt identifier then.

/** The schema of a create, an update or a check of a vault of this kind. */
function vaultDataSchema(kind: EntityKind): JsonSchema {
  const entries = identifierCatalogue().filter(({ vaults, derived }) => !derived && vaults.includes(kind));
  const fixed = entries.filter(({ identifier, storage }) => !identifier.includes('<') && storage !== 'file');
  const families =
    kind === 'user' ? 'card.*, bank.*, document.* and custom.*' : 'custom.* and those of an owner';
  return {
    type: 'object',
    description:
      'Data identifiers and values. In an update null deletes, and what is left out stays; a create ignores null. ' +
      `Identifiers with a name of yours (${families}) are allowed, too: the pattern has them`,
    properties: Object.fromEntries(fixed.map((entry) => [entry.identifier, valueSchema(entry)])),
    propertyNames: { pattern: namePattern(entries) },
  };
}

function valueSchema({ example, rule }: IdentifierEntry): JsonSchema {
  return {
    type: [Array.isArray(example) ? 'array' : 'string', 'null'],
    ...(Array.isArray(example) && { items: { type: typeof example[0] } }),
    description: rule,
    examples: [example],
  };
}

// Groups the operations of the document by noun.

export interface Tag {
  readonly name: string;
  readonly description: string;
}

const EMULATOR = 'emulator';
/** Path segments that are verbs for the noun before them. */
const VERBS = new Set(['search', 'verify', 'compare']);
/** Path segments that are not nouns, with the noun they belong to. */
const SAME_AS: Readonly<Record<string, string>> = {
  kyc: 'onboardings',
  kyb: 'onboardings',
  onboarding: 'onboardings',
  // The tokens of hosted flows.
  token: 'onboardings',
  hosted: 'hosted_flow',
  org: 'risk_signals',
  match_signals: 'risk_signals',
  auth_events: 'onboardings',
  reonboard: 'onboardings',
  liveness: 'documents',
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  users: 'People, each with a vault: create, find, change and delete them',
  businesses: 'Businesses, each with a vault: create, find, change and delete them',
  vault:
    'Data of users and businesses by data identifier: write, validate, decrypt, hash and delete it, files too',
  'client token': 'Short-lived tokens for some identifiers of one user or business, for browsers and phones',
  documents: 'Uploaded images that belong together, and the vault version of each',
  duplicates: 'Users who share data with a user',
  label: 'One word that marks a user or business',
  tags: 'Any number of words that mark a user or business',
  onboardings: 'Runs of users and businesses through playbooks, headless or in a hosted flow',
  decisions: 'Decisions about users and businesses, by a playbook or by a person',
  'risk signals': 'Findings of runs, and the catalogue of reason codes',
  'hosted flow': 'The pages of onboarding links, and the calls that they make with the token of their link',
  owners: 'Users who own a business, each with a stake',
  'vault proxy': 'Requests to third parties, with vaulted data in place of tokens',
  'bank links': 'Connections to banks: accounts, transactions, holdings and investment transactions',
  integrations: 'Reports for partners about a user',
  [EMULATOR]:
    'The control plane of this instance: keys, playbooks, webhooks, clock, faults, snapshots and more',
};

/** The noun of an endpoint: the segment after the entity in the path, else the first segment. */
export function resourceTag(key: MethodAndPath): string {
  const segments = splitKey(key)
    .path.split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{') && !VERBS.has(segment));
  const [first = '', second] = segments;
  if (first === '_kyclone') return EMULATOR;
  if (segments.at(-1) === 'risk_signals') return 'risk signals';
  if (second === 'api_keys') return EMULATOR;
  const noun = (first === 'users' || first === 'businesses') && second ? second : first;
  return (SAME_AS[noun] ?? noun).replaceAll('_', ' ');
}

/** In the order of the registry, the control plane last, except for endpoints that belong to another noun. */
export function resourceTags(endpoints: readonly KeyedEndpoint[]): Tag[] {
  const nouns = new Set(endpoints.map(({ key }) => resourceTag(key)));
  const names = nouns.delete(EMULATOR) ? [...nouns, EMULATOR] : [...nouns];
  return names.map((name) => ({ name, description: DESCRIPTIONS[name] ?? '' }));
}
