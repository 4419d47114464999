/** POST /users/{fp_id}/integrations/{partner_a}/cip_report (contract §8.1). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { REPORTED_IDENTIFIERS } from '../../../src/nouns/integrations/service/cip-report.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import { LIVE_KEY, failureOf, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const KEY = 'POST /users/{fp_id}/integrations/{partner_a}/cip_report';
type Fixture = NonNullable<RequestOf<'POST /users/{fp_id}/kyc'>['body']['fixture_result']>;

/** Makes a user whose run had this outcome. */
async function verified(
  service: TestService,
  fixture_result: Fixture = 'pass',
  data: Record<string, unknown> = aReadyUser(),
): Promise<string> {
  const fp_id = await service.user(data);
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, fixture_result } });
  return fp_id;
}

const asking = (fp_id: string, as?: string) => ({
  params: { fp_id, partner_a: 'partner_a' },
  body: { default_approver: 'Compliance' },
  ...(as !== undefined && { as }),
});
const reportOf = async (service: TestService, fp_id: string) => (await service.call(KEY, asking(fp_id))).body;
const entries = async (service: TestService) =>
  (await service.call('GET /_kyclone/access-log', { query: { operation: 'integration' } })).body.data;

test('cip_report: a user that passed, from decision, run, signals and vault', async (service) => {
  const user = await verified(service);

  expect(await reportOf(service, user)).toMatchObject({
    user_id: user,
    result: 'clear',
    approved_at: '2026-03-01T12:00:00.000Z',
    approved_by: 'Compliance',
    check_initiated_at: '2026-03-01T12:00:00.000Z',
    checked_data: {
      address: '742 Evergreen Terrace, Enclave, CA 94117, US',
      customer_name: 'Wilhelmina Oyelaran',
      date_of_birth: '1988-12-30',
      tax_id: '121121212',
    },
    watchlist: { result: 'clear', records: [] },
  });
});

test('cip_report: under review, with its watchlist hits; then approved by hand', async (service) => {
  const user = await verified(service, 'manual_review');

  const before = await reportOf(service, user);
  service.clock.advance(60_000);
  await service.call('POST /users/{fp_id}/decisions', {
    params: { fp_id: user },
    body: { status: 'pass', annotation: 'called them', reviewer_email: 'rev@example.com' },
  });
  const after = await reportOf(service, user);

  expect(before).toMatchObject({ result: 'consider', approved_by: '', matched_address: 'clear' });
  expect(before.watchlist).toMatchObject({
    adverse_media: 'consider',
    sanction: 'consider',
    result: 'consider',
    monitored_lists: 'clear',
    politically_exposed_person: 'clear',
  });
  expect(before.watchlist.records).toEqual(
    expect.arrayContaining([
      { reason_code: 'watchlist_hit_ofac', list: 'OFAC list hit', matched_name: 'Wilhelmina Oyelaran' },
      { reason_code: 'adverse_media_hit', list: 'Adverse media found', matched_name: 'Wilhelmina Oyelaran' },
    ]),
  );
  expect(after).toMatchObject({
    result: 'clear',
    approved_at: '2026-03-01T12:01:00.000Z',
    approved_by: 'rev@example.com',
    approved_reason: 'called them',
    check_completed_at: '2026-03-01T12:00:00.000Z',
    watchlist: { result: 'consider' },
  });
});

test('cip_report: of the newest finished run, while another is pending', async (service) => {
  const user = await verified(service, 'pass');
  const rerun = async (fixture_result: Fixture) => {
    service.clock.advance(60_000);
    const body = { key: KYC, fixture_result };
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id: user }, body });
  };
  await rerun('fail');
  await rerun('pending');

  expect(await reportOf(service, user)).toMatchObject({
    result: 'consider',
    approved_at: '',
    check_initiated_at: '2026-03-01T12:01:00.000Z',
    check_completed_at: '2026-03-01T12:01:00.000Z',
    kyc_completed_at: '2026-03-01T12:00:00.000Z',
    tax_id: 'consider',
  });
});

