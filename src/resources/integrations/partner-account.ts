/** The data that opens an account at partner B: who the user is, and how to reach them (contract §2.25). Pure. */
import { type SubmissionSource, textOf } from './cip-forward.ts';
import type { CipReport } from './cip-report.ts';

type Texts<Name extends string> = Readonly<Record<Name, string | null>>;

export interface PartnerAccount {
  /** The name of the checking service, as the service calls itself. */
  readonly provider: string;
  readonly contact: Texts<'email_address' | 'phone_number' | 'city' | 'state' | 'postal_code' | 'country'> & {
    readonly street_address: readonly string[];
  };
  readonly identity: Texts<'given_name' | 'middle_name' | 'family_name' | 'date_of_birth' | 'tax_id'>;
  readonly disclosures: CipReport['self_reported'];
}

/** An absent value is null. */
export function partnerAccount(report: CipReport, { provider, values }: SubmissionSource): PartnerAccount {
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
