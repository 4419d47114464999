/** Hosted flows by the calls of their pages (contract §14): what is stored, where, and until when. */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { aPng, aReadyUser, KYC } from '../../support/builders.ts';
import {
  aFlow,
  aFlowOn,
  agree,
  atEnd,
  giveData,
  identify,
  PERSON,
  SCREENS,
  verify,
  withPassport,
} from '../../support/hosted-samples.ts';
import { failureOf, startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { vaultOf } from '../../support/vault-calls.ts';

const state = async (service: TestService, as: string) =>
  (await service.call('GET /hosted/session', { as })).body;
const save = (service: TestService, as: string, screen: string, data: Record<string, unknown>) =>
  service.call('POST /hosted/session/data', { as, body: { screen, data } });
const complete = async (service: TestService, as: string, body = {}) =>
  (await service.call('POST /hosted/session/complete', { as, body })).body;
const validated = async (service: TestService, validation_token: string | null) =>
  (
    await service.call('POST /onboarding/session/validate', {
      body: { validation_token: validation_token ?? 'none' },
    })
  ).body;
const stored = (service: TestService, fp_id: string, fields: string[]) =>
  vaultOf(service, fp_id).decrypt(fields);
/** Gives the picture of a side of the document. */
const giveSide = (service: TestService, as: string, side = 'front') =>
  service.request('POST /hosted/session/document/{side}', {
    as,
    params: { side },
    headers: { 'content-type': 'image/png' },
    body: aPng(),
  });
const chooseKind = (service: TestService, as: string, kind: 'passport' | 'id_card' = 'passport') =>
  service.call('POST /hosted/session/document', { as, body: { kind, country: 'DE' } });
/** Waits until this number of sealed files is on the disk. */
const expectFiles = (service: TestService, count: number) =>
  expect.poll(() => readdirSync(service.filesFolder)).toHaveLength(count);
const heldFiles = (service: TestService) =>
  service.database.prepare('SELECT count(*) AS n FROM held_files').get() as { n: number };

test('hosted: nothing that was given is shown before the code', async (service) => {
  const as = await aFlow(service, { bootstrap_data: { 'id.first_name': 'Wilhelmina' } });
  await identify(service, as);

  const before = await state(service, as);
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  const after = await state(service, as);

  expect(before).toMatchObject({ step: 'identify', screens: [], review: [] });
  expect(before.values).toEqual({});
  expect(before.identify).toEqual({
    is_verified: false,
    sent_to: 'm***@hosted.example',
    by: 'email',
    methods: ['email', 'phone'],
    tries_left: 5,
    is_fixed: false,
  });
  expect(after.values).toEqual({ 'id.first_name': 'Wilhelmina' });
  expect(after.screens.map(({ name }) => name)).toEqual(['name', 'birth', 'address', 'tax']);
});

test('hosted: the fifth wrong code closes the session, and nothing is left of it', async (service) => {
  const as = await aFlow(service);
  await identify(service, as);
  for (const left of [4, 3, 2, 1]) {
    const refused = await service.refused('POST /hosted/session/verify', { as, body: { code: '123456' } });
    expect(refused).toMatchObject({
      status: 400,
      context: { code: expect.stringContaining('tr') as string },
    });
    expect((await state(service, as)).identify.tries_left).toBe(left);
  }

  const fifth = await service.refused('POST /hosted/session/verify', { as, body: { code: '123456' } });

  expect(fifth).toMatchObject({ status: 409, code: 'conflict' });
  expect((await state(service, as)).state).toBe('closed');
  const right = { as, body: { code: '000000' } };
  expect(await service.refused('POST /hosted/session/verify', right)).toMatchObject({ code: 'conflict' });
  const sealed = 'SELECT length(sealed_request) AS n FROM onboarding_sessions';
  expect(service.database.prepare(sealed).all()).toEqual([{ n: 0 }]);
});

test('hosted: cancelling keeps the count of wrong codes, and forgets everything else', async (service) => {
  const as = await aFlow(service);
  await identify(service, as);
  await service.refused('POST /hosted/session/verify', { as, body: { code: '123456' } });
  await giveData(service, await verify(service, as));

  const { body } = await service.call('POST /hosted/session/cancel', { as });

  expect(body.flow.step).toBe('identify');
  expect(body.flow.values).toEqual({});
  expect(body.flow.identify).toMatchObject({ is_verified: false, sent_to: null, tries_left: 4 });
});

test('hosted: the data reach a vault on completion only, and the run starts', async (service) => {
  const as = await atEnd(service, await aFlow(service), PERSON);
  expect((await service.call('GET /users')).body.data).toEqual([]);

  const ended = await complete(service, as, { fixture_result: 'manual_review' });

  const { user, user_auth } = await validated(service, ended.validation_token);
  expect(user).toMatchObject({ playbook_key: KYC, status: 'fail', requires_manual_review: true });
  expect(user_auth.auth_events).toMatchObject([{ kind: 'email' }]);
  expect(ended.flow).toMatchObject({
    state: 'completed',
    result: { status: 'fail', requires_manual_review: true },
  });
  expect(await stored(service, user_auth.fp_id, ['id.email', 'id.dob', 'id.ssn9'])).toEqual({
    'id.email': PERSON,
    'id.dob': '1988-12-30',
    'id.ssn9': '121121212',
  });
  expect(await service.refused('POST /hosted/session/complete', { as, body: {} })).toMatchObject({
    code: 'conflict',
  });
});

test('hosted: a person known by the verified address continues as that user, and is asked for the rest only', async (service) => {
  const { 'id.dob': _dob, ...known } = aReadyUser({ 'id.email': PERSON });
  const fp_id = await service.user(known);
  const as = await verify(service, await aFlow(service), PERSON.toUpperCase());

  expect((await state(service, as)).screens.map(({ name }) => name)).toEqual(['birth']);
  await save(service, as, 'birth', { 'id.dob': '1988-12-30' });
  await agree(service, as);
  const ended = await complete(service, as);

  expect((await validated(service, ended.validation_token)).user_auth.fp_id).toBe(fp_id);
  expect((await service.call('GET /users')).body.data).toHaveLength(1);
});

test('hosted: a user of another environment is not known here', async (service) => {
  const { body: live } = await service.call('POST /users', {
    body: aReadyUser({ 'id.email': PERSON }),
    as: LIVE,
  });
  const ended = await complete(service, await atEnd(service, await aFlow(service), PERSON));
  expect((await validated(service, ended.validation_token)).user_auth.fp_id).not.toBe(live.id);
});
const LIVE = `sk_live_${'b'.repeat(32)}`;

test('hosted: abroad asks for neither state nor tax number', async (service) => {
  const as = await verify(service, await aFlow(service));
  await save(service, as, 'name', SCREENS['name'] ?? {});
  await save(service, as, 'birth', SCREENS['birth'] ?? {});
  const { 'id.state': _state, ...address } = SCREENS['address'] ?? {};
  await save(service, as, 'address', { ...address, 'id.country': 'de' });

  expect(await state(service, as)).toMatchObject({ step: 'review' });
  await agree(service, as);
  expect((await complete(service, as)).flow.result).toEqual({
    status: 'pass',
    requires_manual_review: false,
  });
});

test('hosted: takes nothing that its screens do not ask for', async (service) => {
  const as = await verify(service, await aFlow(service));
  for (const data of [
    { 'id.dob': '1990-01-01' },
    { 'custom.vip': true },
    { 'id.first_name': 'a', 'card.a.cvc': '1' },
  ]) {
    const parts = { as, body: { screen: 'name', data } };
    expect(await service.refused('POST /hosted/session/data', parts)).toMatchObject({
      code: 'invalid_request',
    });
  }
  expect((await state(service, as)).values).toEqual({});
});

test('hosted: the steps before the code take nothing', async (service) => {
  const as = await aFlow(service);
  const early = { as, body: { screen: 'name', data: SCREENS['name'] ?? {} } };
  expect(await service.refused('POST /hosted/session/data', early)).toMatchObject({ code: 'conflict' });
  expect(
    await service.refused('POST /hosted/session/consent', { as, body: { consent: true } }),
  ).toMatchObject({ code: 'conflict' });
  expect(await service.refused('POST /hosted/session/complete', { as, body: {} })).toMatchObject({
    code: 'T121',
  });
});

test('hosted: an expired token is reported as expired; an unknown or foreign one is 401', async (service) => {
  const as = await aFlow(service);
  service.clock.advance(60 * 60_000);
  expect(await service.refused('GET /hosted/session', { as })).toMatchObject(failureOf(401, 'token_expired'));
  for (const token of ['', 'obtok_', `obtok_${'z'.repeat(34)}`, as.slice(0, -1), `${as}0`, 'cttok_x']) {
    const refused = await service.refused('GET /hosted/session', { as: token });
    expect(refused, token).toMatchObject({ status: 401, code: 'unauthenticated' });
  }
});

test('hosted: pages of another origin may not call, but lead to the page and frame it as its policy lets them', async () => {
  await using service = await startService({ settings: { cors: { origins: ['https://app.example'] } } });
  const as = await aFlow(service);
  for (const origin of ['https://app.example', 'http://localhost:3000', 'null']) {
    const call = { method: 'GET', path: '/hosted/session', as, headers: { origin } };
    expect((await service.send(call)).status, origin).toBe(403);
  }
  const foreign = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'iframe',
  };
  const page = await service.send({ method: 'GET', path: '/hosted/onboarding', as: null, headers: foreign });
  expect(page.status).toBe(200);
  const policy = page.headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/frame-ancestors 'self' http:\/\/localhost:\* .* https:\/\/app\.example$/);
  const fetched = { ...foreign, 'sec-fetch-mode': 'no-cors' };
  const script = { method: 'GET', path: '/hosted/onboarding', as: null, headers: fetched };
  expect((await service.send(script)).status).toBe(403);
});

