/**
 * Sessions as the control plane lists, shows and closes them, and where a flow may redirect at its end (contract §11,
 * §14).
 */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { enter } from '../../support/hosted-samples.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { advance, onboardingOf } from '../../support/runs.ts';
import { LIVE_KEY, failureOf, startService, type TestService } from '../../support/service.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const BEGIN = 'POST /onboarding/session';
const COMPLETE = 'POST /_kyclone/sessions/complete';
const LIST = 'GET /_kyclone/sessions';
const GET = 'GET /_kyclone/sessions/{id}';
const DELETE = 'DELETE /_kyclone/sessions/{id}';
type Request = RequestOf<typeof BEGIN>['body'];

const begin = async (service: TestService, body: Partial<Request> = {}, as?: string) =>
  (await service.call(BEGIN, { body: { key: KYC, ...body }, ...(as !== undefined && { as }) })).body;
const list = async (service: TestService, query: RequestOf<typeof LIST>['query'] = {}) =>
  (await service.call(LIST, { query })).body;
const newest = async (service: TestService) => {
  const [session] = (await list(service)).data;
  if (!session) throw new Error('there is no session');
  return session;
};
const get = async (service: TestService, id: string) => (await service.call(GET, { params: { id } })).body;
const close = (service: TestService, id: string) => service.call(DELETE, { params: { id } });
const complete = (service: TestService, token: string, body: object = {}) =>
  service.call(COMPLETE, { body: { token, data: aReadyUser(), ...body } });
const refusedCompletion = (service: TestService, token: string) =>
  service.refused(COMPLETE, { body: { token, data: aReadyUser() } });

test('sessions: a record describes the session, and never holds the token', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const { token, expires_at } = await begin(service, {
    fp_id,
    redirect_url: 'http://localhost:3000/done?secret=1',
  });

  const session = await newest(service);

  expect(session).toEqual({
    id: expect.stringMatching(/^ses_[0-9A-Za-z]{22}$/) as string,
    playbook_key: KYC,
    fp_id,
    fp_bid: null,
    state: 'open',
    step: 'identify',
    created_at: '2026-03-01T12:00:00.000Z',
    expires_at,
  });
  expect(await get(service, session.id)).toEqual(session);
  await begin(service);
  expect(await list(service, { fp_id })).toEqual({ data: [session], meta: { count: 1, next: null } });
  expect(JSON.stringify(await list(service))).not.toContain(token.slice(6));
  expect(bytesOf(service.database).toString('latin1')).not.toContain('secret=1');
});

test('sessions: whom it is about is known from the start, or when it is completed', async (service) => {
  const business = await service.call('POST /businesses', { headers: { 'x-external-id': 'company-1' } });
  const { token } = await begin(service, { key: KYB, business_external_id: 'company-1' });
  expect(await newest(service)).toMatchObject({ playbook_key: KYB, fp_id: null, fp_bid: business.body.id });

  const { body: done } = await complete(service, token, { business_data: aReadyBusiness() });

  expect(await newest(service)).toMatchObject({
    fp_id: done.user?.fp_id,
    fp_bid: business.body.id,
    playbook_key: KYB,
    state: 'completed',
    step: null,
  });
});

test('sessions: flows of a user have records, too; one that runs nothing has no playbook', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const params = { fp_id };
  const record = async (body: RequestOf<'POST /users/{fp_id}/token'>['body']) => {
    service.clock.advance(1);
    const { token } = (await service.call('POST /users/{fp_id}/token', { params, body })).body;
    return { token, ...(await newest(service)) };
  };

  const onboard = await record({ kind: 'onboard', key: KYC });
  expect(onboard).toMatchObject({ playbook_key: KYC, fp_id });
  await enter(service, onboard.token);
  expect(await record({ kind: 'inherit' })).toMatchObject({ playbook_key: KYC, fp_id });
  const update = await record({ kind: 'update_auth_methods' });
  expect(update).toMatchObject({ playbook_key: null, fp_id, state: 'open' });
  await service.call(COMPLETE, { body: { token: update.token, data: { 'id.email': 'new@example.com' } } });
  expect(await get(service, update.id)).toMatchObject({ playbook_key: null, fp_id, state: 'completed' });
});

test('sessions: each is listed in its state; expired ones by the clock, and moving it back revives none', async (service) => {
  const [done, closed] = [await begin(service), await begin(service)];
  await complete(service, done.token);
  await begin(service);
  const ids = service.database
    .prepare('SELECT session_id FROM onboarding_sessions ORDER BY id')
    .pluck()
    .all() as string[];
  await close(service, ids[1] ?? '');
  await advance(service, '60m');
  await begin(service);
  const states = async () => {
    const of = async (state: 'open' | 'completed' | 'canceled' | 'expired') =>
      (await list(service, { state })).meta.count;
    return [await of('open'), await of('completed'), await of('canceled'), await of('expired')];
  };

  expect(await states()).toEqual([1, 1, 1, 1]);
  expect((await list(service, { state: 'completed' })).data).toMatchObject([{ id: ids[0] }]);
  expect((await list(service, { state: 'expired' })).data).toMatchObject([{ id: ids[2], step: null }]);
  await service.call('PUT /_kyclone/clock', { body: { action: 'resume' } });
  expect(await states()).toEqual([1, 1, 1, 1]);
  expect(await refusedCompletion(service, closed.token)).toMatchObject({ status: 409 });
});

test('sessions: those of the live environment are listed, read and ended there', async (service) => {
  await begin(service, { key: 'pb_live_kycdefault000000000000' }, LIVE_KEY);
  const live = (await list(service, { environment: 'live' })).data;
  expect(live).toHaveLength(1);
  expect((await list(service)).data).toEqual([]);

  const params = { id: live[0]?.id ?? '' };
  const query = { environment: 'live' as const };
  await service.call(DELETE, { params, query });
  expect((await service.call(GET, { params, query })).body.state).toBe('canceled');
});

