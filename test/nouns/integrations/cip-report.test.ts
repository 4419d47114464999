/** The members of a CIP report (contract §8.1); expected values come from the contract. */
import { describe, expect, test } from 'vitest';
import { cipForward } from '../../../src/nouns/integrations/service/cip-forward.ts';
import {
  cipReport,
  REPORTED_IDENTIFIERS,
  type CipFacts,
} from '../../../src/nouns/integrations/service/cip-report.ts';
import { CATALOGUE } from '../../../src/nouns/risk-signals/service.ts';
import { describeIdentifier } from '../../../src/vault/identifiers/index.ts';

const PASSED: CipFacts['decision'] = {
  kind: 'playbook_run',
  status: 'pass',
  timestamp: '2026-03-01T12:00:03.000Z',
  playbook_key: 'pb_test_kycdefault000000000000',
  annotation: null,
  reviewer_email: null,
};
const MANUAL: CipFacts['decision'] = {
  ...PASSED,
  kind: 'manual',
  timestamp: '2026-03-02T12:00:00.000Z',
  annotation: 'called them',
  reviewer_email: 'rev@example.com',
};

const run = (status: CipFacts['runs'][number]['status'], day: number): CipFacts['runs'][number] => ({
  status,
  created_at: `2026-03-0${day}T09:00:00.000Z`,
  completed_at: `2026-03-0${day}T10:00:00.000Z`,
});

const VALUES = {
  'id.first_name': 'Wilhelmina',
  'id.middle_name': 'Ada',
  'id.last_name': 'Oyelaran',
  'id.dob': '1988-12-30',
  'id.us_tax_id': '121121212',
  'id.address_line1': '742 Evergreen Terrace',
  'id.address_line2': 'Flat 3',
  'id.city': 'Enclave',
  'id.state': 'CA',
  'id.zip': '94117',
  'id.country': 'US',
};

function facts(
  changes: Partial<CipFacts> = {},
  values: Record<string, string | string[]> = VALUES,
): CipFacts {
  return {
    entity: { fp_id: 'fp_id_1', requires_manual_review: false },
    decision: PASSED,
    runs: [run('pass', 3)],
    signals: [],
    values: new Map(Object.entries(values)),
    ipAddress: undefined,
    vendors: Array.from({ length: 16 }, (_, index) => `vendor_${index + 1}`),
    defaultApprover: 'Compliance',
    ...changes,
  };
}

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(VALUES).filter(([name]) => !names.includes(name)));

function catalogued(...codes: string[]): CipFacts['signals'] {
  return codes.map((code) => {
    const found = CATALOGUE.find(({ reason_code }) => reason_code === code);
    if (!found) throw new Error(`no reason code ${code}`);
    return found;
  });
}

/** Entity and datum decide which vendors these are. */
const SOME_VENDORS = expect.arrayContaining([expect.stringMatching(/^vendor_\d+$/)]) as string[];

