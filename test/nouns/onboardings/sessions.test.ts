/** Hosted onboardings: sessions are created, completed and validated (contract §4.2, §5, §10, §11). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { aPng, aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { enter } from '../../support/hosted-samples.ts';
import { HOST, LIVE_KEY, failureOf, startService, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { test } from '../../support/test-with.ts';

const BEGIN = 'POST /onboarding/session';
const COMPLETE = 'POST /_kyclone/sessions/complete';
const VALIDATE = 'POST /onboarding/session/validate';
const MINUTE = 60_000;

type Request = RequestOf<typeof BEGIN>['body'];
type Completion = RequestOf<typeof COMPLETE>['body'];

const begin = async (service: TestService, body: Partial<Request> = {}, as?: string) =>
  (await service.call(BEGIN, { body: { key: KYC, ...body }, ...(as !== undefined && { as }) })).body;
const complete = async (service: TestService, token: string, body: Partial<Completion> = {}) =>
  ranUser((await service.call(COMPLETE, { body: { token, data: aReadyUser(), ...body } })).body);
/** Requires that the session ran its user, and returns its response. */
function ranUser<Answer extends { user?: unknown }>(answer: Answer) {
  if (answer.user === undefined) throw new Error('the session ran no user');
  return answer as Answer & { user: NonNullable<Answer['user']> };
}
const refusedCompletion = (service: TestService, body: Record<string, unknown>) =>
  service.refused(COMPLETE, { body: { data: aReadyUser(), ...body } });
const validate = async (service: TestService, validation_token: string, as?: string) =>
  (await service.call(VALIDATE, { body: { validation_token }, ...(as !== undefined && { as }) })).body;
const onboardingOf = async (service: TestService, id: string) =>
  (await service.call('GET /onboardings/{id}', { params: { id } })).body;
const playbook = async (service: TestService, body: RequestOf<'POST /_kyclone/playbooks'>['body']) =>
  (await service.call('POST /_kyclone/playbooks', { body })).body.key;
const countOf = (service: TestService, table: string) =>
  service.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const user = (service: TestService, external: string, data: Record<string, unknown> = {}) =>
  service.call('POST /users', { headers: { 'x-external-id': external } }).then(async ({ body: { id } }) => {
    if (Object.keys(data).length > 0) {
      await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id: id }, body: data });
    }
    return id;
  });

