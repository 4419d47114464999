/** The data sent to partner B: the report, sorted into its three checks (contract §8.2). Pure. */
import type { StoredValue } from '../../../vault/vault.ts';
import type { CipReport } from './cip-report.ts';

export interface SubmissionSource {
  /** The name of the checking service, as the service calls itself. */
  readonly provider: string;
  readonly values: ReadonlyMap<string, StoredValue | undefined>;
}

/** The value, when it is a text. */
function textOf(values: SubmissionSource['values'], identifier: string): string | null {
  const value = values.get(identifier);
  return typeof value === 'string' ? value : null;
}

/** `id` is the user's in all three. */
export function cipForward(report: CipReport, { provider, values }: SubmissionSource) {
  const {
    user_id: id,
    result,
    checked_data,
    date_of_birth,
    date_of_birth_breakdown,
    matched_address,
    matched_addresses,
    tax_id,
    tax_id_breakdown,
    watchlist,
    ...approval
  } = report;
  const { customer_name: applicant_name, ...checked } = checked_data;
  const isCitizen = approval.self_reported.us_legal_status === 'citizen';
  /** Two letters; null when it is unknown. */
  const nationality = isCitizen ? 'US' : textOf(values, 'id.nationality');
  const isDoubted = [date_of_birth, matched_address, tax_id].includes('consider');
  return {
    provider,
    kyc: { id, result, applicant_name, ...checked, nationality, ...approval },
    identity: {
      id,
      result: isDoubted ? ('consider' as const) : ('clear' as const),
      date_of_birth,
      date_of_birth_breakdown,
      matched_address,
      matched_addresses,
      tax_id,
      tax_id_breakdown,
    },
    watchlist: { id, ...watchlist },
  };
}

// The data that opens an account at partner B: who the user is, and how to reach them (contract §2.25). Pure.

/** An absent value is null. */
export function partnerAccount(report: CipReport, { provider, values }: SubmissionSource) {
  const text = (name: string) => textOf(values, `id.${name}`);
  return {
    provider,
    contact: {
      email_address: text('email'),
      phone_number: text('phone_number'),
      street_address: [text('address_line1'), text('address_line2')].filter((line) => line !== null),
      city: text('city'),
      state: text('state'),
      postal_code: text('zip'),
      country: text('country'),
    },
    identity: {
      given_name: text('first_name'),
      middle_name: text('middle_name'),
      family_name: text('last_name'),
      date_of_birth: text('dob'),
      tax_id: text('us_tax_id'),
    },
    disclosures: report.self_reported,
  };
}