describe('close', () => {
  test('sessions: the token opens nothing any more, its data is gone, the onboarding stays incomplete', async (service) => {
    const fp_id = await service.user({});
    const { token } = await begin(service, { fp_id, bootstrap_data: { 'id.city': 'Enclave' } });
    const { id } = await newest(service);
    await enter(service, token);

    await close(service, id);

    expect(await get(service, id)).toMatchObject({ state: 'canceled', step: null });
    expect(await refusedCompletion(service, token)).toMatchObject({ status: 409, code: 'conflict' });
    expect(
      service.database.prepare('SELECT length(sealed_request) FROM onboarding_sessions').pluck().get(),
    ).toBe(0);
    expect(service.database.prepare('SELECT status FROM onboardings').pluck().all()).toEqual(['incomplete']);
  });

  test('sessions: another session continues the onboarding of a closed one', async (service) => {
    const fp_id = await service.user({});
    await enter(service, (await begin(service, { fp_id })).token);
    await close(service, (await newest(service)).id);

    service.clock.advance(1);
    const { token } = await begin(service, { fp_id });
    await complete(service, token);

    expect(service.database.prepare('SELECT status FROM onboardings').pluck().all()).toEqual(['pass']);
  });

  test('sessions: closed twice it stays canceled, an expired one stays expired, a completed one is 409', async (service) => {
    await begin(service);
    const { id } = await newest(service);
    await close(service, id);
    await close(service, id);
    expect((await get(service, id)).state).toBe('canceled');
    await advance(service, '1s');
    await begin(service);
    const late = await newest(service);
    await advance(service, '60m');
    await close(service, late.id);
    expect((await get(service, late.id)).state).toBe('expired');
    const { token } = await begin(service);
    const used = await newest(service);
    const { validation_token } = (await complete(service, token)).body;
    expect(await service.refused(DELETE, { params: { id: used.id } })).toMatchObject({ code: 'conflict' });
    await service.call('POST /onboarding/session/validate', { body: { validation_token } });
  });
});

test('delete: sessions of a deleted user end; those by external id continue, without a user for now', async (service) => {
  const made = await service.call('POST /users', { headers: { 'x-external-id': 'customer-1' } });
  const fp_id = made.body.id;
  await enter(service, (await begin(service, { fp_id })).token);
  const own = await newest(service);
  await advance(service, '60m');
  service.clock.advance(1);
  await begin(service, { user_external_id: 'customer-1' });
  const external = await newest(service);
  await service.call('POST /users/{fp_id}/token', {
    params: { fp_id },
    body: { kind: 'inherit', ttl_min: 600 },
  });
  const { data } = await list(service, { fp_id });
  const token = data.find(({ expires_at }) => expires_at > external.expires_at);

  await onboardingOf(service, fp_id).remove();

  expect(await get(service, own.id)).toMatchObject({ fp_id, state: 'expired' });
  expect(await get(service, external.id)).toMatchObject({ fp_id: null, state: 'open' });
  expect(await get(service, token?.id ?? '')).toMatchObject({ fp_id, state: 'canceled' });
});

test('snapshot, key rotation: sessions are restored with the state', async (service) => {
  const { token } = await begin(service, { user_external_id: 'customer-1' });
  const { id } = await newest(service);
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'before' } });
  await close(service, id);
  await service.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  await service.call('POST /_kyclone/snapshots/{name}/load', { params: { name: 'before' } });
  expect((await get(service, id)).state).toBe('open');
  await service.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  expect((await complete(service, token)).body.user?.status).toBe('pass');
});

describe('redirect_url', () => {
  test.each(words`
    http://localhost https://localhost:3000/done?order=1 http://127.0.0.1:8080/ http://[::1]:9000/x
    https://app.example/after HTTPS://APP.EXAMPLE:443/after http://shop.example:8443/
  `)('sessions: may be %s', async (redirect_url) => {
    await using service = await startService({
      settings: { cors: { origins: ['https://app.example', 'http://shop.example:8443'] } },
    });
    await begin(service, { redirect_url });
  });

  test.each([
    ...words`
      https://elsewhere.example/ https://app.example:444/ https://app.example.evil.example/
      https://localhost.evil.example/ https://app.example@evil.example/ https://user:secret@app.example/
      https://app.example/#done https://app.example/# ftp://localhost/ javascript:alert(1) //localhost/ /done
      localhost:3000 http:localhost http://
    `,
    ' http://localhost/',
    'http://local\thost/',
    'http://localhost\\@evil.example/',
    '',
    `http://localhost/${'x'.repeat(2048)}`,
  ])('sessions: %j is 400, named, and not repeated', async (redirect_url) => {
    await using service = await startService({ settings: { cors: { origins: ['https://app.example'] } } });
    for (const key of [BEGIN, 'POST /onboarding/session/run'] as const) {
      const body = { key: KYC, user_external_id: 'customer-1', redirect_url };
      const refusal = await service.refused(key, { body });
      expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'redirect_url'));
      expect(refusal.message).not.toContain('evil');
    }
    expect((await list(service)).data).toEqual([]);
  });

  test('sessions: the setting cors.origins applies at once', async (service) => {
    const body = { key: KYC, redirect_url: 'https://app.example/' };
    expect(await service.refused(BEGIN, { body })).toMatchObject({ status: 400 });
    await service.call('PATCH /_kyclone/settings', { body: { cors: { origins: ['https://app.example'] } } });
    await begin(service, body);
  });
});
