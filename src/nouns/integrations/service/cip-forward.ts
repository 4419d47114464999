/** The data sent to partner B: the report, sorted into its three checks (contract §8.2). Pure. */
import type { StoredValue } from '../../../vault/vault.ts';
import type { CipCheck, CipReport } from './cip-report.ts';

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

export interface CipForward {
  /** The name of the checking service, as the service calls itself. */
  readonly provider: string;
  readonly kyc: Kyc;
  readonly identity: Identity;
  readonly watchlist: CipReport['watchlist'] & { readonly id: string };
}

type Kyc = Pick<
  CipReport,
  | 'result'
  | 'approved_at'
  | 'approved_by'
  | 'approved_reason'
  | 'check_initiated_at'
  | 'check_completed_at'
  | 'kyc_completed_at'
  | 'ip_address'
  | 'self_reported'
> & {
  readonly id: string;
  readonly applicant_name: string;
  readonly address: string;
  readonly date_of_birth: string;
  readonly tax_id: string | null;
  /** Two letters; null when it is unknown. */
  readonly nationality: string | null;
};

type Identity = Pick<
  CipReport,
  | 'date_of_birth'
  | 'date_of_birth_breakdown'
  | 'matched_address'
  | 'matched_addresses'
  | 'tax_id'
  | 'tax_id_breakdown'
> & {
  readonly id: string;
  /** Consider when one of its checks is. */
  readonly result: CipCheck;
};

/** `id` is the user's in all three. */
export function cipForward(report: CipReport, { provider, values }: SubmissionSource): CipForward {
  const id = report.user_id;
  const { address, customer_name, date_of_birth, tax_id } = report.checked_data;
  const checks = [report.date_of_birth, report.matched_address, report.tax_id];
  return {
    provider,
    kyc: {
      id,
      result: report.result,
      applicant_name: customer_name,
      address,
      date_of_birth,
      tax_id,
      nationality:
        report.self_reported.us_legal_status === 'citizen' ? 'US' : textOf(values, 'id.nationality'),
      approved_at: report.approved_at,
      approved_by: report.approved_by,
      approved_reason: report.approved_reason,
      check_initiated_at: report.check_initiated_at,
      check_completed_at: report.check_completed_at,
      kyc_completed_at: report.kyc_completed_at,
      ip_address: report.ip_address,
      self_reported: report.self_reported,
    },
    identity: {
      id,
      result: checks.includes('consider') ? 'consider' : 'clear',
      date_of_birth: report.date_of_birth,
      date_of_birth_breakdown: report.date_of_birth_breakdown,
      matched_address: report.matched_address,
      matched_addresses: report.matched_addresses,
      tax_id: report.tax_id,
      tax_id_breakdown: report.tax_id_breakdown,
    },
    watchlist: { id, ...report.watchlist },
  };
}
