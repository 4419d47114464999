/** The data sent to partner B: the report, sorted into its three checks (contract §8.2). Pure. */
import type { StoredValue } from '../../../vault/vault.ts';
import type { CipReport } from './cip-report.ts';

export interface SubmissionSource {
  /** The name of the checking service, as the service calls itself. */
  readonly provider: string;
  readonly values: ReadonlyMap<string, StoredValue | undefined>;
}

/** The value, when it is a text. */
export function textOf(values: SubmissionSource['values'], identifier: string): string | null {
  const value = values.get(identifier);
  return typeof value === 'string' ? value : null;
}

export type CipForward = ReturnType<typeof cipForward>;

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
