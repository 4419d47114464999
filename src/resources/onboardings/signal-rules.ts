/** The risk signals of a finished run, by its outcome and the available data (contract §4.5, A57). Pure. */
import type { EntityKind } from '../../contract/facts/entities.ts';
import type { Outcome } from '../../contract/facts/onboardings.ts';
import type { SignalChanges } from '../outcomes/index.ts';

export interface RunInputs {
  readonly kind: EntityKind;
  /** The outcome whose signals apply; a step-up counts as one once its document has arrived. */
  readonly outcome: Outcome;
  /** The identifiers in the vault, including derived ones. */
  readonly present: ReadonlySet<string>;
  /** Undefined when absent. */
  readonly addressLine1: string | undefined;
  /** Whether the business has users linked as owners. */
  readonly hasOwners: boolean;
  /** Signals added and removed by the outcome rule of the run, whatever the outcome. */
  readonly changes: SignalChanges;
}

const USER_CLEAR = [
  'watchlist_clear_ofac',
  'watchlist_clear_non_sdn',
  'watchlist_clear_warning',
  'watchlist_clear_pep',
  'adverse_media_clear',
] as const;
const USER_REVIEW = [
  'name_matches',
  'dob_matches',
  'ssn_matches',
  'address_partially_matches',
  'watchlist_hit_ofac',
  'watchlist_clear_non_sdn',
  'watchlist_clear_warning',
  'watchlist_clear_pep',
  'adverse_media_hit',
];

type Sets = Readonly<Partial<Record<Outcome, readonly string[]>>>;
const SETS: Readonly<Record<RunInputs['kind'], Sets>> = {
  user: {
    pass: [
      'name_matches',
      'dob_matches',
      'ssn_matches',
      'address_matches',
      'phone_number_matches',
      'email_found_on_file',
      ...USER_CLEAR,
    ],
    fail: [
      'id_not_located',
      'name_does_not_match',
      'dob_does_not_match',
      'ssn_does_not_match',
      'address_does_not_match',
      'email_not_found_on_file',
      ...USER_CLEAR,
    ],
    manual_review: USER_REVIEW,
    step_up: [...USER_REVIEW, 'document_requires_review', 'document_ocr_successful'],
  },
  business: {
    pass: [
      'business_name_match',
      'tin_match',
      'business_address_match',
      'business_phone_number_match',
      'business_website_online',
      'sos_active_filing_found',
      'business_name_no_watchlist_hits',
      'beneficial_owners_match',
      'watchlist_clear_ofac',
      'adverse_media_clear',
    ],
    fail: [
      'business_name_does_not_match',
      'tin_does_not_match',
      'business_address_does_not_match',
      'sos_filing_not_found',
      'business_website_offline',
      'business_name_no_watchlist_hits',
      'watchlist_clear_ofac',
      'adverse_media_clear',
    ],
    manual_review: [
      'business_name_similar_match',
      'tin_match',
      'business_address_close_match',
      'sos_filing_partially_active',
      'business_name_watchlist_hit',
      'watchlist_hit_ofac',
      'adverse_media_hit',
    ],
  },
};

type Needs = (inputs: RunInputs) => boolean;
const anyOf =
  (...identifiers: string[]): Needs =>
  ({ present }) =>
    identifiers.some((identifier) => present.has(identifier));
const hasSsn = anyOf('id.ssn9', 'id.ssn4');
const always: Needs = () => true;

/** The data that codes depend on, by their prefix, longer prefixes first; other codes depend on none. */
const INPUTS: readonly (readonly [prefix: string, needs: Needs])[] = [
  ['name_', anyOf('id.first_name', 'id.last_name')],
  ['dob_', anyOf('id.dob')],
  ['ssn_', hasSsn],
  ['address_', anyOf('id.address_line1')],
  ['phone_number_', anyOf('id.phone_number')],
  ['email_', anyOf('id.email')],
  // Watchlists are searched in any case.
  ['business_name_no_watchlist_hits', always],
  ['business_name_watchlist_hit', always],
  ['business_name_', anyOf('business.name')],
  ['business_address_', anyOf('business.address_line1')],
  ['business_phone_number_', anyOf('business.phone_number')],
  ['business_website_', anyOf('business.website')],
  ['tin_', anyOf('business.tin')],
  ['sos_', anyOf('business.name')],
  ['beneficial_owners_', hasOwnerData],
];

/** The codes of the run, without duplicates. */
export function signalsOf(run: RunInputs): Set<string> {
  const codes = new Set<string>();
  for (const code of SETS[run.kind][run.outcome] ?? []) {
    const isItinOnly = code.startsWith('ssn_') && !hasSsn(run) && run.present.has('id.itin');
    if (isItinOnly) codes.add('us_tax_id_is_itin');
    else if (hasInput(code, run)) codes.add(code);
  }
  if (run.kind === 'user' && isPostOfficeBox(run.addressLine1)) codes.add('address_input_is_po_box');
  for (const code of run.changes.add) codes.add(code);
  for (const code of run.changes.remove) codes.delete(code);
  return codes;
}

/** The watchlist result in the codes; undefined when they have none. */
export function watchlistCheck(codes: ReadonlySet<string>): 'pass' | 'fail' | undefined {
  const found = [...codes].filter((code) => code.startsWith('watchlist_'));
  if (found.length === 0) return undefined;
  return found.some((code) => code.startsWith('watchlist_hit_')) ? 'fail' : 'pass';
}

function hasInput(code: string, run: RunInputs): boolean {
  const [, needs = always] = INPUTS.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return needs(run);
}

function hasOwnerData({ hasOwners, present }: RunInputs): boolean {
  const isOwnerData = (identifier: string) =>
    /^business\.(?:kyced_)?beneficial_owners(?:\.|$)/.test(identifier);
  return hasOwners || [...present].some(isOwnerData);
}

const POST_OFFICE_BOX = /\b(?:p[.\s]{0,8}o|post\s{1,8}office)[.\s-]{0,8}box(?![a-z])/i;

function isPostOfficeBox(addressLine1: string | undefined): boolean {
  return addressLine1 !== undefined && POST_OFFICE_BOX.test(addressLine1);
}
