/** Risk signals of runs: which ones, in which order, and about which entity (contract §2.19, §4.5). */
import { describe, expect } from 'vitest';
import catalogue from '../../../src/fixtures/reason-codes.json' with { type: 'json' };
import { aReadyBusiness, aReadyUser } from '../../support/builders.ts';
import { aPlaybook, aRule, codesOf, onboardingOf, type RunBody } from '../../support/runs.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const WORST_FIRST = ['high', 'medium', 'low', 'info'];
const places = catalogue.map(({ reason_code }) => reason_code);
const severityOf = (code: string) => catalogue[places.indexOf(code)]?.severity ?? 'unknown';
/** Sorts codes as the list does: by severity, then by their place in the catalogue. */
const inOrder = (codes: readonly string[]) =>
  [...codes].sort(
    (one, other) =>
      WORST_FIRST.indexOf(severityOf(one)) - WORST_FIRST.indexOf(severityOf(other)) ||
      places.indexOf(one) - places.indexOf(other),
  );

const CLEAR = words`
  watchlist_clear_ofac watchlist_clear_non_sdn watchlist_clear_warning watchlist_clear_pep adverse_media_clear
`;
const USER = {
  pass: [
    ...words`name_matches dob_matches ssn_matches address_matches phone_number_matches email_found_on_file`,
    ...CLEAR,
  ],
  fail: [
    ...words`
      id_not_located name_does_not_match dob_does_not_match ssn_does_not_match address_does_not_match
      email_not_found_on_file
    `,
    ...CLEAR,
  ],
  manual_review: words`
    name_matches dob_matches ssn_matches address_partially_matches watchlist_hit_ofac watchlist_clear_non_sdn
    watchlist_clear_warning watchlist_clear_pep adverse_media_hit
  `,
  none: [],
  error: [],
  pending: [],
  step_up: [],
} as const;
const BUSINESS_REVIEW = words`
  business_name_similar_match tin_match business_address_close_match sos_filing_partially_active
  business_name_watchlist_hit watchlist_hit_ofac adverse_media_hit
`;
const BUSINESS = {
  pass: words`
    business_name_match tin_match business_address_match business_phone_number_match business_website_online
    sos_active_filing_found business_name_no_watchlist_hits beneficial_owners_match watchlist_clear_ofac
    adverse_media_clear
  `,
  fail: words`
    business_name_does_not_match tin_does_not_match business_address_does_not_match sos_filing_not_found
    business_website_offline business_name_no_watchlist_hits watchlist_clear_ofac adverse_media_clear
  `,
  manual_review: BUSINESS_REVIEW,
  step_up: BUSINESS_REVIEW,
} as const;
const OWNERS = [{ first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 60 }];
const aFullBusiness = () =>
  aReadyBusiness({ 'business.phone_number': '+14155552671', 'business.beneficial_owners': OWNERS });

const entries = (sets: object) =>
  Object.entries(sets) as [outcome: RunBody['fixture_result'], codes: readonly string[]][];

describe('the set of each outcome', () => {
  test.eachWith(entries(USER))('GET risk_signals: of a user, %s', async (service, fixture_result, codes) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    await onboarding.run({ fixture_result });

    expect(await onboarding.codes()).toEqual(inOrder(codes));
  });

  test.eachWith(entries(BUSINESS))(
    'GET risk_signals: of a business, %s',
    async (service, fixture_result, codes) => {
      const onboarding = onboardingOf(service, await service.business(aFullBusiness()));
      await onboarding.run({ fixture_result });

      expect(await onboarding.codes()).toEqual(inOrder(codes));
    },
  );

  test('GET risk_signals: each is the entry of the catalogue, with the time of the run', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    service.clock.advance(5_000);
    const { onboarding_id } = await onboarding.run();

    const [first] = await onboarding.signals();

    const entry = catalogue.find(({ reason_code }) => reason_code === first?.reason_code);
    expect(first).toEqual({ ...entry, timestamp: '2026-03-01T12:00:05.000Z' });
    expect(await onboarding.signalsOf(onboarding_id)).toEqual(await onboarding.signals());
  });
});