describe('report', () => {
  test('cip_report: every field, for a user that passed', () => {
    expect(cipReport(facts())).toEqual({
      user_id: 'fp_id_1',
      result: 'clear',
      approved_at: '2026-03-01T12:00:03.000Z',
      approved_by: 'Compliance',
      approved_reason: null,
      check_initiated_at: '2026-03-03T09:00:00.000Z',
      check_completed_at: '2026-03-03T10:00:00.000Z',
      kyc_completed_at: '2026-03-03T10:00:00.000Z',
      ip_address: '203.0.113.10',
      checked_data: {
        address: '742 Evergreen Terrace, Flat 3, Enclave, CA 94117, US',
        customer_name: 'Wilhelmina Ada Oyelaran',
        date_of_birth: '1988-12-30',
        tax_id: '121121212',
      },
      date_of_birth: 'clear',
      date_of_birth_breakdown: SOME_VENDORS,
      matched_address: 'clear',
      matched_addresses: SOME_VENDORS,
      tax_id: 'clear',
      tax_id_breakdown: SOME_VENDORS,
      self_reported: {
        annual_income: null,
        citizenships: null,
        declarations: null,
        employment_status: null,
        investment_objectives: null,
        is_employed_at_brokerage_firm: 'false',
        net_worth: null,
        occupation: null,
        us_legal_status: null,
        visa_kind: null,
      },
      watchlist: {
        adverse_media: 'clear',
        monitored_lists: 'clear',
        politically_exposed_person: 'clear',
        result: 'clear',
        sanction: 'clear',
        check_completed_at: '2026-03-03T10:00:00.000Z',
        records: [],
      },
    });
  });

  test.each([
    ['pass', false, 'clear'],
    ['pass', true, 'consider'],
    ['fail', false, 'consider'],
    ['none', false, 'consider'],
  ] as const)('result: decision %s with review %s is %s', (status, requires_manual_review, result) => {
    const entity = { fp_id: 'fp_id_1', requires_manual_review };
    expect(cipReport(facts({ entity, decision: { ...PASSED, status } })).result).toBe(result);
  });

  test.each(['fail', 'none'] as const)(
    'approved: the members are empty while the latest decision is %s',
    (status) => {
      expect(cipReport(facts({ decision: { ...MANUAL, status } }))).toMatchObject({
        approved_at: '',
        approved_by: '',
        approved_reason: null,
      });
    },
  );

  test('approved_by: the default approver where the reviewer gave no address', () => {
    const decision = { ...MANUAL, reviewer_email: null };
    expect(cipReport(facts({ decision })).approved_by).toBe('Compliance');
  });

  test('checks: of the newest run; KYC was completed when the first one passed', () => {
    const runs = [run('error', 5), run('pass', 4), run('pass', 2), run('fail', 1)];
    expect(cipReport(facts({ runs }))).toMatchObject({
      check_initiated_at: '2026-03-05T09:00:00.000Z',
      check_completed_at: '2026-03-05T10:00:00.000Z',
      watchlist: { check_completed_at: '2026-03-05T10:00:00.000Z' },
      kyc_completed_at: '2026-03-02T10:00:00.000Z',
    });
  });

  test('checks: null without a finished run, but the watchlists have the time of the decision', () => {
    expect(cipReport(facts({ runs: [], decision: MANUAL }))).toMatchObject({
      check_initiated_at: null,
      check_completed_at: null,
      kyc_completed_at: null,
      watchlist: { check_completed_at: MANUAL.timestamp },
    });
    expect(cipReport(facts({ runs: [run('fail', 2)] })).kyc_completed_at).toBeNull();
  });
});

describe('checked_data', () => {
  test.each([
    [without('id.address_line2'), '742 Evergreen Terrace, Enclave, CA 94117, US'],
    [without('id.state'), '742 Evergreen Terrace, Flat 3, Enclave, 94117, US'],
    [without('id.zip'), '742 Evergreen Terrace, Flat 3, Enclave, CA, US'],
    [without('id.state', 'id.zip', 'id.country'), '742 Evergreen Terrace, Flat 3, Enclave'],
    [{ 'id.country': 'US' }, 'US'],
    [{}, ''],
  ])('address: of %j', (values, address) => {
    expect(cipReport(facts({}, values)).checked_data.address).toBe(address);
  });

  test.each([
    [without('id.middle_name'), 'Wilhelmina Oyelaran'],
    [without('id.first_name', 'id.middle_name'), 'Oyelaran'],
    [{}, ''],
  ])('customer_name: of %j', (values, name) => {
    expect(cipReport(facts({}, values)).checked_data.customer_name).toBe(name);
  });

  test('date_of_birth and tax_id: empty and null where they are missing', () => {
    expect(cipReport(facts({}, {})).checked_data).toMatchObject({ date_of_birth: '', tax_id: null });
  });
});

