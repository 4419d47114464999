/**
 * A key with `onboard` alone onboards people, but replaces nothing that their vaults have: that needs `vault.write`, by
 * every way through a flow (contract §0.3).
 */
import { describe, expect } from 'vitest';
import { aPng, aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { agree, giveData, verify } from '../../support/hosted-samples.ts';
import type { TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const BEGIN = 'POST /onboarding/session';
const RUN = 'POST /onboarding/session/run';
const TOKEN = 'POST /users/{fp_id}/token';
const COMPLETE = 'POST /_kyclone/sessions/complete';
const DENIED = { status: 403, code: 'permission_denied' };

const onboarder = (service: TestService) => service.key({ permissions: ['onboard'] });
const externalUser = async (service: TestService, external: string, data: Record<string, unknown>) => {
  const { id } = (await service.call('POST /users', { headers: { 'x-external-id': external } })).body;
  await vaultOf(service, id).write(data);
  return id;
};

/** Values that replace or delete something that the user of the tests has. */
const REPLACING: readonly (readonly [string, Record<string, unknown>])[] = [
  ['another value', { 'id.first_name': 'Eve' }],
  ['the same value', { 'id.first_name': 'Jane' }],
  ['a deletion', { 'id.last_name': null }],
  ['a source of a derived value', { 'id.us_tax_id': '343-34-3434' }],
  ['a custom value', { 'custom.tier': 'gold' }],
  ['a value beside new ones', { 'id.email': 'eve@doe.example', 'custom.tier': 'gold' }],
  ['a value that is not valid', { 'id.dob': 'yesterday' }],
];

const HELD = {
  'id.first_name': 'Jane',
  'id.last_name': 'Doe',
  'id.dob': '1988-12-30',
  'id.ssn9': '121121212',
  'custom.tier': 'silver',
};

describe.each([BEGIN, RUN] as const)('%s', (endpoint) => {
  test.eachWith(REPLACING)(
    'onboard alone: %s for an existing user is 403',
    async (service, _what, bootstrap_data) => {
      const id = await externalUser(service, 'customer-1', HELD);
      const as = await onboarder(service);

      for (const who of [{ fp_id: id }, { user_external_id: 'customer-1' }]) {
        const refusal = await service.refused(endpoint, { as, body: { key: KYC, ...who, bootstrap_data } });
        expect(refusal).toMatchObject(DENIED);
        expect(Object.values(refusal.context ?? {})).toContain('not permitted for this credential');
      }
      expect(await vaultOf(service, id).decrypt(Object.keys(HELD))).toEqual(HELD);
    },
  );

  test('onboard alone: a business keeps its values, too', async (service) => {
    const { id } = (await service.call('POST /businesses', { headers: { 'x-external-id': 'firm-1' } })).body;
    const stored = { params: { fp_bid: id }, body: aReadyBusiness() };
    await service.call('PATCH /businesses/{fp_bid}/vault', stored);
    const body = { key: KYB, business_external_id: 'firm-1', bootstrap_data: { 'business.name': 'Other' } };

    expect(await service.refused(endpoint, { as: await onboarder(service), body })).toMatchObject({
      ...DENIED,
      context: { 'business.name': 'not permitted for this credential' },
    });
  });

  test('onboard alone: values that the vault lacks are accepted; with vault.write others, too', async (service) => {
    const fp_id = await service.user(aReadyUser({ 'id.first_name': undefined }));
    const start = async (as: string) => {
      const body = { key: KYC, fp_id, bootstrap_data: { 'id.first_name': 'Jane' }, allow_reonboard: true };
      return (await service.request(endpoint, { as, body })).status;
    };

    expect(await start(await onboarder(service))).toBe(200);
    await vaultOf(service, fp_id).write({ 'id.first_name': 'Joan' });
    expect(await start(await service.key({ permissions: ['onboard', 'vault.write'] }))).toBe(200);
  });
});

test('session: a value that was stored after its start is not replaced with onboard alone', async (service) => {
  const id = await service.user({ 'id.last_name': 'Doe' });
  const as = await onboarder(service);
  const bootstrap_data = { 'id.first_name': 'Eve' };
  const { token } = (await service.call(BEGIN, { as, body: { key: KYC, fp_id: id, bootstrap_data } })).body;
  await vaultOf(service, id).write({ 'id.first_name': 'Jane' });

  expect(await service.refused(COMPLETE, { body: { token } })).toMatchObject(DENIED);
  expect(await service.refused(COMPLETE, { body: { token, data: { 'id.last_name': 'X' } } })).toMatchObject(
    DENIED,
  );
  expect(await vaultOf(service, id).decrypt(['id.first_name'])).toEqual({ 'id.first_name': 'Jane' });
});

test('session: a recognised user keeps their values with onboard alone, and the spelling of their e-mail', async (service) => {
  const id = await service.user({ ...aReadyUser(), 'id.email': 'Mina@hosted.example' });
  const as = await onboarder(service);
  const begin = async (body = {}) =>
    (await service.call(BEGIN, { as, body: { key: KYC, ...body } })).body.token;

  const plain = await verify(service, await begin(), 'mina@hosted.example');
  await agree(service, plain);
  await service.call('POST /hosted/session/complete', { as: plain, body: {} });
  const filled = await verify(
    service,
    await begin({ allow_reonboard: true, bootstrap_data: { 'id.first_name': 'Eve' } }),
    'mina@hosted.example',
  );
  const body = { screen: 'name', data: { 'id.first_name': 'Eve' } };

  expect(await service.refused('POST /hosted/session/data', { as: filled, body })).toMatchObject(DENIED);
  expect(await vaultOf(service, id).decrypt(['id.email', 'id.first_name'])).toEqual({
    'id.email': 'Mina@hosted.example',
    'id.first_name': 'Wilhelmina',
  });
});

test('session: a picture that the vault has is not replaced with onboard alone', async (service) => {
  const id = await service.user({ ...aReadyUser(), 'id.email': 'mina@hosted.example' });
  await service.upload(id, 'document.passport.front.image', aPng());
  const as = await onboarder(service);
  const run = { key: KYC, fixture_result: 'step_up' as const, generate_link_on_stepup: true };
  const { in_progress_link } = (
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id: id }, body: run, as })
  ).body;
  const page = in_progress_link?.token ?? '';
  await service.call('POST /hosted/session/verify', { as: page, body: { code: '000000' } });
  const choose = (kind: string) => ({ as: page, body: { kind, country: 'US' } });

  expect(await service.refused('POST /hosted/session/document', choose('passport'))).toMatchObject(DENIED);
  expect((await service.request('POST /hosted/session/document', choose('id_card'))).status).toBe(200);
});