test('hosted: the policy names only frame ancestors that a policy can name', async () => {
  const origins = [
    'https://app.example',
    'http://[2001:db8::1]:3000',
    'https://a_b.example',
    'http://192.0.2.1:99',
  ];
  await using service = await startService({ settings: { cors: { origins } } });
  for (const path of ['/hosted/onboarding', '/hosted/bank_link', '/hosted/vault']) {
    const page = await service.send({ method: 'GET', path, as: null });
    const [, ancestors] = /frame-ancestors (.*)$/.exec(page.headers['content-security-policy'] ?? '') ?? [];
    expect(ancestors?.split(' '), path).toEqual([
      "'self'",
      ...['localhost', '127.0.0.1'].flatMap((host) => [`http://${host}:*`, `https://${host}:*`]),
      'https://app.example',
      'http://192.0.2.1:99',
    ]);
  }
});

test('hosted: a picture is held sealed until completion, and is the vault’s then', async (service) => {
  const as = await withPassport(service);
  await giveSide(service, as);
  await giveSide(service, as);
  expect(heldFiles(service)).toEqual({ n: 1 });
  expect((await state(service, as)).document).toMatchObject({ kind: 'passport', given: ['front'] });

  await agree(service, as);
  const ended = await complete(service, as);

  const { fp_id } = (await validated(service, ended.validation_token)).user_auth;
  const values = await stored(service, fp_id, [
    'document.passport.front.image',
    'document.passport.issuing_country',
  ]);
  expect(values).toEqual({
    'document.passport.front.image': aPng().toString('base64'),
    'document.passport.issuing_country': 'DE',
  });
  expect(heldFiles(service)).toEqual({ n: 0 });
});

