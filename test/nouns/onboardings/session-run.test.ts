/**
 * POST /onboarding/session/run: an entity with all data that a playbook requires is run; any other gets a session
 * (contract §10).
 */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { enter } from '../../support/hosted-samples.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { aPlaybook, advance, eventsOfKind, onboardingOf } from '../../support/runs.ts';
import { HOST, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const RUN = 'POST /onboarding/session/run';
const BEGIN = 'POST /onboarding/session';
const COMPLETE = 'POST /_kyclone/sessions/complete';
type Request = RequestOf<typeof RUN>['body'];

const run = async (service: TestService, body: Partial<Request>, as?: string) =>
  (await service.call(RUN, { body: { key: KYC, ...body }, ...(as !== undefined && { as }) })).body;
const refused = (service: TestService, body: object, as?: string) =>
  service.refused(RUN, { body: { key: KYC, ...body }, ...(as !== undefined && { as }) });
const countOf = (service: TestService, table: string) =>
  service.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const externalUser = async (service: TestService, external: string) =>
  (await service.call('POST /users', { headers: { 'x-external-id': external } })).body.id;

test('run: a user with everything is run at once, by id or external id, and no session is made', async (service) => {
  const id = await service.user(aReadyUser());

  const result = await run(service, { fp_id: id, onboarding_external_id: 'attempt 7' });

  const onboarding_id = expect.stringMatching(/^ob_/) as string;
  expect(result).toEqual({
    user: { fp_id: id, onboarding_id, playbook_key: KYC, status: 'pass', requires_manual_review: false },
  });
  expect(await onboardingOf(service, id).onboarding(result.user?.onboarding_id ?? '')).toMatchObject({
    onboarding_external_id: 'attempt 7',
  });
  expect(countOf(service, 'onboarding_sessions')).toBe(0);
  expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(1);
});

test('run: a user who lacks data gets a session, and nothing is stored yet', async (service) => {
  const id = await service.user({ 'id.first_name': 'Jane' });

  const { continue_onboarding: begun, ...rest } = await run(service, {
    fp_id: id,
    bootstrap_data: { 'id.last_name': 'Doe' },
  });

  expect(rest).toEqual({});
  expect(begun).toEqual({
    token: expect.stringMatching(/^obtok_[0-9A-Za-z]{34}$/) as string,
    link: `http://${HOST}/hosted/onboarding#${begun?.token ?? ''}`,
    expires_at: '2026-03-01T13:00:00.000Z',
  });
  expect((await vaultOf(service, id).decrypt(['id.last_name']))['id.last_name']).toBeNull();
  const { body } = await service.call(COMPLETE, {
    body: { token: begun?.token ?? '', data: aReadyUser({ 'id.last_name': undefined }) },
  });
  expect(body.user).toMatchObject({ fp_id: id, status: 'pass' });
  expect(await vaultOf(service, id).decrypt(['id.last_name'])).toEqual({ 'id.last_name': 'Doe' });
});

describe('bootstrap_data', () => {
  test('run: counts for the requirements, and the run stores it, dates in ISO form', async (service) => {
    const id = await externalUser(service, 'customer-1');

    const result = await run(service, {
      user_external_id: 'customer-1',
      bootstrap_data: aReadyUser({ 'id.dob': '12/30/1988' }),
    });

    expect(result.user).toMatchObject({ fp_id: id, status: 'pass' });
    expect(await vaultOf(service, id).decrypt(['id.dob'])).toEqual({ 'id.dob': '1988-12-30' });
    expect(countOf(service, 'onboarding_sessions')).toBe(0);
  });

  test('run: makes the user of a new external id, unless something is missing', async (service) => {
    const { continue_onboarding } = await run(service, { user_external_id: 'customer-9' });
    expect(continue_onboarding?.token).toMatch(/^obtok_/);
    expect([countOf(service, 'entities'), countOf(service, 'onboardings')]).toEqual([0, 0]);

    const { user } = await run(service, { user_external_id: 'customer-9', bootstrap_data: aReadyUser() });

    const { body } = await service.call('GET /users/{fp_id}', { params: { fp_id: user?.fp_id ?? '' } });
    expect(body).toMatchObject({ external_id: 'customer-9', status: 'pass' });
  });
});

test.eachWith<[string, object, number, string, string]>([
  ['no entity', {}, 400, 'invalid_request', 'user_external_id'],
  ['null for the entity', { fp_id: null }, 400, 'invalid_request', 'fp_id'],
  ['an unknown user', { fp_id: 'fp_id_0000000000000000000000' }, 404, 'not_found', 'fp_id'],
])('run: %s is refused and changes nothing', async (service, _, body, status, code, named) => {
  const refusal = await refused(service, body);

  expect(refusal).toMatchObject({ status, code });
  expect(JSON.stringify(refusal)).toContain(named);
  expect([countOf(service, 'entities'), countOf(service, 'onboarding_sessions')]).toEqual([0, 0]);
});

test('run: T122 the second time, unless it is allowed; an open session is in the way, an expired one is gone on with', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const { body: link } = await service.call(BEGIN, { body: { key: KYC, fp_id } });
  await enter(service, link.token);
  expect(await refused(service, { fp_id })).toMatchObject({ status: 409, code: 'T122' });
  await advance(service, '60m');
  expect((await run(service, { fp_id })).user?.status).toBe('pass');
  expect(countOf(service, 'onboardings')).toBe(1);
  expect(await refused(service, { fp_id })).toMatchObject({ status: 409, code: 'T122' });
  expect((await run(service, { fp_id, allow_reonboard: true })).user?.status).toBe('pass');
  expect(countOf(service, 'onboardings')).toBe(2);
});

