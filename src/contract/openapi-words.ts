/**
 * Applies the instance's vocabulary to schemas of the document, and adds lists of words that a start should not load.
 */
import codes from '../fixtures/reason-codes.json' with { type: 'json' };
import { identifierCatalogue, namePattern, type IdentifierEntry } from '../vault/identifiers/catalogue.ts';
import type { KeyedEndpoint, Assumption } from './endpoint.ts';
import { DUPLICATE_KINDS } from '../nouns/control/facts.ts';
import type { EntityKind } from '../nouns/entities/facts.ts';
import type { MethodAndPath } from '../nouns/requests/facts.ts';
import type { JsonSchema } from './json-schema.ts';
import { splitKey } from './registry.ts';
import type { Settings } from '../nouns/settings/endpoints/index.ts';

/**
 * Decisions about the whole service, where the specification is silent. `why` is the number of the decision in contract
 * §13. Where the contract is silent, too, it begins with `ours` and gives the reason.
 */
export const CONVENTIONS: readonly Assumption[] = [
  { what: 'The Host header is checked; a foreign Host is 421', why: 'A1' },
  {
    what: 'CORS is open to loopback and configured origins on client-token endpoints only; any other Origin is 403. Download links open from any page, followed or as an image',
    why: 'A2',
  },
  { what: 'The secret-key header is equal in effect to Basic; Bearer keys are not accepted', why: 'A3' },
  { what: 'Preview scopes gate endpoints; a new key has all; a missing one is 403', why: 'A4' },
  {
    what: 'Keys carry permissions for entities, vault, onboarding, review, proxy, bank links and decrypt by pattern',
    why: 'A5',
  },
  {
    what: 'Checks run in the order host, readiness, fault, route, credential, scope, content, entity, shape, fields, reason, values, state',
    why: 'A6',
  },
  { what: 'The error body is {message, code, context?}, with a code on every error', why: 'A7' },
  { what: 'Ids are a type prefix and 22 base62 characters', why: 'A8' },
  {
    what: 'GET and HEAD of / answer 302 to the docs page; any other method there is 404 not_found',
    why: 'ours: the specification has no such path, and a person who opens the address gets somewhere',
  },
  { what: 'Unknown members of fixed-shape bodies are ignored; the control plane refuses them', why: 'A9' },
  { what: 'List parameters are comma-separated, blanks tolerated, 100 at most', why: 'A10' },
  { what: 'JSON integers are accepted for typed text; numbers in custom values keep their text', why: 'A11' },
  {
    what: 'Pages hold 20 by default, newest first; out-of-range sizes are 400 or capped as stated',
    why: 'A12',
  },
  { what: 'Vault bodies hold 32 KiB, other JSON bodies 256 KiB; there is no rate limit', why: 'A13' },
  {
    what: 'Uploads hold 10 MiB, counted as they come in: raw bytes or a multipart form with the one part upload_file',
    why: 'A13, A35',
  },
  {
    what: 'An upload is always a new version of its datum, even of the bytes that are stored already',
    why: 'ours: a file streams in and is not compared with the one it replaces',
  },
  {
    what: 'The files of one decryption hold 64 MiB together; beyond that it is 400 invalid_request: ask for fewer fields, or download them',
    why: 'ours: a JSON answer is made in memory, a download streams',
  },
  {
    what: 'The transforms of one request have one budget over all its fields, versions, chains, tokens and ingress rules; beyond it, or with more than 64 Mi characters made, it is 400 transform_failed; it takes 16 different public keys, else 400 transform_invalid',
    why: 'ours: no request may hold the daemon or exhaust its memory',
  },
  {
    what: 'A client token reads at most 20 versions of one identifier in a request; integrity hashes 512 MiB of files',
    why: 'ours: versions would make thousands of the few fields that a token names',
  },
  {
    what: 'A member that stands twice in one object is 400 in the control plane; elsewhere the last one counts and the journal has a hint',
    why: 'A9; ours: a search for the other value shows it',
  },
  {
    what: 'Bodies of the control plane are nested 64 deep at most, with 1,000 members an object, names of 256 and texts of 32,768 characters; else 400',
    why: 'ours: every rule behind them takes a bounded time',
  },
  {
    what: 'A reason of blanks counts as none, wherever one is given',
    why: 'ours: the access log is to say why',
  },
  {
    what: 'A client token that lacks the ability or an identifier of the call is 403; where the call would read, the refusal is an entry of the access log',
    why: 'A30',
  },
  {
    what: 'CORS answers let the page read x-request-id and x-fp-vault-version',
    why: 'ours: a page needs them to name its request and to read a version again',
  },
  { what: 'A vault has one version counter; deletion keeps history unless purged', why: 'A14' },
  { what: 'The two fixture phone numbers are refused with a live key', why: 'A15' },
  { what: 'Validation maps each identifier to one fixed short reason, never a value', why: 'A16' },
  { what: 'The control plane lives under /_kyclone with a token of its own', why: 'A72' },
  { what: 'Error codes are T120, T121, T122 and the listed lower-case slugs', why: 'A73' },
];

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
