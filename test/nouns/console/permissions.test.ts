/** What a session of the console may do, and who acted (contract §11.1). */
import { expect } from 'vitest';
import { changesOrReveals, consolePermissions, EVERY_PERMISSION } from '../../../src/nouns/console/facts.ts';
import type { EndpointKey } from '../../../src/contract/registry.ts';
import { asSession } from '../../support/console-samples.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import type { LooseParts } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

test('permissions: a call of the control plane that has no rule needs them all', () => {
  expect(consolePermissions('POST /_kyclone/something/new')).toBe(EVERY_PERMISSION);
  expect(consolePermissions('PUT /_kyclone/something/new')).toBe(EVERY_PERMISSION);
  expect(changesOrReveals('POST /_kyclone/something/new')).toBe(true);
  expect(changesOrReveals('DELETE /something/new')).toBe(true);
});

test('decrypt: a reviewer without it reveals nothing, by no way, and each try is in the access log', async (service) => {
  const fp_id = await service.user({ 'id.email': 'ann@example.com', 'id.ssn9': '123-12-1234' });
  const call = await asSession(service, { operator: 'Bo', permissions: ['review', 'decrypt:id.email'] });
  const params = { fp_id };
  const why = { reason: 'a test' };
  const ways: readonly (readonly [EndpointKey, LooseParts])[] = [
    ['POST /users/{fp_id}/vault/decrypt', { params, body: { fields: ['id.ssn9'], ...why } }],
    ['POST /users/{fp_id}/vault/decrypt', { params, body: { fields: ['id.email', 'id.ssn9'], ...why } }],
    [
      'POST /users/{fp_id}/vault/integrity',
      { params, body: { fields: ['id.ssn9'], signing_key: '00'.repeat(16) } },
    ],
    ['POST /users/{fp_id}/verify', { params, body: { identifier: 'id.ssn9', value: '123-12-1234', ...why } }],
    ['POST /users/{fp_id}/client_token', { params, body: { scope: 'decrypt', fields: ['id.ssn9'] } }],
    ['POST /users/search', { body: { search: 'ann@example.com' } }],
    ['POST /_kyclone/search', { body: { search: 'email:ann@example.com' } }],
    ['POST /_kyclone/api-keys', { body: {} }],
    ['POST /_kyclone/recording', {}],
    ['PUT /_kyclone/snapshots/{name}', { params: { name: 'mine' } }],
    ['PATCH /_kyclone/settings', { body: { hosts: ['evil.example'] } }],
    ['POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/x' } }],
  ];
  for (const [key, parts] of ways) {
    const reply = await call(key, parts);
    expect(reply, key).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(reply.text).not.toContain('123');
  }
  const open = await call('POST /users/{fp_id}/vault/decrypt', {
    params,
    body: { fields: ['id.email'], reason: 'a call' },
  });
  expect(open.body).toEqual({ 'id.email': 'ann@example.com' });

  const { data } = (await service.call('GET /_kyclone/access-log')).body;
  expect(
    data.map(({ operation, outcome, operator, actor }) => [operation, outcome, operator, actor.kind]),
  ).toEqual([
    ['decrypt', 'granted', 'Bo', 'api_key'],
    ['search', 'refused', 'Bo', 'api_key'],
    ['verify', 'refused', 'Bo', 'api_key'],
    ['integrity', 'refused', 'Bo', 'api_key'],
    ['decrypt', 'refused', 'Bo', 'api_key'],
    ['decrypt', 'refused', 'Bo', 'api_key'],
  ]);
});

test('search: without decrypt:* nobody is found by a value, only by ids, labels and the like', async (service) => {
  const fp_id = await service.user({
    'id.email': 'ann@example.com',
    'id.first_name': 'Ann',
    'id.last_name': 'Doe',
  });
  await service.call('PATCH /users/{fp_id}', { params: { fp_id }, body: { external_id: 'crm-0815' } });
  await service.call('POST /users/{fp_id}/label', { params: { fp_id }, body: { kind: 'active' } });
  const [reviewer, agent] = [await asSession(service, { permissions: ['review'] }), await asSession(service)];
  const count = async (call: typeof reviewer, search: string) => {
    const reply = await call('POST /_kyclone/search', { body: { search } });
    return reply.status === 200 ? (reply.body as { data: unknown[] }).data.length : reply.status;
  };
  const listed = async (call: typeof reviewer, q: string) =>
    ((await call('GET /_kyclone/entities', { query: { q } })).body as { data: unknown[] }).data.length;

  for (const text of ['ann@example.com', 'Ann Doe', 'doe']) {
    expect(await count(agent, text), text).toBe(1);
    expect(await count(reviewer, text), text).toBe(0);
  }
  expect(await count(reviewer, 'name:doe')).toBe(403);
  expect(await count(reviewer, 'label:active email:ann@example.com')).toBe(403);
  for (const text of [fp_id, 'crm-0815', 'external:crm-0815', 'label:active']) {
    expect(await count(reviewer, text), text).toBe(1);
  }
  expect(await listed(agent, 'ann@example.com')).toBe(1);
  expect(await listed(reviewer, 'ann@example.com')).toBe(0);
  expect(await listed(reviewer, 'crm-')).toBe(1);
});

