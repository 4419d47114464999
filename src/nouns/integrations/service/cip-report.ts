/** The CIP report of a user: decisions, findings and stored data, in the terms of partner A (contract §8.1). Pure. */
import { hash } from 'node:crypto';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { StoredValue } from '../../../vault/vault.ts';
import type { Decision } from '../../decisions/service.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import type { OnboardingView } from '../../onboardings/service/index.ts';
import type { RiskSignal } from '../../risk-signals/service.ts';

export type CipReport = AnswerOf<'POST /users/{fp_id}/integrations/{partner_a}/cip_report'>;
export type CipCheck = CipReport['result'];

/** Partner B gets these in addition to the report: with CIP information, and to open an account. */
export const FORWARDED_IDENTIFIERS = ['id.nationality'] as const;
export const CONTACT_IDENTIFIERS = ['id.email', 'id.phone_number'] as const;

/** All vault identifiers that a report uses. */
export const REPORTED_IDENTIFIERS = [
  'id.first_name',
  'id.middle_name',
  'id.last_name',
  'id.dob',
  'id.us_tax_id',
  'id.address_line1',
  'id.address_line2',
  'id.city',
  'id.state',
  'id.zip',
  'id.country',
  'id.citizenships',
  'id.us_legal_status',
  'id.visa_kind',
  'investor_profile.annual_income',
  'investor_profile.net_worth',
  'investor_profile.declarations',
  'investor_profile.employment_status',
  'investor_profile.occupation',
  'investor_profile.investment_goals',
  'investor_profile.brokerage_firm_employer',
] as const;

/** The facts about a user at one moment. */
export interface CipFacts {
  readonly entity: Pick<EntityRow, 'fp_id' | 'requires_manual_review'>;
  /** The latest one. */
  readonly decision: Decision;
  /** Terminal runs, newest first. */
  readonly runs: readonly Run[];
  /** The signals of the newest run. */
  readonly signals: readonly Pick<RiskSignal, 'reason_code' | 'note' | 'severity' | 'scopes'>[];
  /** By identifier; undefined where absent. */
  readonly values: ReadonlyMap<string, StoredValue | undefined>;
  /** The attribute of the entity, if it was set. */
  readonly ipAddress: string | undefined;
  /** vocabulary.vendors. */
  readonly vendors: readonly string[];
  readonly defaultApprover: string;
}

type Run = Pick<OnboardingView, 'status' | 'created_at' | 'completed_at'>;

/** Reserved for documentation (RFC 5737), so that no report contains a real address. */
const DEFAULT_IP_ADDRESS = '203.0.113.10';
const BROKER_DECLARATION = 'affiliated_with_us_broker';

/** The checks: the datum that must be present, and the scopes of signals that cast doubt on it. */
const CHECKED = {
  date_of_birth: { datum: 'id.dob', scopes: ['dob'] },
  matched_address: {
    datum: 'id.address_line1',
    scopes: ['address', 'street_address', 'city', 'state', 'zip'],
  },
  tax_id: { datum: 'id.us_tax_id', scopes: ['ssn', 'itin'] },
} as const;

const WATCHLISTS = {
  adverse_media: ['adverse_media_hit'],
  monitored_lists: ['watchlist_hit_non_sdn', 'watchlist_hit_warning'],
  politically_exposed_person: ['watchlist_hit_pep'],
  sanction: ['watchlist_hit_ofac'],
} as const;
const HITS: ReadonlySet<string> = new Set(Object.values(WATCHLISTS).flat());

export function cipReport(facts: CipFacts): CipReport {
  const { entity, decision, runs, ipAddress, defaultApprover } = facts;
  const [newest] = runs;
  const [dob, address, taxId] = [
    vendorCheck(facts, 'date_of_birth'),
    vendorCheck(facts, 'matched_address'),
    vendorCheck(facts, 'tax_id'),
  ];
  const isApproved = decision.status === 'pass';
  return {
    user_id: entity.fp_id,
    result: isApproved && !entity.requires_manual_review ? 'clear' : 'consider',
    approved_at: isApproved ? decision.timestamp : '',
    approved_by: isApproved
      ? ((decision.kind === 'manual' ? decision.reviewer_email : null) ?? defaultApprover)
      : '',
    approved_reason: isApproved ? decision.annotation : null,
    check_initiated_at: newest?.created_at ?? null,
    check_completed_at: newest?.completed_at ?? null,
    kyc_completed_at: firstPass(runs),
    ip_address: ipAddress ?? DEFAULT_IP_ADDRESS,
    checked_data: checkedData(facts),
    date_of_birth: dob.check,
    date_of_birth_breakdown: dob.vendors,
    matched_address: address.check,
    matched_addresses: address.vendors,
    tax_id: taxId.check,
    tax_id_breakdown: taxId.vendors,
    self_reported: selfReported(facts),
    watchlist: watchlist(facts),
  };
}