test('hosted: of a picture that is sent again and again one is held, and none once another kind is chosen, or the flow canceled or closed', async (service) => {
  const as = await withPassport(service);
  const cancel = async () => void (await service.call('POST /hosted/session/cancel', { as }));
  const close = async () => {
    for (let count = 0; count < 5; count++)
      await service.refused('POST /hosted/session/verify', { as, body: { code: '123456' } });
  };
  for (const end of [() => chooseKind(service, as, 'id_card'), cancel, close]) {
    for (let count = 0; count < 3; count++) await giveSide(service, as);
    await expectFiles(service, 1);

    await end();

    expect(heldFiles(service)).toEqual({ n: 0 });
    await expectFiles(service, 0);
    if (end === cancel) {
      await verify(service, as);
      await chooseKind(service, as);
    }
  }
});

/** Returns the number of bytes that are still sealed with sessions. */
const sealedRequests = (service: TestService) =>
  service.database.prepare('SELECT total(length(sealed_request)) AS n FROM onboarding_sessions').get() as {
    n: number;
  };

test('hosted: the data of an expired session are destroyed when its page makes a request, and no others', async (service) => {
  const as = await withPassport(service);
  await giveSide(service, as);
  service.clock.advance(30 * 60_000);
  const later = await withPassport(service);
  await giveSide(service, later);
  const both = sealedRequests(service).n;
  service.clock.advance(30 * 60_000);

  expect(await service.refused('GET /hosted/session', { as })).toMatchObject({ code: 'token_expired' });

  await expect.poll(() => sealedRequests(service).n).toBeLessThan(both);
  expect(heldFiles(service)).toEqual({ n: 1 });
  await expectFiles(service, 1);
  expect((await state(service, later)).document).toMatchObject({ given: ['front'] });

  service.clock.advance(60 * 60_000);
  await service.refused('GET /hosted/session', { as: later });
  await expect.poll(() => sealedRequests(service)).toEqual({ n: 0 });
  expect(heldFiles(service)).toEqual({ n: 0 });
  await expectFiles(service, 0);
});