test('search: an entry that a session without decrypt:* left out is written by the next who continues it', async (service) => {
  await service.user({ 'id.email': 'ann@example.com' });
  const reviewer = await asSession(service, { permissions: ['review'] });
  const agent = await asSession(service, { operator: 'Ada' });
  const body = { search: 'ann@example.com' };
  const { search_id } = (await reviewer('POST /_kyclone/search', { body })).body as { search_id: string };
  await agent('POST /_kyclone/search', { body: { ...body, search_id } });

  const { data } = (await service.call('GET /_kyclone/access-log')).body;
  expect(data).toMatchObject([{ operation: 'search', operator: 'Ada' }]);
});

test('links: a session that may not replace values leaves nothing behind that may', async (service) => {
  const fp_id = await service.user();
  const permissions = ['onboard', 'entities.write', 'bank_links'];
  const call = await asSession(service, { permissions });
  const ways: readonly (readonly [EndpointKey, LooseParts])[] = [
    ['POST /onboarding/session', { body: { key: KYC } }],
    ['POST /users/{fp_id}/token', { params: { fp_id }, body: { kind: 'onboard', key: KYC } }],
    ['POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, generate_link_on_stepup: true } }],
    ['POST /_kyclone/bank_link_intents', { body: { fp_id } }],
    ['POST /_kyclone/sessions/complete', { body: { token: 'obtok_x' } }],
  ];
  for (const [key, parts] of ways) {
    const reply = await call(key, parts);
    expect(reply, key).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(reply.text).toContain('vault.write');
  }
});

test('links: one that a session without decrypt makes does not find out which value is stored', async (service) => {
  const call = await asSession(service, { permissions: ['onboard', 'vault.write'] });
  const versionAfter = async (city: string) => {
    const fp_id = await service.user(aReadyUser());
    const params = { fp_id };
    const { token } = (
      await call('POST /users/{fp_id}/token', { params, body: { kind: 'onboard', key: KYC } })
    ).body as { token: string };
    const body = { token, data: { 'id.city': city } };
    expect((await call('POST /_kyclone/sessions/complete', { body })).status).toBe(200);
    return ((await call('GET /_kyclone/entities/{fp_id}', { params })).body as { vault_version: number })
      .vault_version;
  };

  expect(await versionAfter('Enclave')).toBe(await versionAfter('Elsewhere'));
});

test('a key: a session may do what both may, and nothing once there is none', async (service) => {
  const fp_id = await service.user({ 'id.email': 'ann@example.com' });
  const call = await asSession(service, { environment: 'sandbox' });
  const decrypt = async () =>
    (
      await call('POST /users/{fp_id}/vault/decrypt', {
        params: { fp_id },
        body: { fields: ['id.email'], reason: 'x' },
      })
    ).status;
  const [first] = (await service.call('GET /_kyclone/api-keys', { query: { environment: 'sandbox' } })).body
    .data;
  const params = { id: first?.id ?? '' };
  expect(await decrypt()).toBe(200);

  await service.call('PATCH /_kyclone/api-keys/{id}', { params, body: { permissions: ['review'] } });
  expect(await decrypt()).toBe(403);
  await service.key();
  expect(await decrypt()).toBe(200);
  const { data } = (await service.call('GET /_kyclone/api-keys', { query: { environment: 'sandbox' } })).body;
  for (const { id } of data) {
    await service.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
  }
  const refused = await call('POST /users', {});
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect((refused.body as { message: string }).message).toContain('no enabled sandbox key');
  expect((await call('GET /_kyclone/info')).status).toBe(200);
});

test('environment: a header chooses that of one call', async (service) => {
  const call = await asSession(service, { environment: 'live' });
  const named = (environment: string) => ({ headers: { 'x-kyclone-environment': environment } });
  const live = (await call('POST /users')).body as { id: string };
  const sandbox = (await call('POST /users', named('sandbox'))).body as { id: string };
  const found = async ({ id }: { id: string }, environment: string) =>
    (await call('GET /users/{fp_id}', { params: { fp_id: id }, ...named(environment) })).status;

  expect([await found(live, 'live'), await found(live, 'sandbox')]).toEqual([200, 404]);
  expect([await found(sandbox, 'live'), await found(sandbox, 'sandbox')]).toEqual([404, 200]);
  for (const word of ['production', '', 'LIVE', 'sandbox, live']) {
    const refused = await call('GET /users/{fp_id}', { params: { fp_id: live.id }, ...named(word) });
    expect(refused, word).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
});

test('tenant: a session acts for its own at the API', async (service) => {
  const fp_id = await service.user();
  const key = await service.key({ tenant: 'acme' });
  const own = await service.user({}, key);
  const call = await asSession(service, { tenant: 'acme' });

  expect((await call('GET /users/{fp_id}', { params: { fp_id: own } })).status).toBe(200);
  expect((await call('GET /users/{fp_id}', { params: { fp_id } })).status).toBe(404);
});

test('operator: the session acts, whatever the request says, in journal and access log', async (service) => {
  const fp_id = await service.user();
  const params = { fp_id };
  const call = await asSession(service, { operator: 'Ada' });
  const nameless = await asSession(service);
  const headers = { 'x-kyclone-operator': 'Mallory' };
  const note = await call('POST /_kyclone/entities/{fp_id}/notes', { params, headers, body: { text: 'x' } });
  await call('POST /users/{fp_id}/label', { params, headers, body: { kind: 'active', reason: 'seen' } });
  await nameless('POST /users/{fp_id}/label', { params, headers, body: { kind: 'offboard_other' } });

  expect(note.body).toMatchObject({ operator: 'Ada' });
  const log = (await service.call('GET /_kyclone/access-log')).body.data;
  expect(log.map(({ operator }) => operator)).toEqual([null, 'Ada']);
  const journal = (await service.call('GET /_kyclone/requests')).body.data;
  const named = journal.filter(({ path }) => path.includes(fp_id));
  expect(named.map(({ operator }) => operator)).toEqual([null, 'Ada', 'Ada']);
  expect(
    journal.filter(({ path }) => path.includes('/console')).every((entry) => !('operator' in entry)),
  ).toBe(true);
});

test('operator: beside a client token the session acts, and not any longer once it has ended', async (service) => {
  const fp_id = await service.user({ 'id.email': 'ann@example.com' });
  const download = await service.token(fp_id, {
    scope: 'decrypt_download',
    fields: ['id.email'],
    decrypt_reason: 'x',
  });
  const decrypt = await service.token(fp_id, { scope: 'decrypt', fields: ['id.email'] });
  const call = await asSession(service, { operator: 'Ada', permissions: [] });
  const headers = { 'x-kyclone-operator': 'Mallory' };
  const ways: readonly (readonly [EndpointKey, LooseParts])[] = [
    ['GET /users/vault/decrypt/{token}', { params: { token: download }, headers }],
    [
      'POST /users/vault/decrypt',
      { headers: { ...headers, 'x-fp-authorization': decrypt }, body: { fields: ['id.email'], reason: 'x' } },
    ],
  ];

  for (const [key, parts] of ways) expect((await call(key, parts)).status, key).toBe(200);
  const { data } = (await service.call('GET /_kyclone/access-log')).body;
  expect(data.map(({ operator, actor }) => [operator, actor.kind])).toEqual([
    ['Ada', 'client_token'],
    ['Ada', 'client_token'],
  ]);
  await service.call('DELETE /_kyclone/console/sessions');
  for (const [key, parts] of ways) expect((await call(key, parts)).status, key).toBe(401);
});

test.eachWith([
  ['ada@desk.example', 'bo@desk.example'],
  [undefined, 'bo@desk.example'],
])('reviewer: a session of %s does not decide in the name of %s', async (service, operator, other) => {
  const fp_id = await service.user(aReadyUser());
  const params = { fp_id };
  await service.call('POST /users/{fp_id}/kyc', { params, body: { key: KYC } });
  const call = await asSession(service, operator === undefined ? {} : { operator });
  const decide = async (named: { reviewer_email?: string | null }) =>
    await call('POST /users/{fp_id}/decisions', {
      params,
      body: { status: 'pass', annotation: 'seen', ...named },
    });

  const refused = await decide({ reviewer_email: other });
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(refused.text).toContain('reviewer_email');
  const own = [
    {},
    { reviewer_email: null },
    ...(operator === undefined ? [] : [{ reviewer_email: operator }]),
  ];
  for (const named of own) expect((await decide(named)).status).toBe(200);
  const { data } = (await service.call('GET /users/{fp_id}/decisions', { params })).body;
  const manual = data.filter(({ kind }) => kind === 'manual');
  expect(manual.map(({ reviewer_email }) => reviewer_email)).toEqual(own.map(() => operator ?? null));
});

test('secrets: a session without all permissions, or a read-only one, sees no secret of a webhook endpoint', async (service) => {
  const body = { url: 'http://127.0.0.1:9/x' };
  const { id, secret } = (await service.call('POST /_kyclone/webhooks', { body })).body;
  const asked = { params: { id }, query: { reveal: true } };
  const read = async (grant: Parameters<typeof asSession>[1], parts: LooseParts) =>
    await (
      await asSession(service, grant)
    )('GET /_kyclone/webhooks/{id}', parts);

  expect((await read({}, asked)).body).toMatchObject({ secret });
  for (const grant of [{ permissions: ['review'] }, { is_readonly: true }, { permissions: ['decrypt:*'] }]) {
    expect(await read(grant, asked)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect((await read(grant, { params: { id } })).body).not.toHaveProperty('secret');
  }
});
