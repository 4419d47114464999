/** A client token, user token or hosted link may do what its key may do at the time of the call (contract §0.3). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { aPng, aReadyUser, KYC } from '../../support/builders.ts';
import { verify } from '../../support/hosted-samples.ts';
import type { TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

type Change = RequestOf<'PATCH /_kyclone/api-keys/{id}'>['body'];
const DENIED = { status: 403, code: 'permission_denied' };
const COMPLETE = 'POST /_kyclone/sessions/complete';

/** A key that a test may change, with all permissions at first. */
async function aChangingKey(service: TestService) {
  const { id, key } = (await service.call('POST /_kyclone/api-keys', { body: { name: 'changing' } })).body;
  const change = (body: Change) => service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body });
  return {
    key,
    leave: (...permissions: string[]) => change({ permissions }),
    disable: () => change({ enabled: false }),
    remove: () => service.call('DELETE /_kyclone/api-keys/{id}', { params: { id } }),
  };
}

describe('client token', () => {
  const fields = ['id.first_name', 'document.passport.front.image'];

  test('decrypt: identifiers that the key may no longer decrypt are refused, and logged; others are not', async (service) => {
    const [made, user] = [await aChangingKey(service), await service.user()];
    const minting = { scope: 'decrypt', fields: ['id.first_name', 'id.ssn9'], decrypt_reason: 'a test' };
    const as = await service.token(user, minting, made.key);
    const decrypt = (name: string) => ({ as, body: { fields: [name] } });
    await made.leave('decrypt:id.first_name');

    const refusal = await service.refused('POST /users/vault/decrypt', decrypt('id.ssn9'));
    expect(refusal).toMatchObject(DENIED);
    expect(refusal.message).toBe('The key that made this token lacks the permission decrypt<id.ssn9>');
    expect((await service.call('POST /users/vault/decrypt', decrypt('id.first_name'))).body).not.toEqual({});
    const { data } = (await service.call('GET /_kyclone/access-log')).body;
    expect(data.map(({ outcome }) => outcome)).toEqual(['granted', 'refused']);
    await made.leave('decrypt:*');
    expect((await service.request('POST /users/vault/decrypt', decrypt('id.ssn9'))).status).toBe(200);
  });

  test('decrypt: a version of an image needs the permission for the image', async (service) => {
    const [made, user] = [await aChangingKey(service), await service.user()];
    const version = await service.upload(user, 'document.passport.front.image', aPng());
    const reference = `document.passport.front.image:${version}`;
    const minting = { scope: 'decrypt', fields: [reference], decrypt_reason: 'a test' };
    const as = await service.token(user, minting, made.key);
    const call = { as, body: { fields: [reference] } };

    await made.leave('decrypt:document.*');
    expect((await service.request('POST /users/vault/decrypt', call)).status).toBe(200);
    await made.leave('decrypt:id.*');
    expect(await service.refused('POST /users/vault/decrypt', call)).toMatchObject(DENIED);
  });

  test('download: a link is refused once its key may no longer decrypt', async (service) => {
    const [made, user] = [await aChangingKey(service), await service.user()];
    const minting = { scope: 'decrypt_download', fields: ['id.ssn9'], decrypt_reason: 'a test' };
    const token = await service.token(user, minting, made.key);
    await made.leave('vault.write');

    const refusal = await service.refused('GET /users/vault/decrypt/{token}', { params: { token } });
    expect(refusal).toMatchObject(DENIED);
  });

  test('write: refused once the key has lost vault.write; reading goes on', async (service) => {
    const [made, user] = [await aChangingKey(service), await service.user()];
    const minting = { scope: 'vault_and_decrypt', fields, decrypt_reason: 'a test' };
    const as = await service.token(user, minting, made.key);
    await made.leave('decrypt:*');

    const write = { as, body: { 'id.first_name': 'Eve' } };
    expect(await service.refused('PATCH /users/vault', write)).toMatchObject(DENIED);
    expect(await service.refused('POST /users/vault/validate', write)).toMatchObject(DENIED);
    expect((await service.request('POST /users/vault/decrypt', { as, body: {} })).status).toBe(200);
  });
});

/** Every link that a key can make, for a user who has everything. */
const LINKS: Readonly<
  Record<string, (service: TestService, as: string, fp_id: string) => Promise<{ token: string } | undefined>>