test('hosted: a picture of a flow that is under way is in a snapshot, and is completed with after its load', async (service) => {
  const as = await withPassport(service);
  await giveSide(service, as);
  const params = { name: 'under-way' };
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await service.call('POST /_kyclone/reset');

  await service.call('POST /_kyclone/snapshots/{name}/load', { params });

  const ended = await complete(service, await agree(service, as));
  const { fp_id } = (await validated(service, ended.validation_token)).user_auth;
  expect(await stored(service, fp_id, ['document.passport.front.image'])).toEqual({
    'document.passport.front.image': aPng().toString('base64'),
  });
});

test('hosted: a step-up continues with a document, and ends in review', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const { body } = await service.call('POST /users/{fp_id}/kyc', {
    params: { fp_id },
    body: { key: KYC, fixture_result: 'step_up', generate_link_on_stepup: true },
  });
  const as = body.in_progress_link?.token ?? '';
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  expect((await state(service, as)).steps).toEqual(['identify', 'document', 'review', 'outcome']);
  await chooseKind(service, as);
  await giveSide(service, as);
  await agree(service, as);
  expect((await complete(service, as)).flow.result).toEqual({ status: 'fail', requires_manual_review: true });
});

test('hosted: a run that steps up asks for its document in the same flow, and then ends', async (service) => {
  const first = await aFlow(service, { bootstrap_data: { 'id.first_name': 'Proposed' } });
  const as = await atEnd(service, first, PERSON);

  const steppedUp = await complete(service, as, { fixture_result: 'step_up' });

  expect(steppedUp).toMatchObject({ validation_token: null, redirect_to: null });
  expect(steppedUp.flow).toMatchObject({ state: 'open', step: 'document' });
  const [user] = (await service.call('GET /users')).body.data;
  const fp_id = user?.id ?? '';
  const name = await stored(service, fp_id, ['id.first_name']);
  const other = { as, body: { data: { 'id.email': 'somebody.else@hosted.example' } } };
  const { body: left } = await service.call('POST /hosted/session/cancel', { as });
  expect(left.flow.identify.sent_to).toBe('m***@hosted.example');
  expect(await service.refused('POST /hosted/session/identify', other)).toMatchObject({ status: 400 });
  await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });
  await chooseKind(service, as);
  await giveSide(service, as);
  await agree(service, as);
  const again = await complete(service, as, { fixture_result: 'step_up' });
  expect(again.flow).toMatchObject({ state: 'open', step: 'document', document: { given: [] } });
  await chooseKind(service, as, 'id_card');
  for (const side of ['front', 'back'] as const) {
    await giveSide(service, as, side);
  }
  await agree(service, as);
  const ended = await complete(service, as, { fixture_result: 'pass' });
  expect(ended.flow.result).toEqual({ status: 'pass', requires_manual_review: false });
  expect((await validated(service, ended.validation_token)).user_auth.fp_id).toBe(fp_id);
  expect(await stored(service, fp_id, ['id.first_name'])).toEqual(name);
  expect((await service.call('GET /users')).body.data).toHaveLength(1);
  expect(heldFiles(service)).toEqual({ n: 0 });
});