describe('begin', () => {
  test.each([
    ['localhost:49153', 'localhost:49153'],
    ['[::1]:5000', '[::1]:5000'],
    ['localhost', HOST],
    ['kyc.test:5000', HOST],
  ])('sessions: for a caller by %s the link leads to %s', async (host, leadsTo) => {
    await using service = await startService({ settings: { hosts: ['kyc.test'] } });
    const linkOf = async (path: string, body: object) =>
      new URL(
        ((await service.send({ method: 'POST', path, headers: { host }, body })).body as { link: string })
          .link,
      );
    const begun = await linkOf('/onboarding/session', { key: 'pb_test_kycdefault000000000000' });
    expect(begun.host).toBe(leadsTo);
    const fp_id = await service.user();
    expect((await linkOf('/_kyclone/bank_link_intents', { fp_id })).host).toBe(leadsTo);
  });

  test('sessions: returns a token, a link that ends with it, and an hour', async (service) => {
    const session = await begin(service);

    expect(session).toEqual({
      token: expect.stringMatching(/^obtok_[0-9A-Za-z]{34}$/) as string,
      link: `http://${HOST}/hosted/onboarding#${session.token}`,
      expires_at: '2026-03-01T13:00:00.000Z',
    });
    expect((await begin(service)).token).not.toBe(session.token);
    expect(countOf(service, 'entities')).toBe(0);
    expect(countOf(service, 'onboardings')).toBe(0);
  });

  test('sessions: neither token nor bootstrap data are in the store in the clear', async (service) => {
    const { token } = await begin(service, { bootstrap_data: { 'id.city': 'Enclavetown' } });
    const { validation_token } = await complete(service, token);

    const stored = bytesOf(service.database).toString('latin1');

    for (const secret of [token, validation_token, token.slice(6), 'Enclavetown'])
      expect(stored).not.toContain(secret);
  });

  test('sessions: a link changes nothing about its user, whether it is opened or expires', async () => {
    await using service = await startService({ settings: { events: { extended: true } } });
    const fp_id = await service.user(aReadyUser());
    const seen = async () => ({
      user: (await service.call('GET /users/{fp_id}', { params: { fp_id } })).body,
      events: (await service.call('GET /_kyclone/events', {})).body.meta.count,
    });
    const before = await seen();

    const { token } = await begin(service, { fp_id });
    await service.call('GET /hosted/session', { as: token });
    await service.call('POST /users/{fp_id}/token', {
      params: { fp_id },
      body: { kind: 'onboard', key: KYC },
    });

    expect(await seen()).toEqual(before);
    service.clock.advance(61 * MINUTE);
    expect(await seen()).toEqual(before);
    expect(countOf(service, 'onboardings')).toBe(0);
  });

  test('sessions: an onboarding of a known user begins with the code, and its documents belong to it', async (service) => {
    const id = await service.user(aReadyUser());
    const { token } = await begin(service, { fp_id: id, onboarding_external_id: 'attempt 7' });
    await enter(service, token);

    await service.upload(id, 'document.passport.front.image', aPng());
    const { body: documents } = await service.call('GET /users/{fp_id}/documents', { params: { fp_id: id } });
    const opened = documents[0]?.onboarding_id ?? '';
    expect(await onboardingOf(service, opened)).toMatchObject({ status: 'incomplete', fp_id: id });
    const done = await complete(service, token, { data: {} });

    expect(done.user).toMatchObject({ fp_id: id, onboarding_id: opened, status: 'pass' });
    expect(await onboardingOf(service, opened)).toMatchObject({
      status: 'pass',
      onboarding_external_id: 'attempt 7',
    });
    expect(countOf(service, 'onboardings')).toBe(1);
  });

  test('sessions: those of a user known by external id, and of a business of kyb, begin with the code too', async (service) => {
    await user(service, 'customer-1');
    await service.call('POST /businesses', { headers: { 'x-external-id': 'company-1' } });

    for (const body of [{}, { key: KYB, business_external_id: 'company-1' }])
      await enter(service, (await begin(service, { user_external_id: 'customer-1', ...body })).token);

    const rows = service.database.prepare('SELECT external_id, playbook_key, status FROM onboardings').all();
    expect(rows).toEqual([
      { external_id: 'customer-1', playbook_key: KYC, status: 'incomplete' },
      { external_id: 'company-1', playbook_key: KYB, status: 'incomplete' },
    ]);
  });

  test.eachWith<[string, Record<string, unknown>, number, string, string]>([
    ['an unknown playbook', { key: 'pb_test_nothing' }, 400, 'playbook_unknown', 'playbook'],
    ['a playbook of live', { key: 'pb_live_kycdefault000000000000' }, 400, 'playbook_unknown', 'playbook'],
    [
      'a business for kyc',
      { business_external_id: 'company-1' },
      400,
      'invalid_request',
      'business_external_id',
    ],
    [
      'data of a business for kyc',
      { bootstrap_data: { 'business.name': 'x' } },
      400,
      'invalid_request',
      'business.name',
    ],
    ['unknown data', { bootstrap_data: { 'id.shoe_size': '7' } }, 400, 'invalid_request', 'id.shoe_size'],
    ['data that is not valid', { bootstrap_data: { 'id.dob': 'yesterday' } }, 400, 'T120', 'id.dob'],
    [
      'data of a business that is not valid',
      { key: KYB, bootstrap_data: { 'business.tin': 'x' } },
      400,
      'T120',
      'tin',
    ],
    ['a malformed external id', { user_external_id: 'x' }, 400, 'invalid_request', 'user_external_id'],
    [
      'one id for both',
      { key: KYB, user_external_id: 'same-id', business_external_id: 'same-id' },
      409,
      'conflict',
      '',
    ],
  ])('sessions: %s is refused', async (service, _, members, status, code, named) => {
    const refusal = await service.refused(BEGIN, { body: { key: KYC, ...members } });

    expect(refusal).toMatchObject({ status, code });
    expect(JSON.stringify(refusal)).toContain(named);
    expect(JSON.stringify(refusal)).not.toContain('yesterday');
    expect(countOf(service, 'onboarding_sessions')).toBe(0);
  });

  test('sessions: ids that disagree are 409, entities of elsewhere 404', async (service) => {
    const [one, two] = [await user(service, 'customer-1'), await user(service, 'customer-2')];
    await service.call('POST /businesses', { headers: { 'x-external-id': 'company-1' } });
    const [business, live] = [await service.business(), await service.user({}, LIVE_KEY)];

    for (const body of [
      { fp_id: one, user_external_id: 'customer-2' },
      { fp_id: two, user_external_id: 'customer-9' },
      { user_external_id: 'company-1' },
      { key: KYB, business_external_id: 'customer-1' },
    ]) {
      const refusal = await service.refused(BEGIN, { body: { key: KYC, ...body } });
      expect(refusal, JSON.stringify(body)).toMatchObject({ status: 409, code: 'conflict' });
    }
    for (const fp_id of [business, live]) {
      expect(await service.refused(BEGIN, { body: { key: KYC, fp_id } })).toMatchObject({ status: 404 });
    }
    await begin(service, { fp_id: one, user_external_id: 'customer-1' });
  });

  test('sessions: bootstrap data is checked against the vault of a known user', async (service) => {
    const id = await service.user({ 'id.ssn9': '121121212' });

    const body = { key: KYC, fp_id: id, bootstrap_data: { 'id.itin': '912701234' } };
    expect(await service.refused(BEGIN, { body })).toMatchObject({
      code: 'T120',
      context: { 'id.itin': expect.any(String) as string },
    });
    expect(countOf(service, 'onboardings')).toBe(0);
  });

  test('sessions: a finished onboarding stands for a link that may not onboard again', async () => {
    await using service = await startService({ settings: { events: { extended: true } } });
    const id = await service.user(aReadyUser());
    const first = await complete(service, (await begin(service, { fp_id: id })).token, {
      fixture_result: 'fail',
    });
    const eventsBefore = (await service.call('GET /_kyclone/events', {})).body.meta.count;

    const { token } = await begin(service, { fp_id: id, bootstrap_data: { 'id.city': 'Unseen' } });
    expect(await refusedCompletion(service, { token, data: {}, fixture_result: 'pass' })).toMatchObject({
      code: 'T122',
    });
    const flow = await service.call('POST /hosted/session/verify', { as: token, body: { code: '000000' } });
    expect(flow.body).toMatchObject({ steps: ['identify'], screens: [], document: null, owners: null });
    const { body: ended } = await service.call('POST /hosted/session/complete', { as: token, body: {} });

    expect(await validate(service, ended.validation_token ?? '')).toMatchObject({
      user_auth: { fp_id: id },
      user: first.user,
    });
    expect(ended.flow).toMatchObject({ state: 'completed', result: { status: 'fail' } });
    expect((await service.call('GET /_kyclone/events', {})).body.meta.count).toBe(eventsBefore);
    expect(await vaultOf(service, id).decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
    expect(countOf(service, 'onboardings')).toBe(1);
    const again = await begin(service, { fp_id: id, allow_reonboard: true });
    expect((await complete(service, again.token)).user.status).toBe('pass');
    expect(countOf(service, 'onboardings')).toBe(2);
  });

  test('sessions: links of one user continue one onboarding, until one of them is finished', async (service) => {
    const id = await service.user(aReadyUser());
    const link = (external: string) => begin(service, { fp_id: id, onboarding_external_id: external });
    const [older, newer, unopened] = [await link('first'), await link('second'), await link('third')];
    const elsewhere = await begin(service, { key: KYB, fp_id: id });
    for (const { token } of [older, newer]) await enter(service, token);

    const done = await complete(service, newer.token);

    expect(await onboardingOf(service, done.user.onboarding_id)).toMatchObject({
      onboarding_external_id: 'second',
    });
    expect(countOf(service, 'onboardings')).toBe(1);
    for (const { token } of [older, unopened]) {
      expect((await service.call('GET /hosted/session', { as: token })).body.state).toBe('closed');
      expect(await refusedCompletion(service, { token })).toMatchObject({ status: 409, code: 'conflict' });
    }
    expect((await service.call('GET /hosted/session', { as: elsewhere.token })).body.state).toBe('open');
  });

  test('sessions: somebody who is recognised comes to the result that stands, or to what is missing', async (service) => {
    const contact = { 'id.email': 'returning@hosted.example' };
    const id = await service.user(aReadyUser(contact));
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id: id }, body: { key: KYC } });
    const recognised = async (body: Partial<Request> = {}) => {
      const { token: as } = await begin(service, body);
      await service.call('POST /hosted/session/identify', { as, body: { data: contact } });
      return (await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } })).body;
    };

    expect((await recognised()).steps).toEqual(['identify']);
    expect((await recognised({ allow_reonboard: true })).step).toBe('review');
    const key = await playbook(service, {
      name: 'More',
      kind: 'kyc',
      requirements: [['id.email'], ['id.nationality']],
    });
    expect((await recognised({ key })).screens.map(({ name }) => name)).toEqual(['legal_status']);
    const open = service.database.prepare("SELECT playbook_key FROM onboardings WHERE status = 'incomplete'");
    expect(open.pluck().all()).toEqual([KYC, key]);
  });
});