describe('self_reported', () => {
  test('self_reported: texts as they are, lists joined', () => {
    const values = {
      'investor_profile.annual_income': 'gt50k_le100k',
      'investor_profile.net_worth': 'le50k',
      'investor_profile.declarations': ['senior_executive', 'family_of_political_figure'],
      'investor_profile.employment_status': 'employed',
      'investor_profile.investment_goals': ['growth', 'income'],
      'investor_profile.occupation': 'Baker',
      'id.citizenships': ['US', 'CA'],
      'id.us_legal_status': 'visa',
      'id.visa_kind': 'h1b',
    };
    expect(cipReport(facts({}, values)).self_reported).toEqual({
      annual_income: 'gt50k_le100k',
      citizenships: 'US, CA',
      declarations: 'senior_executive, family_of_political_figure',
      employment_status: 'employed',
      investment_objectives: 'growth, income',
      is_employed_at_brokerage_firm: 'false',
      net_worth: 'le50k',
      occupation: 'Baker',
      us_legal_status: 'visa',
      visa_kind: 'h1b',
    });
  });

  test.each([
    [{ 'investor_profile.brokerage_firm_employer': 'Fisher & Sons' }, 'true'],
    [{ 'investor_profile.declarations': ['senior_executive', 'affiliated_with_us_broker'] }, 'true'],
    [{ 'investor_profile.declarations': ['senior_executive'] }, 'false'],
    [{ 'investor_profile.employer': 'Fisher & Sons' }, 'false'],
  ])('is_employed_at_brokerage_firm: %j is %s', (values, expected) => {
    expect(cipReport(facts({}, values)).self_reported.is_employed_at_brokerage_firm).toBe(expected);
  });
});

describe('checks of vendors', () => {
  const checks = ['date_of_birth', 'matched_address', 'tax_id'] as const;
  const breakdowns = {
    date_of_birth: 'date_of_birth_breakdown',
    matched_address: 'matched_addresses',
    tax_id: 'tax_id_breakdown',
  } as const;
  const AFFECTED: Readonly<Record<string, (typeof checks)[number]>> = {
    dob: 'date_of_birth',
    address: 'matched_address',
    street_address: 'matched_address',
    city: 'matched_address',
    state: 'matched_address',
    zip: 'matched_address',
    ssn: 'tax_id',
    itin: 'tax_id',
  };
  const scopes = [...new Set(CATALOGUE.flatMap((entry) => entry.scopes))];

  test.each(scopes)('scope %s: raises its check alone, at medium and high', (scope) => {
    for (const severity of ['info', 'low', 'medium', 'high'] as const) {
      const signal = { reason_code: 'any', note: 'any', severity, scopes: ['name', scope] };
      const report = cipReport(facts({ signals: [signal] }));
      for (const check of checks) {
        const isRaised = AFFECTED[scope] === check && (severity === 'medium' || severity === 'high');
        expect([check, severity, report[check]]).toEqual([check, severity, isRaised ? 'consider' : 'clear']);
        expect(report[breakdowns[check]]).toEqual(isRaised ? [] : SOME_VENDORS);
      }
    }
  });

  test.each([
    ['id.dob', 'date_of_birth'],
    ['id.address_line1', 'matched_address'],
    ['id.us_tax_id', 'tax_id'],
  ] as const)('absent: without %s, %s is never clear', (datum, check) => {
    const report = cipReport(facts({}, without(datum)));
    expect([report[check], report[breakdowns[check]]]).toEqual(['consider', []]);
    expect(checks.filter((each) => report[each] === 'clear')).toHaveLength(2);
  });

  test('breakdowns: two to four of the sixteen, the same each time, others for other entities', () => {
    const of = (fp_id: string) => cipReport(facts({ entity: { fp_id, requires_manual_review: false } }));
    const found = Array.from({ length: 200 }, (_, index) => of(`fp_id_${index}`).tax_id_breakdown);
    for (const vendors of found) {
      expect(new Set(vendors).size).toBe(vendors.length);
      expect(facts().vendors.filter((vendor) => vendors.includes(vendor))).toEqual(vendors);
    }
    expect(new Set(found.map(({ length }) => length))).toEqual(new Set([2, 3, 4]));
    expect(new Set(found.flat())).toEqual(new Set(facts().vendors));
    expect(of('fp_id_7')).toEqual(of('fp_id_7'));
  });

  test('signals: one of several suffices', () => {
    const signals = catalogued('name_matches', 'dob_matches', 'ssn_does_not_match');
    expect(cipReport(facts({ signals }))).toMatchObject({ date_of_birth: 'clear', tax_id: 'consider' });
  });
});

const CLEAR = {
  adverse_media: 'clear',
  monitored_lists: 'clear',
  politically_exposed_person: 'clear',
  sanction: 'clear',
};