/** A flow at its end, on a playbook whose result comes after a minute. */
async function aSlowFlow(service: TestService): Promise<string> {
  const slow = { kind: 'kyc' as const, requirements: [['id.first_name']], session_delay_ms: 60_000 };
  const as = await aFlowOn(service, slow);
  await verify(service, as, 'slow@hosted.example');
  await save(service, as, 'name', { 'id.first_name': 'Quinn' });
  await agree(service, as);
  return as;
}

test('hosted: a run that steps up after its delay waits, then asks for its document in the same flow', async (service) => {
  const as = await aSlowFlow(service);

  const waiting = await complete(service, as, { fixture_result: 'step_up' });

  expect(waiting).toMatchObject({ validation_token: null, redirect_to: null });
  expect(waiting.flow).toMatchObject({ state: 'waiting', document: null });
  expect(await complete(service, as)).toMatchObject({ validation_token: null, flow: { state: 'waiting' } });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '1m' } });
  expect(await state(service, as)).toMatchObject({ state: 'open', step: 'document' });
  await chooseKind(service, as);
  await giveSide(service, as);
  await agree(service, as);
  const ended = await complete(service, as, { fixture_result: 'pass' });
  expect(ended.flow).toMatchObject({ state: 'completed', result: { status: 'pending' } });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '1m' } });
  expect((await validated(service, ended.validation_token)).user).toMatchObject({ status: 'pass' });
});

test('hosted: a waiting run that is decided by hand ends its flow with that result', async (service) => {
  const as = await aSlowFlow(service);
  await complete(service, as, { fixture_result: 'step_up' });
  const [user] = (await service.call('GET /users')).body.data;
  const [run] = (await service.call('GET /users/{fp_id}/onboardings', { params: { fp_id: user?.id ?? '' } }))
    .body.data;
  await service.call('POST /_kyclone/onboardings/{id}/resolve', {
    params: { id: run?.id ?? '' },
    body: { outcome: 'pass' },
  });
  expect(await state(service, as)).toMatchObject({ state: 'open', steps: ['identify'] });
  const ended = await complete(service, as);
  expect(ended.flow).toMatchObject({ state: 'completed', result: { status: 'pass' } });
  expect(ended.validation_token).toEqual(expect.any(String));
});

test('hosted: update_auth_methods verifies a new address and vaults it', async (service) => {
  const fp_id = await service.user();
  const { body } = await service.call('POST /users/{fp_id}/token', {
    params: { fp_id },
    body: { kind: 'update_auth_methods' },
  });
  const as = await verify(service, body.token, 'new@hosted.example');
  const ended = await complete(service, as);
  expect(ended.flow).toMatchObject({ state: 'completed', flow: 'update_auth_methods', result: null });
  expect(await stored(service, fp_id, ['id.email'])).toEqual({ 'id.email': 'new@hosted.example' });
});

const WITH_OWNERS = {
  kind: 'kyb' as const,
  requirements: [['business.name']],
  collects_owners: true,
  owners_playbook_key: KYC,
  session_delay_ms: 0,
};