describe('complete', () => {
  test('sessions: creates the user with earlier and later data, where later wins, and runs it', async (service) => {
    const { token } = await begin(service, {
      user_external_id: 'customer-1',
      bootstrap_data: { 'id.first_name': 'Bootstrapped', 'id.email': 'kept@example.com', 'id.dob': null },
      onboarding_external_id: 'attempt 1',
    });
    const data = aReadyUser();
    delete data['id.email'];

    const done = await complete(service, token, { data });

    expect(done).toEqual({
      validation_token: expect.stringMatching(/^vtok_[0-9A-Za-z]{34}$/) as string,
      user: {
        fp_id: expect.stringMatching(/^fp_id_/) as string,
        onboarding_id: expect.stringMatching(/^ob_/) as string,
        playbook_key: KYC,
        status: 'pass',
        requires_manual_review: false,
      },
    });
    expect(await vaultOf(service, done.user.fp_id).decrypt(['id.first_name', 'id.email'])).toEqual({
      'id.first_name': 'Wilhelmina',
      'id.email': 'kept@example.com',
    });
    const params = { fp_id: done.user.fp_id };
    expect((await service.call('GET /users/{fp_id}', { params })).body).toMatchObject({
      external_id: 'customer-1',
      status: 'pass',
    });
    expect(await onboardingOf(service, done.user.onboarding_id)).toMatchObject({
      external_id: 'customer-1',
      onboarding_external_id: 'attempt 1',
    });
  });

  test('sessions: an existing user gets the entered data, and keeps the rest', async (service) => {
    const id = await user(service, 'customer-1', aReadyUser());
    const { token } = await begin(service, {
      user_external_id: 'customer-1',
      bootstrap_data: { 'id.city': 'Before' },
    });
    expect(await vaultOf(service, id).decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });

    expect((await complete(service, token, { data: { 'id.zip': '10001' } })).user.fp_id).toBe(id);
    expect(await vaultOf(service, id).decrypt(['id.city', 'id.zip', 'id.first_name'])).toEqual({
      'id.city': 'Before',
      'id.zip': '10001',
      'id.first_name': 'Wilhelmina',
    });
  });

  test('sessions: T120 and T121 change nothing, and the token stays usable', async (service) => {
    const { token } = await begin(service, { user_external_id: 'customer-1' });

    const refusal = await refusedCompletion(service, { token, data: { 'id.first_name': 'Jane' } });

    expect(refusal).toMatchObject({ code: 'T121', context: { 'id.last_name': 'required by the playbook' } });
    for (const data of [aReadyUser({ 'id.dob': 'yesterday' }), aReadyUser({ 'business.name': 'Acme' })]) {
      const invalid = await refusedCompletion(service, { token, data });
      expect(invalid.code).toBe('T120');
      expect(JSON.stringify(invalid)).not.toContain('yesterday');
    }
    expect(countOf(service, 'entities')).toBe(0);
    expect(countOf(service, 'onboardings')).toBe(0);
    expect((await complete(service, token)).user.status).toBe('pass');
  });

  test('sessions: an onboarding that the user got meanwhile stands, unless another is allowed', async (service) => {
    const [standing, allowed] = [
      await begin(service, { user_external_id: 'customer-1' }),
      await begin(service, { user_external_id: 'customer-1', allow_reonboard: true }),
    ];
    await complete(service, (await begin(service, { user_external_id: 'customer-1' })).token);

    await complete(service, standing.token);
    expect(countOf(service, 'onboardings')).toBe(1);
    await complete(service, allowed.token);
    expect(countOf(service, 'onboardings')).toBe(2);
    expect(countOf(service, 'entities')).toBe(1);
  });

  test('sessions: a token lasts an hour; a used one is 409, an unknown, malformed or expired one 400', async (service) => {
    const [used, late] = [await begin(service), await begin(service)];
    service.clock.advance(60 * MINUTE - 1);
    await complete(service, used.token);

    expect(await refusedCompletion(service, { token: used.token })).toMatchObject(failureOf(409, 'conflict'));
    service.clock.advance(1);
    for (const token of [late.token, `obtok_${'0'.repeat(34)}`, 'obtok_', used.token.slice(0, -1), 'x']) {
      expect(await refusedCompletion(service, { token }), token).toMatchObject(
        failureOf(400, 'invalid_request'),
      );
    }
    expect(countOf(service, 'onboardings')).toBe(1);
  });

  test('sessions: of two at the same time one counts', async (service) => {
    const { token } = await begin(service);

    const body = { token, data: aReadyUser() };
    const replies = await Promise.all([1, 2].map(() => service.request(COMPLETE, { body })));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(countOf(service, 'entities')).toBe(1);
  });

  test('sessions: a user deleted meanwhile is 409, a deleted playbook is playbook_unknown', async (service) => {
    const id = await service.user();
    const { token } = await begin(service, { fp_id: id });
    await service.call('DELETE /users/{fp_id}', { params: { fp_id: id } });
    expect(await refusedCompletion(service, { token })).toMatchObject({ status: 409, code: 'conflict' });

    const key = await playbook(service, { name: 'Mine', kind: 'kyc' });
    const other = await begin(service, { key });
    await service.call('DELETE /_kyclone/playbooks/{key}', { params: { key } });
    expect(await refusedCompletion(service, { token: other.token })).toMatchObject({
      code: 'playbook_unknown',
    });
  });

  test('delete: deletes what sessions were to store of the user, and of no other', async (service) => {
    const [id, other] = [await service.user({}), await service.user({})];
    const bootstrap_data = { 'id.city': 'Enclave' };
    for (const key of [KYC, KYB]) await begin(service, { key, fp_id: id, bootstrap_data });
    const { token } = await begin(service, { fp_id: other, bootstrap_data });
    const kept = () =>
      service.database.prepare('SELECT length(sealed_request) > 0 FROM onboarding_sessions').pluck().all();
    expect(kept()).toEqual([1, 1, 1]);

    await service.call('DELETE /users/{fp_id}', { params: { fp_id: id } });

    expect(kept()).toEqual([0, 0, 1]);
    expect((await complete(service, token)).user.fp_id).toBe(other);
    expect(kept()).toEqual([0, 0, 0]);
  });

  test('sessions: a step-up changes no status of an open onboarding, so that no event is sent', async () => {
    await using service = await startService({ settings: { events: { extended: true } } });
    const { token } = await begin(service, { fp_id: await service.user({}) });

    expect((await complete(service, token, { fixture_result: 'step_up' })).user.status).toBe('incomplete');

    const { body } = await service.call('GET /_kyclone/events', {
      query: { kind: 'service.onboarding.status_changed' },
    });
    expect(body.data).toHaveLength(1);
  });

  test('sessions: what waits for a document is gone on with by the next link, which asks for it', async (service) => {
    const fp_id = await service.user({});
    const { token } = await begin(service, { fp_id });
    const stepped = await complete(service, token, { fixture_result: 'step_up' });
    service.clock.advance(61 * MINUTE);

    const next = await enter(service, (await begin(service, { fp_id })).token);

    expect((await service.call('GET /hosted/session', { as: next })).body).toMatchObject({
      steps: ['identify', 'document', 'review', 'outcome'],
    });
    const done = await complete(service, next, { data: {}, fixture_result: 'pass' });
    expect(done.user).toMatchObject({ onboarding_id: stepped.user.onboarding_id, status: 'pass' });
  });

  test('sessions: the playbook counts as it is when the user finishes, whether the link was opened or not', async (service) => {
    const newLink = async () => (await begin(service, { fp_id: await service.user({}) })).token;
    const tokens = [await newLink(), await enter(service, await newLink())];
    await service.call('PATCH /_kyclone/playbooks/{key}', {
      params: { key: KYC },
      body: { default_outcome: 'fail' },
    });

    for (const token of tokens) {
      const { user: run } = await complete(service, token);
      expect(run.status).toBe('fail');
      expect(await onboardingOf(service, run.onboarding_id)).toMatchObject({ playbook_version: 2 });
    }
  });

  test('resolve: an onboarding that a session opened may wait for a document', async (service) => {
    const fp_id = await service.user({});
    await enter(service, (await begin(service, { fp_id })).token);
    const id = service.database.prepare('SELECT id FROM onboardings').pluck().get() as string;
    const resolve = { params: { id }, body: { outcome: 'step_up' as const } };

    await service.call('POST /_kyclone/onboardings/{id}/resolve', resolve);
    await service.upload(fp_id, 'document.visa.front.image', aPng());

    expect(await onboardingOf(service, id)).toMatchObject({ status: 'fail', requires_manual_review: true });
  });

  test('sessions: a user known by external id and deleted meanwhile is made again', async (service) => {
    const id = await user(service, 'customer-1');
    const { token } = await begin(service, { user_external_id: 'customer-1' });
    await service.call('DELETE /users/{fp_id}', { params: { fp_id: id } });

    const done = await complete(service, token);

    expect(done.user).toMatchObject({ status: 'pass' });
    expect(done.user.fp_id).not.toBe(id);
  });

  test.eachWith([
    ['unknown data', { data: { 'id.shoe_size': '7' } }, 'id.shoe_size'],
    ['unknown data of a business', { business_data: { 'business.colour': 'x' } }, 'business'],
    ['data of a business for kyc', { business_data: { 'business.name': 'x' } }, 'business_data'],
  ])('sessions: %s is 400 and changes nothing', async (service, _, members, named) => {
    const { token } = await begin(service);

    const refusal = await refusedCompletion(service, { token, ...members });

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
    expect(countOf(service, 'entities')).toBe(0);
  });

  test('sessions: fixture_result decides in the sandbox, in live it is 400', async (service) => {
    const [sandbox, live] = [
      await begin(service),
      await begin(service, { key: 'pb_live_kycdefault000000000000' }, LIVE_KEY),
    ];

    const done = await complete(service, sandbox.token, { fixture_result: 'manual_review' });
    expect(done.user).toMatchObject({ status: 'fail', requires_manual_review: true });
    expect(await refusedCompletion(service, { token: live.token, fixture_result: 'fail' })).toMatchObject(
      failureOf(400, 'invalid_request'),
    );
    expect((await complete(service, live.token)).user.status).toBe('pass');
    expect(await validate(service, done.validation_token)).toMatchObject({ user: { status: 'fail' } });
  });

  test('sessions: the outcome comes after the session delay of the playbook', async (service) => {
    const key = await playbook(service, { name: 'Slow', kind: 'kyc', session_delay_ms: 5_000, delay_ms: 1 });
    const { user: run, validation_token } = await complete(service, (await begin(service, { key })).token);
    expect(run.status).toBe('pending');

    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 4_999 } });
    expect((await onboardingOf(service, run.onboarding_id)).status).toBe('pending');
    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 1 } });

    expect((await onboardingOf(service, run.onboarding_id)).status).toBe('pass');
    expect((await validate(service, validation_token)).user).toMatchObject({ ...run, status: 'pass' });
  });
});