test.each([
  ['adverse_media_hit', 'adverse_media', 'Adverse media found'],
  ['watchlist_hit_ofac', 'sanction', 'OFAC list hit'],
  ['watchlist_hit_non_sdn', 'monitored_lists', 'Non-SDN list hit'],
  ['watchlist_hit_warning', 'monitored_lists', 'Warning list hit'],
  ['watchlist_hit_pep', 'politically_exposed_person', 'Politically exposed person'],
])('watchlist: %s', (code, check, list) => {
  expect(cipReport(facts({ signals: catalogued('name_matches', code) })).watchlist).toEqual({
    ...CLEAR,
    [check]: 'consider',
    result: 'consider',
    check_completed_at: '2026-03-03T10:00:00.000Z',
    records: [{ reason_code: code, list, matched_name: 'Wilhelmina Ada Oyelaran' }],
  });
});

test('watchlist: a record for each hit, in the order of the signals', () => {
  const signals = catalogued('watchlist_hit_pep', 'watchlist_clear_ofac', 'adverse_media_hit');
  const { records } = cipReport(facts({ signals })).watchlist;
  expect(records.map(({ reason_code }) => reason_code)).toEqual(['watchlist_hit_pep', 'adverse_media_hit']);
});

test('watchlist: clear codes and those of businesses are no hits', () => {
  const codes = CATALOGUE.map(({ reason_code }) => reason_code).filter(
    (code) => /watchlist|media/.test(code) && !/^(?:watchlist|adverse_media)_hit/.test(code),
  );
  expect(codes).not.toEqual([]);
  expect(cipReport(facts({ signals: catalogued(...codes) })).watchlist).toMatchObject({
    ...CLEAR,
    result: 'clear',
    records: [],
  });
});

test('REPORTED_IDENTIFIERS: are identifiers of users', () => {
  for (const name of REPORTED_IDENTIFIERS) expect(describeIdentifier(name), name).toBeDefined();
});

const aSource = (nationality: string | null) => ({
  provider: 'acme',
  values: new Map([['id.nationality', nationality ?? undefined]]),
});

test('cip: the same information under its three checks', () => {
  const report = cipReport(facts({ decision: MANUAL }));
  const sent = cipForward(report, aSource('CA'));

  expect(Object.keys(sent)).toEqual(['provider', 'kyc', 'identity', 'watchlist']);
  expect(sent.provider).toBe('acme');
  expect(sent.kyc).toEqual({
    id: 'fp_id_1',
    result: 'clear',
    applicant_name: 'Wilhelmina Ada Oyelaran',
    address: '742 Evergreen Terrace, Flat 3, Enclave, CA 94117, US',
    date_of_birth: '1988-12-30',
    tax_id: '121121212',
    nationality: 'CA',
    approved_at: MANUAL.timestamp,
    approved_by: 'rev@example.com',
    approved_reason: 'called them',
    check_initiated_at: '2026-03-03T09:00:00.000Z',
    check_completed_at: '2026-03-03T10:00:00.000Z',
    kyc_completed_at: '2026-03-03T10:00:00.000Z',
    ip_address: '203.0.113.10',
    self_reported: report.self_reported,
  });
  expect(sent.identity).toEqual({
    id: 'fp_id_1',
    result: 'clear',
    date_of_birth: 'clear',
    date_of_birth_breakdown: SOME_VENDORS,
    matched_address: 'clear',
    matched_addresses: SOME_VENDORS,
    tax_id: 'clear',
    tax_id_breakdown: SOME_VENDORS,
  });
  expect(sent.watchlist).toEqual({ id: 'fp_id_1', ...report.watchlist });
});

test.each([
  ['citizen', null, 'US'],
  ['permanent_resident', 'CA', 'CA'],
  ['visa', null, null],
  [undefined, 'FR', 'FR'],
])('nationality: of a %s with %j is %j', (status, nationality, expected) => {
  const values = status === undefined ? VALUES : { ...VALUES, 'id.us_legal_status': status };
  expect(cipForward(cipReport(facts({}, values)), aSource(nationality)).kyc.nationality).toBe(expected);
});

test.each(['dob_does_not_match', 'address_does_not_match', 'ssn_does_not_match'])(
  'identity.result: consider with %s',
  (code) => {
    const report = cipReport(facts({ signals: catalogued(code) }));
    expect(cipForward(report, aSource(null)).identity.result).toBe('consider');
  },
);