test('hosted: owners become linked users with runs of their own, and the business matches them', async (service) => {
  const known = await service.user({ 'id.email': 'known@hosted.example' });
  const as = await verify(service, await aFlowOn(service, WITH_OWNERS));
  await save(service, as, 'business', { 'business.name': 'Acme' });
  const names = { first_name: 'Ada', last_name: 'Lovelace' };
  const owners = (shares: readonly number[]) => ({
    primary_stake: 40,
    others: [
      { ...names, email: 'ADA@hosted.example', ownership_stake: shares[0] ?? 0 },
      { ...names, email: 'known@hosted.example', ownership_stake: shares[1] ?? 0 },
    ],
  });
  const over = await service.refused('POST /hosted/session/owners', { as, body: owners([40, 40]) });
  expect(over.context).toEqual({ primary_stake: 'the stakes add up to more than 100 per cent: 120 in all' });
  await service.call('POST /hosted/session/owners', { as, body: owners([30, 20]) });
  await agree(service, as);
  const ended = await complete(service, as);

  const { business, user, user_auth } = await validated(service, ended.validation_token);
  expect(user).toMatchObject({ fp_id: user_auth.fp_id, playbook_key: KYC, status: 'pass' });
  const params = { fp_bid: business?.fp_id ?? '' };
  const { data } = (await service.call('GET /businesses/{fp_bid}/owners', { params })).body;
  expect(data.map(({ ownership_stake }) => ownership_stake)).toEqual([20, 30, 40]);
  expect(data[0]?.fp_id).toBe(known);
  for (const { fp_id } of data) {
    const runs = (await service.call('GET /users/{fp_id}/onboardings', { params: { fp_id } })).body.data;
    expect(runs).toMatchObject([{ playbook_key: KYC, status: 'pass' }]);
  }
  const signals = await service.call('GET /businesses/{fp_bid}/risk_signals', { params });
  expect(JSON.stringify(signals.body)).toContain('beneficial_owners_match');
});

test('hosted: an address or number of two owners is refused beside its field, since they would be one user', async (service) => {
  const as = await verify(service, await aFlowOn(service, WITH_OWNERS), 'owner@hosted.example');
  await save(service, as, 'business', { 'business.name': 'Acme' });
  const names = { first_name: 'Ada', last_name: 'Lovelace', ownership_stake: 10 };
  const others = [
    { ...names, email: 'Owner@hosted.example' },
    { ...names, phone_number: '+14155550181' },
    { ...names, email: 'ada@hosted.example', phone_number: '+1 415 555 0181' },
  ];
  const refused = await service.refused('POST /hosted/session/owners', {
    as,
    body: { primary_stake: 40, others },
  });
  const taken = 'is that of another owner';
  expect(refused.context).toEqual({ 'owners.1.email': taken, 'owners.3.phone_number': taken });
});

test('hosted: an owner named by an address and by a number is one, and a stored stake becomes the one that is given', async (service) => {
  const both = await service.user({ 'id.email': 'both@hosted.example', 'id.phone_number': '+14155550182' });
  const headers = { 'x-external-id': 'acme-of-two' };
  const { id: fp_bid } = (await service.call('POST /businesses', { headers })).body;
  const owners = { params: { fp_bid } };
  await service.call('POST /businesses/{fp_bid}/owners', {
    ...owners,
    body: { fp_id: both, ownership_stake: 25 },
  });
  const external = { business_external_id: 'acme-of-two' };
  const as = await verify(service, await aFlowOn(service, WITH_OWNERS, external));
  await save(service, as, 'business', { 'business.name': 'Acme' });
  const names = { first_name: 'Ada', last_name: 'Lovelace' };
  const others = [
    { ...names, email: 'both@hosted.example', ownership_stake: 30 },
    { ...names, phone_number: '+14155550182', ownership_stake: 20 },
  ];
  await service.call('POST /hosted/session/owners', { as, body: { primary_stake: 40, others } });
  await agree(service, as);
  await complete(service, as);
  const { data } = (await service.call('GET /businesses/{fp_bid}/owners', owners)).body;
  expect(data).toEqual([
    expect.objectContaining({ ownership_stake: 40 }),
    { fp_id: both, ownership_stake: 50 },
  ]);
  const runs = (await service.call('GET /users/{fp_id}/onboardings', { params: { fp_id: both } })).body;
  expect(runs.data).toHaveLength(1);
});

