/** Reports about a user for partners: composed here, returned or forwarded (contract §2.23, §8). */
import { Type } from '@sinclair/typebox';
import { endpoint, secretKey } from '../../../contract/endpoint.ts';
import { named, Nullable, OneOf, Timestamp } from '../../../contract/shapes.ts';
import { ReasonCode } from '../../risk-signals/endpoints.ts';

const Check = named('CheckResult', OneOf(['clear', 'consider']));
const OptionalText = Nullable(Type.String());
const Vendors = Type.Array(named('Vendor', Type.String()));
const Approver = Type.String({ minLength: 1, maxLength: 256 });

const CipReport = named(
  'CipReport',
  Type.Object({
    user_id: Type.String(),
    result: Check,
    approved_at: Type.String({ description: 'a time, or empty when nobody approved' }),
    approved_by: Type.String({ description: 'empty when nobody approved' }),
    approved_reason: OptionalText,
    check_initiated_at: Nullable(Timestamp),
    check_completed_at: Nullable(Timestamp),
    kyc_completed_at: Nullable(Timestamp),
    ip_address: Type.String(),
    checked_data: named(
      'CipCheckedData',
      Type.Object({
        address: Type.String(),
        customer_name: Type.String(),
        date_of_birth: Type.String(),
        tax_id: OptionalText,
      }),
    ),
    date_of_birth: Check,
    date_of_birth_breakdown: Vendors,
    matched_address: Check,
    matched_addresses: Vendors,
    tax_id: Check,
    tax_id_breakdown: Vendors,
    self_reported: named(
      'CipSelfReported',
      Type.Object({
        annual_income: OptionalText,
        citizenships: OptionalText,
        declarations: OptionalText,
        employment_status: OptionalText,
        investment_objectives: OptionalText,
        is_employed_at_brokerage_firm: OptionalText,
        net_worth: OptionalText,
        occupation: OptionalText,
        us_legal_status: OptionalText,
        visa_kind: OptionalText,
      }),
    ),
    watchlist: named(
      'CipWatchlist',
      Type.Object({
        adverse_media: Check,
        monitored_lists: Check,
        politically_exposed_person: Check,
        result: Check,
        sanction: Check,
        check_completed_at: Timestamp,
        records: Type.Array(
          named(
            'CipWatchlistRecord',
            Type.Object({ reason_code: ReasonCode, list: Type.String(), matched_name: Type.String() }),
          ),
        ),
      }),
    ),
  }),
);

const Credential = Type.String({ minLength: 1, maxLength: 1024 });

/** What every call to the partner needs. */
const PARTNER = {
  api_key: Credential,
  api_secret: Credential,
  default_approver: Approver,
  hostname: Type.String({ minLength: 1, maxLength: 512 }),
};

const Forwarded = named(
  'ForwardedCip',
  Type.Object({
    partner_response: Type.Record(Type.String(), Type.Unknown(), {
      description: "the partner's answer; the name of this member is vocabulary.partner_response",
    }),
    status_code: Type.Integer({ description: "the partner's HTTP status" }),
  }),
);

export const integrationEndpoints = [
  endpoint('POST /users/{fp_id}/integrations/{partner_a}/cip_report', {
    operationId: 'createUserCipReport',
    auth: secretKey(),
    stability: 'stable',
    body: named('CreateCipReportRequest', Type.Object({ default_approver: Approver })),
    response: CipReport,
    errors: ['decision_required'],
    carriesVaultData: true,
    assumed: [
      { what: 'composed from decision, newest run, signals and vault as tabled', why: 'A67' },
      {
        what: 'the key needs decrypt for every identifier the report reads',
        why: 'ours: otherwise a report would show values that the key may not decrypt',
      },
    ],
    summary: 'Build the CIP report of a user',
  }),
  endpoint('POST /users/{fp_id}/integrations/{partner_b}/cip', {
    operationId: 'forwardUserCip',
    auth: secretKey(),
    stability: 'stable',
    body: named(
      'ForwardCipRequest',
      Type.Object({ account_id: Type.String({ minLength: 1, maxLength: 256 }), ...PARTNER }),
    ),
    response: Forwarded,
    errors: ['decision_not_approved', 'partner_unreachable'],
    carriesVaultData: true,
    assumed: [{ what: 'the partner is simulated except for loopback hosts', why: 'A68' }],
    summary: 'Compose CIP information of a user and forward it to a partner',
  }),
  endpoint('POST /users/{fp_id}/integrations/{partner_b}/account', {
    operationId: 'createUserPartnerAccount',
    auth: secretKey(),
    stability: 'deprecated',
    body: named('CreatePartnerAccountRequest', Type.Object(PARTNER)),
    response: Forwarded,
    errors: ['decision_not_approved', 'partner_unreachable'],
    carriesVaultData: true,
    assumed: [
      { what: 'its members and what is sent', why: 'the old documentation names it only' },
      { what: 'the partner is simulated except for loopback hosts', why: 'A68' },
    ],
    summary: 'Open an account for a user at a partner (deprecated)',
  }),
] as const;
