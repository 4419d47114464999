/** Groups the operations of the document by noun. */
import type { MethodAndPath } from './facts/requests.ts';
import type { KeyedEndpoint } from './endpoint.ts';
import { splitKey } from './registry.ts';

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