test('run: the delay is that of a headless run', async (service) => {
  const key = await aPlaybook(service, { delay_ms: 5_000, session_delay_ms: 60_000 });
  const { user } = await run(service, { key, fp_id: await service.user(aReadyUser()) });
  expect(user?.status).toBe('pending');
  await advance(service, '5s');
  expect(await onboardingOf(service, user?.fp_id ?? '').details()).toMatchObject({ status: 'pass' });
});

describe('kyb', () => {
  const aBusinessOf = async (service: TestService, external: string, data: Record<string, unknown>) => {
    const { body } = await service.call('POST /businesses', { headers: { 'x-external-id': external } });
    await service.call('PATCH /businesses/{fp_bid}/vault', { params: { fp_bid: body.id }, body: data });
    return body.id;
  };

  test('run: a business alone is run without an owner; with a user both are; what it lacks a session collects', async (service) => {
    const fp_bid = await aBusinessOf(service, 'company-1', aReadyBusiness());
    await aBusinessOf(service, 'company-2', { 'business.name': 'Acme' });

    expect(await run(service, { key: KYB, business_external_id: 'company-1' })).toEqual({
      business: expect.objectContaining({ fp_id: fp_bid, status: 'pass' }) as object,
    });
    expect(countOf(service, "entities WHERE kind = 'user'")).toBe(0);
    const user = await externalUser(service, 'customer-1');
    const both = { key: KYB, user_external_id: 'customer-1', allow_reonboard: true };
    expect(await run(service, { ...both, business_external_id: 'company-1' })).toMatchObject({
      user: { fp_id: user, status: 'pass' },
      business: { fp_id: fp_bid, status: 'pass' },
    });
    const begun = await run(service, { ...both, business_external_id: 'company-2' });
    expect(Object.keys(begun)).toEqual(['continue_onboarding']);
  });

  test('run: a playbook that collects owners always continues in a session', async (service) => {
    const key = await aPlaybook(service, { kind: 'kyb', collects_owners: true });
    await aBusinessOf(service, 'company-1', aReadyBusiness());

    expect(Object.keys(await run(service, { key, business_external_id: 'company-1' }))).toEqual([
      'continue_onboarding',
    ]);
    expect(countOf(service, 'onboardings')).toBe(0);
  });
});