test('hosted: a business is decided after its owners, however long a rule delays them', async (service) => {
  await service.call('POST /_kyclone/outcomes', {
    body: { match: { playbook_key: KYC }, outcome: 'pass', delay_ms: 600_000 },
  });
  const as = await verify(service, await aFlowOn(service, WITH_OWNERS));
  await save(service, as, 'business', { 'business.name': 'Acme' });
  await service.call('POST /hosted/session/owners', { as, body: { primary_stake: 100, others: [] } });
  await agree(service, as);
  const { business } = await validated(service, (await complete(service, as)).validation_token);
  expect(business?.status).toBe('pending');
});

test('hosted: owners of the bootstrap data are on the page; once confirmed they are linked, and the business matches them', async (service) => {
  const ada = {
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: 'ada.b@hosted.example',
    ownership_stake: 35,
  };
  const bootstrap_data = {
    'business.name': 'Acme',
    'business.primary_owner_stake': 45,
    'business.secondary_beneficial_owners': [ada],
  };
  const token = await aFlowOn(service, WITH_OWNERS, { bootstrap_data });
  const as = await verify(service, token);
  expect((await state(service, as)).owners).toMatchObject({ primary_stake: 45, others: [ada] });

  await save(service, as, 'business', {});
  await service.call('POST /hosted/session/owners', { as, body: { primary_stake: 45, others: [ada] } });
  await agree(service, as);
  const ended = await complete(service, as);

  const { business } = await validated(service, ended.validation_token);
  const params = { fp_bid: business?.fp_id ?? '' };
  const { data } = (await service.call('GET /businesses/{fp_bid}/owners', { params })).body;
  expect(data.map(({ ownership_stake }) => ownership_stake)).toEqual([35, 45]);
  const [linked] = data.filter(({ ownership_stake }) => ownership_stake === 35);
  expect(await stored(service, linked?.fp_id ?? '', ['id.email'])).toEqual({ 'id.email': ada.email });
  const signals = await service.call('GET /businesses/{fp_bid}/risk_signals', { params });
  expect(JSON.stringify(signals.body)).toContain('beneficial_owners_match');
});

test.eachWith([
  'business.secondary_owners',
  'business.secondary_beneficial_owners',
  'business.kyced_beneficial_owners',
])(
  'hosted: owners under %s are on the page, their stakes as texts or absent, null members left out',
  async (service, list) => {
    const bootstrap_data = {
      'business.primary_owner_stake': '45',
      [list]: [
        { first_name: 'Ada', last_name: null, ownership_stake: '30.0' },
        { email: 'b@hosted.example' },
      ],
    };
    const token = await aFlowOn(service, WITH_OWNERS, { bootstrap_data });
    const { owners } = await state(service, await verify(service, token));
    expect(owners).toEqual({
      primary_stake: 45,
      others: [
        { first_name: 'Ada', ownership_stake: 30 },
        { email: 'b@hosted.example', ownership_stake: 0 },
      ],
    });
  },
);

test('hosted: no typed value is in the journal or in the store in the clear', async (service) => {
  const secret = 'Canarywoman';
  const as = await verify(service, await aFlow(service), 'canarywoman@hosted.example');
  await save(service, as, 'name', { 'id.first_name': secret, 'id.last_name': secret });
  await state(service, as);
  const journal = await service.call('GET /_kyclone/requests', { query: { page_size: 100 } });
  const rows = service.database.prepare('SELECT * FROM onboarding_sessions').all();
  for (const text of [JSON.stringify(journal.body), JSON.stringify(service.log), JSON.stringify(rows)]) {
    expect(text.toLowerCase()).not.toContain('canarywoman');
    expect(text).not.toContain(as);
  }
  const bytes = Buffer.concat(
    (rows as { sealed_request: Buffer }[]).map((row) => Buffer.from(row.sealed_request)),
  );
  expect(bytes.includes(secret)).toBe(false);
});
