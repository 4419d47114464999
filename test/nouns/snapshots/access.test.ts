/** A load names the access that a foreign file would grant, and leaves it out unless the caller asks for it. */
import { expect, test } from 'vitest';
import { SANDBOX_KEY, startService, type TestService } from '../../support/service.ts';
import { contentOf } from '../../support/snapshot-samples.ts';

const snapshotKey = '5'.repeat(64);
const params = { name: 'before' };

async function aFileOfSomebody() {
  await using there = await startService({ snapshotKey });
  const user = await there.user({ 'id.first_name': 'Canary-71' });
  const key = await there.key({ name: 'of somebody', tenant: 'brought' });
  const token = await there.token(user, { scope: 'decrypt', fields: ['id.first_name'] });
  await there.call('POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/secret-path?q=1' } });
  await there.call('POST /_kyclone/proxies', { body: { url: 'https://taken.example/secret-path?q=1' } });
  await there.call('PATCH /_kyclone/settings', {
    body: {
      egress: { policy: 'open' },
      cors: { origins: ['https://somebody.example'] },
      hosts: ['somebody.example'],
      vocabulary: { event_prefix: 'brought' },
    },
  });
  await there.call('PUT /_kyclone/snapshots/{name}', { params });
  return { user, key, token, content: await contentOf(there) };
}

async function take(here: TestService, body: Buffer, withAccess?: boolean) {
  const reply = await here.request('PUT /_kyclone/snapshots/{name}/content', {
    params,
    query: { with_access: withAccess },
    body,
  });
  expect(reply.status).toBe(200);
  return (reply.body as { access: object }).access;
}

const statusWith = async (here: TestService, as: string) =>
  (await here.send({ method: 'GET', path: '/users', as })).status;

const BROUGHT = {
  api_keys: [
    { name: 'of somebody', tenant: 'brought', environment: 'sandbox' },
    { name: 'default live key', tenant: 'default', environment: 'live' },
    { name: 'default sandbox key', tenant: 'default', environment: 'sandbox' },
  ],
  client_tokens: 1,
  webhooks: ['http://127.0.0.1:9'],
  proxies: ['https://taken.example'],
  hosts: ['somebody.example'],
  origins: ['https://somebody.example'],
  egress_policy: 'open',
  extra_roots: 0,
  forwards: false,
};

test("take: without with_access the file's grants and connections have no effect, and those here stay", async () => {
  const file = await aFileOfSomebody();
  await using here = await startService({ snapshotKey, seed: 'another' });
  const own = await here.key({ name: 'own', tenant: 'own' });
  const disabled = await here.key({ name: 'disabled' });
  const keys = (await here.call('GET /_kyclone/api-keys')).body.data;
  const id = String(keys.find(({ name }) => name === 'disabled')?.id);
  await here.call('PATCH /_kyclone/api-keys/{id}', { params: { id }, body: { enabled: false } });
  const { body: made } = await here.call('POST /_kyclone/webhooks', {
    body: { url: 'http://127.0.0.1:9/own' },
  });
  await here.call('POST /_kyclone/webhooks/{id}/rotate', { params: { id: made.id } });
  const shown = async () =>
    (await here.call('GET /_kyclone/webhooks/{id}', { params: { id: made.id }, query: { reveal: true } }))
      .body;
  const hook = await shown();
  const headers = { authorization: 'own secret' };
  const proxy = await here.call('POST /_kyclone/proxies', {
    body: { url: 'https://own.example/', secret_headers: headers },
  });
  await here.call('PATCH /_kyclone/settings', {
    body: { egress: { policy: 'strict' }, hosts: ['own.example'] },
  });

  expect(await take(here, file.content)).toEqual({ ...BROUGHT, taken: false });
  await here.call('POST /_kyclone/snapshots/{name}/load', { params });

  expect((await here.call('GET /users')).body.data).toMatchObject([{ id: file.user }]);
  expect(await statusWith(here, own)).toBe(200);
  expect(await statusWith(here, SANDBOX_KEY)).toBe(200);
  expect(await statusWith(here, disabled)).toBe(401);
  expect(await statusWith(here, file.key)).toBe(401);
  expect((await here.request('GET /users/client_token', { as: file.token })).status).toBe(401);
  const settings = (await here.call('GET /_kyclone/settings')).body;
  expect(settings).toMatchObject({
    egress: { policy: 'strict' },
    hosts: ['own.example'],
    cors: { origins: [] },
    vocabulary: { event_prefix: 'brought' },
  });
  expect((await here.call('GET /_kyclone/webhooks')).body.data).toHaveLength(1);
  expect(await shown()).toEqual(hook);
  expect((await here.call('GET /_kyclone/proxies')).body.data).toEqual([proxy.body]);
});

test("take: with with_access the file's grants and connections are in use", async () => {
  const file = await aFileOfSomebody();
  await using here = await startService({ snapshotKey, seed: 'another' });

  expect(await take(here, file.content, true)).toEqual({ ...BROUGHT, taken: true });
  await here.call('POST /_kyclone/snapshots/{name}/load', { params });

  expect(await statusWith(here, file.key)).toBe(200);
  expect((await here.call('GET /users/client_token', { as: file.token })).body.fp_id).toBe(file.user);
  expect((await here.call('GET /_kyclone/settings')).body.egress.policy).toBe('open');
  const proxies = (await here.call('GET /_kyclone/proxies')).body.data;
  expect(proxies.map(({ url }) => url)).toEqual(['https://taken.example/secret-path?q=1']);
});
