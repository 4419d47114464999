/** Tokens for hosted flows of an existing user: onboard, inherit, update_auth_methods (contract §10, §11). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { aPng, aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { aPlaybook, advance, eventsOfKind, onboardingOf, resolve } from '../../support/runs.ts';
import { enter } from '../../support/hosted-samples.ts';
import { HOST, failureOf, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const TOKEN = 'POST /users/{fp_id}/token';
const COMPLETE = 'POST /_kyclone/sessions/complete';
const VALIDATE = 'POST /onboarding/session/validate';
const MINUTE = 60_000;

type Body = RequestOf<typeof TOKEN>['body'];
type Completion = RequestOf<typeof COMPLETE>['body'];

const tokenFor = async (service: TestService, fp_id: string, body: Body, as?: string) =>
  (await service.call(TOKEN, { params: { fp_id }, body, ...(as !== undefined && { as }) })).body;
const refused = (service: TestService, fp_id: string, body: unknown, as?: string) =>
  service.refused(TOKEN, { params: { fp_id }, body, ...(as !== undefined && { as }) });
const complete = async (service: TestService, token: string, body: Partial<Completion> = {}) =>
  (await service.call(COMPLETE, { body: { token, ...body } })).body;
const refusedCompletion = (service: TestService, token: string, body: object = {}) =>
  service.refused(COMPLETE, { body: { token, ...body } });
const validate = async (service: TestService, validation_token: string) =>
  (await service.call(VALIDATE, { body: { validation_token } })).body;
const onboard = { kind: 'onboard', key: KYC } as const;
const inherit = { kind: 'inherit' } as const;
const update = { kind: 'update_auth_methods' } as const;

test('token: returns a token, a link with it, and an hour by default', async (service) => {
  const id = await service.user(aReadyUser());

  const link = await tokenFor(service, id, update);

  expect(link).toEqual({
    token: expect.stringMatching(/^obtok_[0-9A-Za-z]{34}$/) as string,
    link: `http://${HOST}/hosted/onboarding#${link.token}`,
    expires_at: '2026-03-01T13:00:00.000Z',
  });
  expect(await tokenFor(service, id, { ...update, ttl_min: 1 })).toMatchObject({
    expires_at: '2026-03-01T12:01:00.000Z',
  });
  expect(await tokenFor(service, id, { ...update, ttl_min: 10_080 })).toMatchObject({
    expires_at: '2026-03-08T12:00:00.000Z',
  });
});

test.eachWith<[string, unknown, string]>([
  ['onboard without a playbook', { kind: 'onboard' }, 'key'],
  ['onboard with null for a playbook', { kind: 'onboard', key: null }, 'key'],
  ['inherit with a playbook', { kind: 'inherit', key: KYC }, 'key'],
  ['update_auth_methods with a playbook', { kind: 'update_auth_methods', key: KYC }, 'key'],
  ['inherit with allow_reonboard', { kind: 'inherit', allow_reonboard: true }, 'allow_reonboard'],
  ['no time at all', { ...update, ttl_min: 0 }, 'ttl_min'],
  ['more than a week', { ...update, ttl_min: 10_081 }, 'ttl_min'],
])('token: %s is 400 and makes no session', async (service, _, body, named) => {
  const refusal = await refused(service, await service.user(aReadyUser()), body);

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
  expect(service.database.prepare('SELECT count(*) FROM onboarding_sessions').pluck().get()).toBe(0);
});

test('token: null counts as absent, where the kind takes no playbook too', async (service) => {
  const id = await service.user(aReadyUser());

  const body = { ...update, key: null, ttl_min: null, allow_reonboard: null } as unknown as Body;

  expect((await tokenFor(service, id, body)).expires_at).toBe('2026-03-01T13:00:00.000Z');
});

describe('onboard', () => {
  test('token: the flow runs this user; a second time the result stands, unless another run is allowed', async (service) => {
    const id = await service.user(aReadyUser());

    const { token } = await tokenFor(service, id, onboard);
    const done = await complete(service, token);

    expect(done.user).toMatchObject({ fp_id: id, playbook_key: KYC, status: 'pass' });
    expect(done).not.toHaveProperty('business');
    for (const body of [onboard, { ...onboard, allow_reonboard: false }])
      expect((await complete(service, (await tokenFor(service, id, body)).token)).user).toEqual(done.user);
    for (const body of [
      { ...onboard, allow_reonboard: true },
      { ...onboard, kind: 'reonboard' as const },
    ]) {
      const again = await complete(service, (await tokenFor(service, id, body)).token);
      expect(again.user?.onboarding_id).not.toBe(done.user?.onboarding_id);
    }
  });

  test('token: links may be made again and again, for one onboarding', async (service) => {
    const id = await service.user(aReadyUser());
    await enter(service, (await tokenFor(service, id, onboard)).token);
    service.clock.advance(60 * MINUTE);
    const { token } = await tokenFor(service, id, onboard);
    await enter(service, (await tokenFor(service, id, onboard)).token);
    await complete(service, token);

    expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(1);
  });

  test('token: a playbook of another kind, environment or name is playbook_unknown', async (service) => {
    const id = await service.user(aReadyUser());
    for (const key of [KYB, 'pb_live_kycdefault000000000000', 'pb_test_nothing']) {
      expect(await refused(service, id, { kind: 'onboard', key })).toMatchObject({
        code: 'playbook_unknown',
      });
    }
    const key = await aPlaybook(service, { kind: 'document' });
    await service.upload(id, 'document.passport.front.image', aPng());
    const { token } = await tokenFor(service, id, { kind: 'onboard', key });
    expect((await complete(service, token)).user?.status).toBe('pass');
  });

  test('token: lasts as long as was requested, by the clock of the instance, and is used once', async (service) => {
    const id = await service.user(aReadyUser());
    const brief = await tokenFor(service, id, { ...update, ttl_min: 2 });
    const week = await tokenFor(service, id, { ...update, ttl_min: 10_080 });
    const data = { 'id.email': 'new@example.com' };

    await advance(service, '119s');
    expect(await refusedCompletion(service, brief.token)).toMatchObject({
      message: expect.stringContaining('data') as string,
    });
    await advance(service, '1s');
    expect(await refusedCompletion(service, brief.token, { data })).toMatchObject(
      failureOf(400, 'invalid_request'),
    );
    await service.call('PUT /_kyclone/clock', { body: { action: 'resume' } });
    expect(await refusedCompletion(service, brief.token, { data })).toMatchObject(
      failureOf(400, 'invalid_request'),
    );
    await service.call('PUT /_kyclone/clock', { body: { action: 'set', at: '2026-03-08T11:59:59Z' } });
    await complete(service, week.token, { data });
    expect(await refusedCompletion(service, week.token, { data })).toMatchObject(failureOf(409, 'conflict'));
  });
});

describe('inherit', () => {
  test('token: continues the newest incomplete onboarding, of any playbook', async (service) => {
    const id = await service.user(aReadyUser());
    const key = await aPlaybook(service, { requirements: [['id.email']] });
    await enter(service, (await tokenFor(service, id, onboard)).token);
    await enter(service, (await tokenFor(service, id, { kind: 'onboard', key })).token);
    const [newest, older] = service.database
      .prepare('SELECT id FROM onboardings ORDER BY seq DESC')
      .pluck()
      .all();

    const first = await complete(service, (await tokenFor(service, id, inherit)).token);
    const second = await complete(service, (await tokenFor(service, id, inherit)).token, {
      fixture_result: 'fail',
    });

    expect(first.user).toMatchObject({ onboarding_id: newest, playbook_key: key, status: 'pass' });
    expect(second.user).toMatchObject({ onboarding_id: older, playbook_key: KYC, status: 'fail' });
    expect(await refused(service, id, inherit)).toMatchObject({ status: 409, code: 'conflict' });
    expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(2);
  });

  test('token: without an incomplete onboarding it is 409, even after a finished one', async (service) => {
    const id = await service.user(aReadyUser());
    expect(await refused(service, id, inherit)).toMatchObject({ status: 409, code: 'conflict' });
    await onboardingOf(service, id).run({ fixture_result: 'pending' });
    expect(await refused(service, id, inherit)).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('token: an incomplete session is T121, and the token stays usable; entered data count', async (service) => {
    const id = await service.user({});
    await enter(service, (await tokenFor(service, id, onboard)).token);
    const { token } = await tokenFor(service, id, inherit);

    expect(await refusedCompletion(service, token, { data: { 'id.city': 'Enclave' } })).toMatchObject({
      code: 'T121',
    });
    expect(
      await refusedCompletion(service, token, { business_data: { 'business.name': 'x' } }),
    ).toMatchObject({ message: expect.stringContaining('business_data') as string });
    expect(await refusedCompletion(service, token, { data: { 'id.dob': 'x' } })).toMatchObject({
      code: 'T120',
    });
    expect((await vaultOf(service, id).decrypt(['id.city']))['id.city']).toBeNull();
    expect((await complete(service, token, { data: aReadyUser() })).user?.status).toBe('pass');
  });

  test('token: an onboarding that ended meanwhile keeps its result; an outcome for it is 409', async (service) => {
    const id = await service.user(aReadyUser());
    await onboardingOf(service, id).run({ fixture_result: 'step_up' });
    const { token } = await tokenFor(service, id, inherit);
    await onboardingOf(service, id).uploadFront('passport');

    expect(await refusedCompletion(service, token, { fixture_result: 'pass' })).toMatchObject({
      status: 409,
    });
    const done = await complete(service, token);
    expect(done.user).toMatchObject({ status: 'fail', requires_manual_review: true });
    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(1);

    await onboardingOf(service, id).run({ fixture_result: 'step_up' });
    const second = await tokenFor(service, id, inherit);
    const [open] = service.database
      .prepare("SELECT id FROM onboardings WHERE status = 'incomplete'")
      .pluck()
      .all();
    await resolve(service, String(open), 'pending');
    expect((await complete(service, second.token)).user).toMatchObject({ status: 'pending' });
  });

  test('token: a manual decision during a pending run stays, and the session returns it', async (service) => {
    const id = await service.user(aReadyUser());
    const key = await aPlaybook(service, { session_delay_ms: 60_000 });
    await enter(service, (await tokenFor(service, id, { kind: 'onboard', key })).token);
    const { validation_token, user } = await complete(service, (await tokenFor(service, id, inherit)).token);
    expect(user?.status).toBe('pending');

    await onboardingOf(service, id).decide({ status: 'fail' });
    await advance(service, '2m');

    expect((await validate(service, validation_token)).user).toMatchObject({ ...user, status: 'fail' });
    expect((await onboardingOf(service, id).details()).status).toBe('fail');
  });
});

describe('update_auth_methods', () => {
  test.eachWith([
    ['email', 'id.email', 'new@example.com'],
    ['sms', 'id.phone_number', '+12025550142'],
  ] as const)(
    'token: %s: the new value is in the vault, its validation says how, and nothing is run',
    async (service, kind, identifier, value) => {
      const id = await service.user(aReadyUser());
      const { token } = await tokenFor(service, id, update);
      service.clock.advance(1_000);

      const done = await complete(service, token, { data: { [identifier]: value } });

      expect(done).toEqual({ validation_token: expect.stringMatching(/^vtok_/) as string });
      expect(await validate(service, done.validation_token)).toEqual({
        user_auth: { fp_id: id, auth_events: [{ kind, timestamp: '2026-03-01T12:00:01.000Z' }] },
      });
      expect((await vaultOf(service, id).decrypt([identifier]))[identifier]).toBe(value);
      expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(0);
    },
  );

  test.eachWith<[string, object, string]>([
    ['no data', {}, 'id.email'],
    ['empty data', { data: {} }, 'id.email'],
    ['both', { data: { 'id.email': 'a@example.com', 'id.phone_number': '+12025550142' } }, 'nothing else'],
    ['another identifier', { data: { 'id.first_name': 'Jane' } }, 'id.phone_number'],
    ['one beside', { data: { 'id.email': 'a@example.com', 'id.city': 'Enclave' } }, 'nothing else'],
    ['null', { data: { 'id.email': null } }, 'id.email'],
    ['an unknown identifier', { data: { 'id.shoe_size': '7' } }, 'id.shoe_size'],
    ['data of a business', { data: { 'id.email': 'a@example.com' }, business_data: {} }, 'business_data'],
    ['an outcome', { data: { 'id.email': 'a@example.com' }, fixture_result: 'pass' }, 'fixture_result'],
    ['another way to sign in', { data: { 'id.email': 'a@example.com' }, auth_kind: 'sms' }, 'auth_kind'],
  ])('complete: %s is 400, changes nothing, and the token stays usable', async (service, _, body, named) => {
    const id = await service.user({ 'id.email': 'old@example.com' });
    const { token } = await tokenFor(service, id, update);

    const refusal = await refusedCompletion(service, token, body);

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
    expect(refusal.message).not.toContain('a@example.com');
    expect(await vaultOf(service, id).decrypt(['id.email'])).toEqual({ 'id.email': 'old@example.com' });
    await complete(service, token, { data: { 'id.email': 'b@example.com' }, auth_kind: 'email' });
  });
});

test('token: user identifies the person, and runs nothing', async (service) => {
  const id = await service.user(aReadyUser());
  const { token: as } = await tokenFor(service, id, { kind: 'user' });
  await enter(service, as);

  const { body: ended } = await service.call('POST /hosted/session/complete', { as, body: {} });

  expect(ended.flow).toMatchObject({ state: 'completed', flow: 'user', result: null });
  expect(await validate(service, ended.validation_token ?? '')).toEqual({
    user_auth: { fp_id: id, auth_events: [{ kind: 'email', timestamp: '2026-03-01T12:00:00.000Z' }] },
  });
  expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(0);
  const { token } = await tokenFor(service, id, { kind: 'user' });
  expect(await refusedCompletion(service, token, { fixture_result: 'pass' })).toMatchObject({
    status: 400,
    message: expect.stringContaining('fixture_result') as string,
  });
});

test('token: document asks for one, stores it, and runs nothing without a playbook', async (service) => {
  const id = await service.user(aReadyUser());
  const { token: as } = await tokenFor(service, id, { kind: 'document' });
  await enter(service, as);
  const flow = await service.call('POST /hosted/session/document', {
    as,
    body: { kind: 'passport', country: 'US' },
  });
  expect(flow.body).toMatchObject({ flow: 'document', steps: ['identify', 'document', 'review'] });
  await service.send({
    method: 'POST',
    path: '/hosted/session/document/front',
    headers: { 'x-fp-authorization': as, 'content-type': 'image/png' },
    body: aPng(),
  });
  await service.call('POST /hosted/session/consent', { as, body: { consent: true } });

  await service.call('POST /hosted/session/complete', { as, body: {} });

  const { body: documents } = await service.call('GET /users/{fp_id}/documents', { params: { fp_id: id } });
  expect(documents).toMatchObject([{ document_type: 'passport', onboarding_id: '' }]);
  expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(0);
  expect(await refused(service, id, { kind: 'document', key: KYC })).toMatchObject({
    code: 'playbook_unknown',
  });
  const key = await aPlaybook(service, { kind: 'document' });
  const onPlaybook = await tokenFor(service, id, { kind: 'document', key });
  expect((await complete(service, onPlaybook.token)).user?.status).toBe('pass');
});

describe('limit_auth_methods', () => {
  const identified = async (service: TestService, as: string) =>
    (await service.call('GET /hosted/session', { as })).body.identify;

  test('token: the flow offers and takes no other method', async (service) => {
    const id = await service.user(aReadyUser({ 'id.email': undefined, 'id.phone_number': undefined }));
    const of = (limit_auth_methods: Body['limit_auth_methods']) =>
      tokenFor(service, id, { kind: 'user', limit_auth_methods } as Body);
    const { token: as } = await of(['phone']);
    const data = { 'id.email': 'new@example.com' };

    expect(await identified(service, as)).toMatchObject({ methods: ['phone'], sent_to: null });
    const refusal = await service.refused('POST /hosted/session/identify', { as, body: { data } });
    expect(refusal.message).toBe('data must be id.phone_number, and nothing else');
    expect(
      await service.refused('POST /hosted/session/verify', { as, body: { passkey: true } }),
    ).toMatchObject({ status: 400, message: expect.stringContaining('passkey') as string });
    await enter(service, (await of(['email'])).token);
  });

  test('token: the code goes to a stored contact that the link may use', async (service) => {
    const id = await service.user(
      aReadyUser({ 'id.email': 'mina@example.com', 'id.phone_number': '+14155550123' }),
    );
    for (const [method, by] of [
      ['phone', 'sms'],
      ['email', 'email'],
    ] as const) {
      const { token } = await tokenFor(service, id, { ...onboard, limit_auth_methods: [method] });
      expect(await identified(service, token)).toMatchObject({ by, methods: [method] });
    }
  });

  test('token: a passkey identifies the user without a code', async (service) => {
    const id = await service.user(aReadyUser());
    for (const body of [{ kind: 'user' }, update] as const) {
      const { token: as } = await tokenFor(service, id, { ...body, limit_auth_methods: ['passkey'] });
      expect(
        await service.refused('POST /hosted/session/verify', { as, body: { passkey: true, code: '000000' } }),
      ).toMatchObject({ status: 400 });
      await service.call('POST /hosted/session/verify', { as, body: { passkey: true } });
      const { body: ended } = await service.call('POST /hosted/session/complete', { as, body: {} });
      expect((await validate(service, ended.validation_token ?? '')).user_auth.auth_events).toMatchObject([
        { kind: 'passkey' },
      ]);
    }
  });
});

test('token: the flow starts with that business and that owner', async (service) => {
  const id = await service.user(aReadyUser());
  const fp_bid = await service.business(aReadyBusiness());
  const body = { kind: 'onboard', key: KYB, fp_bid } as const;
  expect(await refused(service, id, body)).toMatchObject({ status: 404, code: 'not_found' });
  await service.call('POST /businesses/{fp_bid}/owners', {
    params: { fp_bid },
    body: { fp_id: id, ownership_stake: 40 },
  });

  const { token: as } = await tokenFor(service, id, body);
  await enter(service, as);
  expect((await service.call('GET /hosted/session', { as })).body).toMatchObject({
    kind: 'kyb',
    screens: [],
  });
  expect(await complete(service, as)).toMatchObject({ user: { fp_id: id }, business: { fp_id: fp_bid } });
  for (const other of [
    { ...body, key: KYC },
    { ...update, fp_bid },
  ])
    expect((await refused(service, id, other)).status).toBe(400);
  for (const unknown of ['fp_bid_0000000000000000000000', id])
    expect(await refused(service, id, { ...body, fp_bid: unknown })).toMatchObject({ status: 404 });
});

test('complete: keeps the contact that was verified in the page', async (service) => {
  const confirm = async (as: string, data: Record<string, string>) => {
    await service.call('POST /hosted/session/identify', { as, body: { data } });
    await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  };
  const id = await service.user(aReadyUser({ 'id.email': undefined, 'id.phone_number': undefined }));
  const { token } = await tokenFor(service, id, onboard);
  const data = { 'id.phone_number': '+14155550123' };
  await confirm(token, data);

  const done = await complete(service, token, { data: { 'id.email': 'mina@example.com' } });

  expect(await vaultOf(service, id).decrypt(['id.phone_number'])).toEqual(data);
  expect((await validate(service, done.validation_token)).user_auth.auth_events).toMatchObject([
    { kind: 'sms' },
  ]);
  const other = await tokenFor(service, id, update);
  const email = { 'id.email': 'other@example.com' };
  await confirm(other.token, email);
  await complete(service, other.token);
  expect(await vaultOf(service, id).decrypt(['id.email'])).toEqual(email);
});

const stepUp = { fixture_result: 'step_up', generate_link_on_stepup: true } as const;
type Run = ReturnType<typeof onboardingOf>['run'];
const steppedUp = async (run: Run) =>
  (await run(stepUp)) as Awaited<ReturnType<Run>> & { in_progress_link: { token: string } };

test('run: returns a link whose session ends this onboarding as its document would', async (service) => {
  const id = await service.user(aReadyUser());
  const { run, signals, decisions } = onboardingOf(service, id);

  const result = await steppedUp(run);
  expect(result).toMatchObject({ status: 'incomplete', requires_manual_review: false });
  const { token } = result.in_progress_link;
  expect(result.in_progress_link).toEqual({
    token: expect.stringMatching(/^obtok_/) as string,
    link: `http://${HOST}/hosted/onboarding#${token}`,
    expires_at: '2026-03-01T13:00:00.000Z',
  });
  const done = await complete(service, token);

  expect(done.user).toMatchObject({
    onboarding_id: result.onboarding_id,
    status: 'fail',
    requires_manual_review: true,
  });
  expect((await signals()).map(({ reason_code }) => reason_code)).toContain('document_requires_review');
  expect((await decisions()).data).toHaveLength(1);
  expect(service.database.prepare('SELECT count(*) FROM onboardings').pluck().get()).toBe(1);
  expect((await validate(service, done.validation_token)).user).toEqual(done.user);
});

test('complete: may choose another outcome for the stepped-up onboarding', async (service) => {
  const id = await service.user(aReadyUser());
  const { onboarding_id, in_progress_link } = await steppedUp(onboardingOf(service, id).run);

  const done = await complete(service, in_progress_link.token, { fixture_result: 'pass' });

  expect(done.user).toMatchObject({ onboarding_id, status: 'pass' });
  expect((await onboardingOf(service, id).details()).status).toBe('pass');
});

test('run: no link without the member, for another outcome, or for a business', async (service) => {
  const id = await service.user(aReadyUser());
  const { run } = onboardingOf(service, id);
  expect(await run({ fixture_result: 'step_up' })).not.toHaveProperty('in_progress_link');
  expect(await run({ ...stepUp, generate_link_on_stepup: false })).not.toHaveProperty('in_progress_link');
  for (const fixture_result of ['pass', 'pending', 'manual_review'] as const) {
    expect(await run({ ...stepUp, fixture_result })).not.toHaveProperty('in_progress_link');
  }
  const business = onboardingOf(service, await service.business(aReadyBusiness()));
  expect(await business.run(stepUp)).not.toHaveProperty('in_progress_link');
  expect(await onboardingOf(service, id).refusedRun({ generate_link_on_stepup: 'yes' })).toMatchObject(
    failureOf(400, 'invalid_request'),
  );
  expect(service.database.prepare('SELECT count(*) FROM onboarding_sessions').pluck().get()).toBe(0);
});

test('run: an expired link leaves the onboarding waiting for its document', async (service) => {
  const id = await service.user(aReadyUser());
  const result = await steppedUp(onboardingOf(service, id).run);
  await advance(service, '61m');

  await tokenFor(service, id, onboard);
  await onboardingOf(service, id).uploadFront('passport');
  expect(await onboardingOf(service, id).onboarding(result.onboarding_id)).toMatchObject({ status: 'fail' });
});

test('delete: the tokens of a deleted user open nothing', async (service) => {
  const id = await service.user(aReadyUser());
  const tokens = [
    { token: await enter(service, (await tokenFor(service, id, onboard)).token) },
    await tokenFor(service, id, inherit),
    await tokenFor(service, id, update),
  ];

  await onboardingOf(service, id).remove();

  for (const { token } of tokens) {
    const refusal = await refusedCompletion(service, token, { data: { 'id.email': 'a@example.com' } });
    expect(refusal).toMatchObject({ status: 409, code: 'conflict' });
  }
});