describe('kyb', () => {
  test('sessions: runs the business, two minutes later done, and its owner at once', async (service) => {
    const { token } = await begin(service, {
      key: KYB,
      business_external_id: 'company-1',
      bootstrap_data: { 'business.name': 'Before', 'business.tin': '98-7654321', 'id.first_name': 'Jane' },
    });
    const business_data = aReadyBusiness();
    delete business_data['business.tin'];

    const done = await complete(service, token, { data: { 'id.email': 'jane@example.com' }, business_data });

    expect(done.user).toMatchObject({ playbook_key: KYB, status: 'pass' });
    expect(done.business).toMatchObject({
      fp_id: expect.stringMatching(/^fp_bid_/) as string,
      status: 'pending',
    });
    const { fp_id, onboarding_id } = done.business ?? { fp_id: '', onboarding_id: '' };
    const { body: stored } = await service.call('POST /businesses/{fp_bid}/vault/decrypt', {
      params: { fp_bid: fp_id },
      body: { fields: ['business.name', 'business.tin'], reason: 'a test' },
    });
    expect(stored).toEqual({ 'business.name': 'Acme Incorporated', 'business.tin': '987654321' });
    expect(await vaultOf(service, done.user.fp_id).decrypt(['id.first_name', 'id.email'])).toEqual({
      'id.first_name': 'Jane',
      'id.email': 'jane@example.com',
    });

    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '120s' } });
    expect(await onboardingOf(service, onboarding_id)).toMatchObject({
      status: 'pass',
      fp_id,
      external_id: 'company-1',
    });
    expect(await validate(service, done.validation_token)).toMatchObject({
      user_auth: { fp_id: done.user.fp_id },
      user: done.user,
      business: { fp_id, onboarding_id, status: 'pass' },
    });
  });

  test('sessions: without an external id each makes a business of its own; no stake is made up', async (service) => {
    const key = await playbook(service, { name: 'Owners', kind: 'kyb', collects_owners: true });
    const businesses = [];
    for (let times = 0; times < 2; times++) {
      const done = await complete(service, (await begin(service, { key })).token, {
        business_data: aReadyBusiness(),
      });
      businesses.push(done.business?.fp_id);
    }

    expect(new Set(businesses).size).toBe(2);
    expect(countOf(service, 'owners')).toBe(0);
  });

  test('decisions: belong to the business, not to the owner who completed its flow', async (service) => {
    const done = await complete(service, (await begin(service, { key: KYB })).token, {
      business_data: aReadyBusiness(),
      fixture_result: 'manual_review',
    });
    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '120s' } });

    const ofUser = { params: { fp_id: done.user.fp_id } };
    const ofBusiness = { params: { fp_bid: done.business?.fp_id ?? '' } };
    expect((await service.call('GET /businesses/{fp_bid}/decisions', ofBusiness)).body.data).toMatchObject([
      { kind: 'playbook_run', status: 'fail', playbook_key: KYB },
    ]);
    expect((await service.call('GET /users/{fp_id}/decisions', ofUser)).body.data).toEqual([]);
    expect((await service.call('GET /users/{fp_id}/onboardings', ofUser)).body.data).toMatchObject([
      { id: done.user.onboarding_id, status: 'fail' },
    ]);
  });

  test('sessions: data that the business lacks are T121; those of the user are not required', async (service) => {
    const { token } = await begin(service, { key: KYB });

    const refusal = await refusedCompletion(service, { token, business_data: { 'business.name': 'Acme' } });
    expect(refusal).toMatchObject({ code: 'T121' });
    expect(Object.keys(refusal.context ?? {})).toContain('business.tin');
    expect(countOf(service, 'entities')).toBe(0);

    const done = await complete(service, token, { data: {}, business_data: aReadyBusiness() });
    expect(done.user.status).toBe('pass');
  });

  test('sessions: the result of a known business stands the second time; its owner may have another', async (service) => {
    await user(service, 'customer-1');
    const body = { key: KYB, user_external_id: 'customer-1', business_external_id: 'company-1' };
    const business_data = aReadyBusiness();
    const first = await complete(service, (await begin(service, body)).token, { business_data });

    const again = (await service.call(COMPLETE, { body: { token: (await begin(service, body)).token } }))
      .body;
    expect(again.business).toEqual(first.business);
    expect(again).not.toHaveProperty('user');
    expect((await validate(service, again.validation_token)).user_auth.fp_id).toBe(first.user.fp_id);
    const other = await begin(service, { ...body, business_external_id: 'company-2' });
    await complete(service, other.token, { business_data: aReadyBusiness() });
  });

  test('sessions: fixture_result is of both runs; a rule for one run is the business’s', async (service) => {
    const business_data = aReadyBusiness();
    const failed = await complete(service, (await begin(service, { key: KYB })).token, {
      fixture_result: 'fail',
      business_data,
    });
    await service.call('POST /_kyclone/outcomes', {
      body: { match: { playbook_key: KYB }, outcome: 'error', delay_ms: 0, times: 1 },
    });
    const ruled = await complete(service, (await begin(service, { key: KYB })).token, { business_data });

    expect(failed.user.status).toBe('fail');
    expect([ruled.user.status, ruled.business?.status]).toEqual(['pass', 'error']);
    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '2m' } });
    expect((await validate(service, failed.validation_token)).business?.status).toBe('fail');
  });
});