/** Returns the codes of a run on a playbook that requires nothing. */
async function codesWith(
  service: TestService,
  entity: 'user' | 'business',
  data: Record<string, unknown>,
  outcome: RunBody['fixture_result'] = 'pass',
): Promise<string[]> {
  const onboarding = onboardingOf(service, await service[entity](data));
  const key = await aPlaybook(service, { kind: entity === 'user' ? 'kyc' : 'kyb', requirements: [] });
  return codesOf(
    await onboarding.signalsOf((await onboarding.run({ key, fixture_result: outcome })).onboarding_id),
  );
}

/** What is found about every business. */
const ALWAYS_SEARCHED = ['business_name_no_watchlist_hits', 'watchlist_clear_ofac', 'adverse_media_clear'];

describe('data', () => {
  test.eachWith([
    { of: 'user', outcome: 'pass', codes: CLEAR },
    { of: 'user', outcome: 'fail', codes: ['id_not_located', ...CLEAR] },
    { of: 'business', outcome: 'pass', codes: ALWAYS_SEARCHED },
    {
      of: 'business',
      outcome: 'manual_review',
      codes: ['business_name_watchlist_hit', 'watchlist_hit_ofac', 'adverse_media_hit'],
    },
  ] as const)('run: of an empty $of, $outcome finds what needs no data', async (service, row) => {
    expect(await codesWith(service, row.of, {}, row.outcome)).toEqual(inOrder(row.codes));
  });

  test.eachWith([
    { data: { 'id.last_name': 'Hopper' }, codes: ['name_matches'] },
    { data: { 'id.dob': '1906-12-09' }, codes: ['dob_matches'] },
    { data: { 'id.ssn4': '1212' }, codes: ['ssn_matches'] },
    { data: { 'id.us_tax_id': '121121212' }, codes: ['ssn_matches'] },
    { data: { 'id.itin': '912501212' }, codes: ['us_tax_id_is_itin'] },
    { data: { 'id.address_line1': '1 Main Street' }, codes: ['address_matches'] },
    { data: { 'id.city': 'Berlin', 'id.zip': '10115' }, codes: [] },
    { data: { 'id.phone_number': '+14155552671' }, codes: ['phone_number_matches'] },
    { data: { 'id.email': 'ada@lovelace.example' }, codes: ['email_found_on_file'] },
  ])('run: $data yields $codes', async (service, { data, codes }) => {
    expect(await codesWith(service, 'user', data)).toEqual(inOrder([...codes, ...CLEAR]));
  });

  test("run: with an itin only, a fail has its code instead of the ssn's", async (service) => {
    const codes = await codesWith(service, 'user', { 'id.itin': '912501212' }, 'fail');
    expect(codes).toContain('us_tax_id_is_itin');
    expect(codes).not.toContain('ssn_does_not_match');
  });

  test.eachWith([
    { data: { 'business.website': 'https://acme.example' }, codes: ['business_website_online'] },
    { data: { 'business.name': 'Acme' }, codes: ['business_name_match', 'sos_active_filing_found'] },
    { data: { 'business.kyced_beneficial_owners': OWNERS }, codes: ['beneficial_owners_match'] },
    { data: { 'business.beneficial_owners.ada.id.first_name': 'Ada' }, codes: ['beneficial_owners_match'] },
  ])('run: of a business, $data yields $codes', async (service, { data, codes }) => {
    expect(await codesWith(service, 'business', data)).toEqual(inOrder([...codes, ...ALWAYS_SEARCHED]));
  });

  test('run: linked users count as owners, too', async (service) => {
    const business = await service.business(aReadyBusiness());
    await service.call('POST /businesses/{fp_bid}/owners', {
      params: { fp_bid: business },
      body: { fp_id: await service.user({}), ownership_stake: 60 },
    });
    const onboarding = onboardingOf(service, business);
    await onboarding.run();

    expect(await onboarding.codes()).toContain('beneficial_owners_match');
  });

  test.eachWith([
    'P.O. Box 12',
    'PO Box',
    'po box 7',
    'p.o.box 3',
    'P O Box12',
    'Post Office Box 9, Main St',
  ])('run: %s is a post-office box, whatever the outcome', async (service, address) => {
    for (const outcome of ['pass', 'fail', 'none', 'error'] as const) {
      const codes = await codesWith(service, 'user', { 'id.address_line1': address }, outcome);
      expect(codes, outcome).toContain('address_input_is_po_box');
    }
  });

  test.eachWith(['1 Expo Box Lane', '5 Po Boxwood Street', '2 Poe Street', 'Box 12'])(
    'run: %s is not a post-office box',
    async (service, address) => {
      const codes = await codesWith(service, 'user', { 'id.address_line1': address });
      expect(codes).not.toContain('address_input_is_po_box');
    },
  );

  test('run: a business may have a post-office box', async (service) => {
    const codes = await codesWith(service, 'business', { 'business.address_line1': 'PO Box 1' });
    expect(codes).toContain('business_address_match');
    expect(codes).not.toContain('address_input_is_po_box');
  });
});