test('POST /users/{fp_id}/token: update_auth_methods needs vault.write, the other kinds do not', async (service) => {
  const id = await service.user({ 'id.email': 'jane@doe.example' });
  const as = await onboarder(service);
  const minting = (body: object, key = as) => ({ params: { fp_id: id }, body, as: key });

  const refusal = await service.refused(TOKEN, minting({ kind: 'update_auth_methods' }));

  expect(refusal).toMatchObject(DENIED);
  expect(refusal.message).toContain('vault.write');
  expect((await service.request(TOKEN, minting({ kind: 'onboard', key: KYC }))).status).toBe(200);
  const writer = await service.key({ permissions: ['onboard', 'vault.write'] });
  const { token } = (await service.call(TOKEN, minting({ kind: 'update_auth_methods' }, writer) as never))
    .body;
  await service.call(COMPLETE, { body: { token, data: { 'id.email': 'joan@doe.example' } } });
  expect(await vaultOf(service, id).decrypt(['id.email'])).toEqual({ 'id.email': 'joan@doe.example' });
});

test('session: a new person is onboarded with onboard alone, from start to end', async (service) => {
  const as = await onboarder(service);
  const bootstrap_data = { 'id.first_name': 'Mina' };
  const page = (await service.call(BEGIN, { as, body: { key: KYC, bootstrap_data } })).body.token;

  await agree(service, await giveData(service, await verify(service, page)));
  const { flow } = (await service.call('POST /hosted/session/complete', { as: page, body: {} })).body;

  expect(flow.result).toMatchObject({ status: 'pass' });
});