describe('validate', () => {
  test('sessions: returns user, sign-in kind and result, on every call for 15 minutes, to its tenant and environment', async (service) => {
    const { token } = await begin(service);
    service.clock.advance(1_000);
    const { user: run, validation_token } = await complete(service, token, { auth_kind: 'passkey' });
    const expected = {
      user_auth: {
        fp_id: run.fp_id,
        auth_events: [{ kind: 'passkey', timestamp: '2026-03-01T12:00:01.000Z' }],
      },
      user: run,
    };

    expect(await validate(service, validation_token)).toEqual(expected);
    service.clock.advance(15 * MINUTE - 1);
    expect(await validate(service, validation_token)).toEqual(expected);
    const body = { validation_token };
    for (const as of [LIVE_KEY, await service.key({ tenant: 'elsewhere' })]) {
      expect(await service.refused(VALIDATE, { body, as })).toMatchObject(failureOf(400, 'invalid_request'));
    }
    service.clock.advance(1);
    expect(await service.refused(VALIDATE, { body })).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('sessions: sms by default; other tokens are no validation tokens', async (service) => {
    const { token } = await begin(service);
    const { validation_token } = await complete(service, token);

    expect((await validate(service, validation_token)).user_auth.auth_events).toMatchObject([
      { kind: 'sms' },
    ]);
    const vtok = token.replace('obtok_', 'vtok_');
    for (const other of [token, vtok, `vtok_${'0'.repeat(34)}`, 'x']) {
      const refusal = await service.refused(VALIDATE, { body: { validation_token: other } });
      expect(refusal, other).toMatchObject({ status: 400, code: 'invalid_request' });
    }
  });
});

test('clock: moving back revives neither a session nor a validation token', async (service) => {
  const [used, late] = [await begin(service), await begin(service)];
  const { validation_token } = await complete(service, used.token);
  const clock = (body: RequestOf<'PUT /_kyclone/clock'>['body']) =>
    service.call('PUT /_kyclone/clock', { body });

  await clock({ action: 'advance', by: '61m' });
  const young = await begin(service);
  await clock({ action: 'resume' });

  expect(await refusedCompletion(service, { token: late.token })).toMatchObject({ status: 400 });
  expect(await service.refused(VALIDATE, { body: { validation_token } })).toMatchObject({ status: 400 });
  expect((await complete(service, young.token)).user.status).toBe('pass');
});