/** When the first passed run completed. Timestamps of one format sort as texts. */
function firstPass(runs: readonly Run[]): string | null {
  const passed = runs.filter(({ status }) => status === 'pass').map((run) => run.completed_at ?? '');
  return passed.sort()[0] ?? null;
}

/** Clear when the datum is present and no signal contradicts it; then some vendors have confirmed it. */
function vendorCheck(
  { entity, signals, values, vendors }: CipFacts,
  what: keyof typeof CHECKED,
): { check: CipCheck; vendors: string[] } {
  const { datum, scopes } = CHECKED[what];
  const isRaised = signals.some(
    (signal) =>
      (signal.severity === 'medium' || signal.severity === 'high') &&
      signal.scopes.some((scope) => (scopes as readonly string[]).includes(scope)),
  );
  if (isRaised || values.get(datum) === undefined) return { check: 'consider', vendors: [] };
  return { check: 'clear', vendors: confirming(vendors, `${entity.fp_id}\0${datum}`) };
}

const LEAST_VENDORS = 2;
const MOST_VENDORS = 4;

/** Two to four of the vendors, in order: always the same for the same purpose. */
function confirming(vendors: readonly string[], purpose: string): string[] {
  const draws = hash('sha256', `kyclone vendors\0${purpose}`, 'buffer');
  const left = vendors.map((_, index) => index);
  const count = LEAST_VENDORS + ((draws[0] ?? 0) % (MOST_VENDORS - LEAST_VENDORS + 1));
  const chosen = Array.from({ length: count }, (_, draw) => {
    const at = draws.readUInt16BE(2 * draw + 2) % left.length;
    return left.splice(at, 1)[0] ?? 0;
  });
  return chosen.sort((one, other) => one - other).map((index) => vendors[index] ?? '');
}

function checkedData({ values }: CipFacts): CipReport['checked_data'] {
  const text = (field: string): string => textOf(values.get(`id.${field}`)) ?? '';
  const region = joined([text('state'), text('zip')], ' ');
  const lines = [text('address_line1'), text('address_line2'), text('city'), region, text('country')];
  return {
    address: joined(lines, ', '),
    customer_name: customerName({ values }),
    date_of_birth: text('dob'),
    tax_id: textOf(values.get('id.us_tax_id')),
  };
}

function customerName({ values }: Pick<CipFacts, 'values'>): string {
  const names = ['first', 'middle', 'last'].map((part) => textOf(values.get(`id.${part}_name`)) ?? '');
  return joined(names, ' ');
}

function selfReported({ values }: CipFacts): CipReport['self_reported'] {
  const text = (identifier: string) => textOf(values.get(identifier));
  const declarations = values.get('investor_profile.declarations');
  const isWithBroker =
    values.get('investor_profile.brokerage_firm_employer') !== undefined ||
    (Array.isArray(declarations) && declarations.includes(BROKER_DECLARATION));
  return {
    annual_income: text('investor_profile.annual_income'),
    citizenships: text('id.citizenships'),
    declarations: text('investor_profile.declarations'),
    employment_status: text('investor_profile.employment_status'),
    investment_objectives: text('investor_profile.investment_goals'),
    is_employed_at_brokerage_firm: String(isWithBroker),
    net_worth: text('investor_profile.net_worth'),
    occupation: text('investor_profile.occupation'),
    us_legal_status: text('id.us_legal_status'),
    visa_kind: text('id.visa_kind'),
  };
}

function watchlist(facts: CipFacts): CipReport['watchlist'] {
  const hits = facts.signals.filter(({ reason_code }) => HITS.has(reason_code));
  const check = (codes: readonly string[]): CipCheck =>
    hits.some(({ reason_code }) => codes.includes(reason_code)) ? 'consider' : 'clear';
  const name = customerName(facts);
  return {
    adverse_media: check(WATCHLISTS.adverse_media),
    monitored_lists: check(WATCHLISTS.monitored_lists),
    politically_exposed_person: check(WATCHLISTS.politically_exposed_person),
    result: hits.length > 0 ? 'consider' : 'clear',
    sanction: check(WATCHLISTS.sanction),
    check_completed_at: facts.runs[0]?.completed_at ?? facts.decision.timestamp,
    records: hits.map(({ reason_code, note }) => ({ reason_code, list: note, matched_name: name })),
  };
}

/** Lists are joined by commas; null when it is absent. */
function textOf(value: StoredValue | undefined): string | null {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : null;
}

/** Skips missing parts. */
function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}