> = {
  'a session': async (service, as, fp_id) =>
    (await service.call('POST /onboarding/session', { as, body: { key: KYC, fp_id } })).body,
  'a session of a run': async (service, as) => {
    const fp_id = await service.user({});
    const { body } = await service.call('POST /onboarding/session/run', { as, body: { key: KYC, fp_id } });
    return body.continue_onboarding;
  },
  'a user token': async (service, as, fp_id) => {
    const body = { kind: 'onboard' as const, key: KYC };
    return (await service.call('POST /users/{fp_id}/token', { as, params: { fp_id }, body })).body;
  },
  'a user token for another e-mail': async (service, as, fp_id) => {
    const body = { kind: 'update_auth_methods' as const };
    return (await service.call('POST /users/{fp_id}/token', { as, params: { fp_id }, body })).body;
  },
  'the link of a step-up': async (service, as, fp_id) => {
    const body = { key: KYC, fixture_result: 'step_up' as const, generate_link_on_stepup: true };
    return (await service.call('POST /users/{fp_id}/kyc', { as, params: { fp_id }, body })).body
      .in_progress_link;
  },
};

describe.each(Object.entries(LINKS))('%s', (_what, make) => {
  test('link: does nothing once its key has lost onboard, works again with it, and ends with its key', async (service) => {
    const [made, user] = [await aChangingKey(service), await service.user(aReadyUser())];
    const { token = '' } = (await make(service, made.key, user)) ?? {};
    await made.leave('vault.write', 'decrypt:*', 'entities.write', 'review', 'proxy', 'bank_links');

    expect(await service.refused('GET /hosted/session', { as: token })).toMatchObject(DENIED);
    expect(await service.refused(COMPLETE, { body: { token } })).toMatchObject(DENIED);
    await made.leave('onboard');
    expect((await service.request('GET /hosted/session', { as: token })).status).toBe(200);
    for (const end of [made.disable, made.remove]) {
      await end();
      expect(await service.refused('GET /hosted/session', { as: token })).toMatchObject({ status: 401 });
      expect(await service.refused(COMPLETE, { body: { token } })).toMatchObject({ status: 409 });
    }
  });
});

test('a user token for another e-mail stores none once its key has lost vault.write', async (service) => {
  const [made, user] = [await aChangingKey(service), await service.user({})];
  const body = { kind: 'update_auth_methods' as const };
  const { token } = (
    await service.call('POST /users/{fp_id}/token', { as: made.key, params: { fp_id: user }, body })
  ).body;
  await made.leave('onboard');
  await verify(service, token, 'new@doe.example');

  expect(await service.refused('POST /hosted/session/complete', { as: token, body: {} })).toMatchObject(
    DENIED,
  );
  expect(await vaultOf(service, user).decrypt(['id.email'])).toEqual({ 'id.email': null });
});

test('a session that replaces values is refused once its key has lost vault.write', async (service) => {
  const [made, user] = [await aChangingKey(service), await service.user(aReadyUser())];
  const bootstrap_data = { 'id.first_name': 'Joan' };
  const request = { as: made.key, body: { key: KYC, fp_id: user, bootstrap_data } };
  const { token } = (await service.call('POST /onboarding/session', request)).body;
  await made.leave('onboard');

  expect(await service.refused(COMPLETE, { body: { token } })).toMatchObject(DENIED);
  await made.leave('onboard', 'vault.write');
  expect((await service.request(COMPLETE, { body: { token } })).status).toBe(200);
});

test('POST /onboarding/session: a body can set neither the kind nor the progress of its flow, nor its key', async (service) => {
  const fp_id = await service.user({ 'id.email': 'jane@doe.example' });
  const inside = { step: 'review', verifiedBy: 'email', hasConsented: true, wrongCodes: 0, screens: [] };
  const progress = { ...inside, fp_id, data: { 'id.first_name': 'Eve' } };
  const body = { key: KYC, flow: 'update_auth_methods', fp_id, progress, api_key: 'key_other' };

  const { token } = (await service.request('POST /onboarding/session', { body })).body as { token: string };

  const { flow, identify, values } = (await service.call('GET /hosted/session', { as: token })).body;
  expect([flow, identify.is_verified, values]).toEqual(['onboard', false, {}]);
});