test('cip_report: the address that was set, self-reported data, the vendors of the vocabulary', async (service) => {
  const vendors = Array.from({ length: 16 }, (_, index) => `seen by ${index}`);
  await service.call('PATCH /_kyclone/settings', { body: { vocabulary: { vendors } } });
  const data = aReadyUser({
    'investor_profile.investment_goals': ['growth', 'income'],
    'investor_profile.declarations': ['affiliated_with_us_broker'],
    'id.citizenships': ['US', 'CA'],
  });
  const user = await verified(service, 'pass', data);
  const body = { ip_address: '198.51.100.7' };
  await service.call('PATCH /_kyclone/entities/{fp_id}', { params: { fp_id: user }, body });

  expect(await reportOf(service, user)).toMatchObject({
    ip_address: '198.51.100.7',
    tax_id_breakdown: expect.arrayContaining([expect.stringMatching(/^seen by \d+$/)]) as string[],
    self_reported: {
      citizenships: 'US, CA',
      investment_objectives: 'growth, income',
      declarations: 'affiliated_with_us_broker',
      is_employed_at_brokerage_firm: 'true',
      occupation: null,
    },
  });
});

test('cip_report: an ITIN is the tax_id; four digits are not', async (service) => {
  const itin = aReadyUser({ 'id.ssn9': null, 'id.itin': '900-70-1234' });
  const ssn4 = aReadyUser({ 'id.ssn9': null, 'id.ssn4': '1234' });

  const taxIdOf = async (data: Record<string, unknown>) =>
    (await reportOf(service, await verified(service, 'pass', data))).checked_data.tax_id;
  expect([await taxIdOf(itin), await taxIdOf(ssn4)]).toEqual(['900701234', null]);
});

describe('refusals', () => {
  test('cip_report: needs a decision', async (service) => {
    for (const user of [await service.user(), await verified(service, 'error')]) {
      expect(await service.refused(KEY, asking(user))).toMatchObject(failureOf(400, 'decision_required'));
    }
    expect(await entries(service)).toEqual([]);
  });

  test('cip_report: a key without a read permission is refused by name, before the decision is required', async (service) => {
    const user = await service.user();
    const key = await service.key({ permissions: ['decrypt:id.*', 'decrypt:investor_profile.net_worth'] });

    const refused = await service.refused(KEY, asking(user, key));

    expect(refused).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(Object.keys(refused.context ?? {}).sort()).toEqual(
      REPORTED_IDENTIFIERS.filter(
        (name) => name.startsWith('investor_profile.') && name !== 'investor_profile.net_worth',
      ).sort(),
    );
    expect(await entries(service)).toMatchObject([
      { outcome: 'refused', reason: 'cip_report', fp_id: user, identifiers: [...REPORTED_IDENTIFIERS] },
    ]);
  });

  test('cip_report: no permission but the reads is needed', async (service) => {
    const user = await verified(service);
    const permissions = ['decrypt:id.*', 'decrypt:investor_profile.*'];
    const key = await service.key({ permissions, scopes: [] });

    expect((await service.call(KEY, asking(user, key))).body.user_id).toBe(user);
  });
});

describe('traces', () => {
  test('cip_report: the access log has identifiers, key and reason of the reads', async (service) => {
    const user = await verified(service, 'pass', aReadyUser({ 'id.visa_kind': 'h1b' }));
    const key = await service.key();
    const { requestId } = await service.call(KEY, asking(user, key));

    const [entry, ...others] = await entries(service);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      operation: 'integration',
      reason: 'cip_report',
      outcome: 'granted',
      fp_id: user,
      request_id: requestId,
      actor: { kind: 'api_key' },
    });
    const read = words`
      id.address_line1 id.city id.country id.dob id.first_name id.last_name id.state id.us_tax_id id.visa_kind id.zip
    `;
    expect([...(entry?.identifiers ?? [])].sort()).toEqual(read);
  });

  test('cip_report: the journal has no value of the answer', async (service) => {
    const { requestId: id } = await service.call(KEY, asking(await verified(service)));

    const { body } = await service.call('GET /_kyclone/requests/{id}', { params: { id } });
    const kept = JSON.stringify(body);
    for (const value of ['Wilhelmina', '1988-12-30', '121121212', 'Evergreen', 'Compliance']) {
      expect(kept).not.toContain(value);
    }
    expect(body.path).toMatch(/\/integrations\/partner_a\/cip_report$/);
  });

  test('cip_report: in the live environment too', async (service) => {
    const fp_id = await service.user(aReadyUser(), LIVE_KEY);
    const key = KYC.replace('test', 'live');
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key }, as: LIVE_KEY });

    expect((await service.call(KEY, asking(fp_id, LIVE_KEY))).body).toMatchObject({
      user_id: fp_id,
      result: 'clear',
    });
  });
});