test('run: a rule adds codes and takes codes away, the data notwithstanding', async (service) => {
  const onboarding = onboardingOf(
    service,
    await service.user(aReadyUser({ 'id.address_line1': 'PO Box 1' })),
  );
  await aRule(service, {
    match: { fp_id: '*' },
    outcome: 'pass',
    signals: { add: ['subject_deceased', 'dob_matches'], remove: ['address_input_is_po_box', ...CLEAR] },
  });
  await onboarding.run();

  expect(await onboarding.codes()).toEqual(
    inOrder(
      words`
        subject_deceased name_matches dob_matches ssn_matches address_matches phone_number_matches
        email_found_on_file
      `,
    ),
  );
});

describe('entities of signals', () => {
  test('GET risk_signals: of the latest finished onboarding, one that is open does not count', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    expect(await onboarding.signals()).toEqual([]);
    const { onboarding_id: failed } = await onboarding.run({ fixture_result: 'fail' });
    const { onboarding_id: passed } = await onboarding.run();
    await onboarding.run({ fixture_result: 'pending' });

    expect(await onboarding.codes()).toEqual(inOrder(USER.pass));
    expect(codesOf(await onboarding.signalsOf(failed))).toEqual(inOrder(USER.fail));
    expect(codesOf(await onboarding.signalsOf(passed))).toEqual(inOrder(USER.pass));
  });

  test('GET risk_signals of an onboarding: 404 for that of another user, and for none', async (service) => {
    const { onboarding_id } = await onboardingOf(service, await service.user(aReadyUser())).run();
    const fp_id = await service.user({});

    for (const id of [onboarding_id, 'ob_nobody']) {
      const refusal = await service.refused('GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals', {
        params: { fp_id, onboarding_id: id },
      });
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  test('GET /_kyclone/entities/{fp_id}: counts them by severity', async (service) => {
    const fp_id = await service.user(aReadyUser());
    const onboarding = onboardingOf(service, fp_id);
    await onboarding.run();
    await onboarding.run({ fixture_result: 'fail' });

    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });

    const expected: Record<string, number> = {};
    for (const code of USER.fail) expected[severityOf(code)] = (expected[severityOf(code)] ?? 0) + 1;
    expect(Object.values(body)).toContainEqual(expected);
  });
});

test('GET /org/risk_signals: is the catalogue', async (service) => {
  expect((await service.call('GET /org/risk_signals')).body).toEqual(catalogue);
});

test('scopes: those of a user are never of a business; those of a business are as in the catalogue', async (service) => {
  const scopesOf = async (entity: 'user' | 'business', data: Record<string, unknown>) => {
    const onboarding = onboardingOf(service, await service[entity](data));
    await onboarding.run({ fixture_result: 'manual_review' });
    const signals = await onboarding.signals();
    return new Map(signals.map(({ reason_code, scopes }) => [reason_code, scopes]));
  };
  const ofUser = await scopesOf('user', aReadyUser());
  expect([...ofUser.values()].flat().filter((scope) => scope.startsWith('business_'))).toEqual([]);
  expect(ofUser.get('watchlist_hit_ofac')).toEqual(['name']);
  expect((await scopesOf('business', aReadyBusiness())).get('watchlist_hit_ofac')).toEqual([
    'name',
    'business_name',
  ]);
});
