/** GET and PATCH /_kyclone/settings (contract §0.13, §11). */
import { DEFAULT_SETTINGS } from '../../../src/nouns/settings/endpoints/index.ts';
import { createSettings } from '../../../src/nouns/settings/service.ts';
import type { WriteQueue } from '../../../src/storage/writer.ts';
import { storeSettings } from '../../../src/vault/grants/index.ts';
import { aStore } from '../../vault/a-store.ts';
import { expect } from 'vitest';
import { SANDBOX_KEY, failureOf, startService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const PATCH = 'PATCH /_kyclone/settings';

test('settings: begin as the contract says', async (service) => {
  expect((await service.call('GET /_kyclone/settings')).body).toEqual({
    egress: { policy: 'local', extra_roots: [] },
    vocabulary: {
      event_prefix: 'service',
      partner_a: 'partner_a',
      partner_b: 'partner_b',
      partner_response: 'partner_response',
      vendors: Array.from({ length: 16 }, (_, index) => `vendor_${index + 1}`),
      secret_key_header: 'x-service-secret-key',
      duplicate_name_dob: 'name_dobname',
      webhook_style: 'standard',
    },
    events: { extended: false },
    cors: { origins: [] },
    hosts: [],
    partner_b: { forward: false },
    webhooks: { timestamp: 'real' },
    bank: { refresh_limits: false },
    support: { reasons: [] },
  });
});

test('settings: PATCH changes the members that are sent, answers all, and they stay', async (service) => {
  const before = (await service.call('GET /_kyclone/settings')).body;

  const { body } = await service.call(PATCH, {
    body: { vocabulary: { partner_a: 'acme' }, egress: { policy: 'strict' }, hosts: ['kyc.test'] },
  });

  expect(body).toEqual({
    ...before,
    vocabulary: { ...before.vocabulary, partner_a: 'acme' },
    egress: { ...before.egress, policy: 'strict' },
    hosts: ['kyc.test'],
  });
  expect((await service.call(PATCH, { body: {} })).body).toEqual(body);
  expect((await service.call('GET /_kyclone/settings')).body).toEqual(body);
  expect((await service.call('GET /_kyclone/info')).body).toMatchObject({
    egress_policy: 'strict',
    vocabulary: { partner_a: 'acme' },
  });
});

test.eachWith([
  ['a slash in a partner word', { vocabulary: { partner_b: 'a/b' } }, 'partner_b'],
  ['a partner word that is a step up the path', { vocabulary: { partner_a: '..' } }, 'partner_a'],
  ['a partner word that is no step at all', { vocabulary: { partner_b: '.' } }, 'partner_b'],
  [
    'the member beside the answer of a partner',
    { vocabulary: { partner_response: 'status_code' } },
    'partner_response',
  ],
  ['the same word for both partners', { vocabulary: { partner_a: 'same', partner_b: 'same' } }, 'partner_a'],
  ['the word of the other partner', { vocabulary: { partner_a: 'partner_b' } }, 'partner_a'],
  ['a header in upper case', { vocabulary: { secret_key_header: 'X-Key' } }, 'secret_key_header'],
  ['the cookie header', { vocabulary: { secret_key_header: 'cookie' } }, 'secret_key_header'],
  [
    'the word of another kind of duplicate',
    { vocabulary: { duplicate_name_dob: 'ssn9' } },
    'duplicate_name_dob',
  ],
  [
    'a header that means something else',
    { vocabulary: { secret_key_header: 'authorization' } },
    'secret_key_header',
  ],
  [
    'the header of client tokens',
    { vocabulary: { secret_key_header: 'x-fp-authorization' } },
    'secret_key_header',
  ],
  ['a root that is no certificate', { egress: { extra_roots: ['text'] } }, 'extra_roots'],
  ['an origin with a path', { cors: { origins: ['https://a.example/path'] } }, 'origins'],
  ['an origin with the default port', { cors: { origins: ['https://a.example:443'] } }, 'origins'],
  ['an origin without a scheme', { cors: { origins: ['a.example'] } }, 'origins'],
  ['the origin *', { cors: { origins: ['*'] } }, 'origins[0] must be an origin without wildcards'],
  [
    'a wildcard in a host',
    { cors: { origins: ['https://a.example', 'https://*.a.example'] } },
    'origins[1] must be an origin without wildcards',
  ],
  ['an origin with a directive of a policy', { cors: { origins: ['https://a.example;x'] } }, 'origins[0]'],
  ['the origin null', { cors: { origins: ['null'] } }, 'origins'],
  ['a host with a port', { hosts: ['kyc.test:80'] }, 'hosts'],
])('settings: %s is 400 naming it, and nothing changes', async (service, _what, body, name) => {
  const before = (await service.call('GET /_kyclone/settings')).body;

  const refusal = await service.refused(PATCH, { body: { events: { extended: true }, ...body } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', name));
  expect((await service.call('GET /_kyclone/settings')).body).toEqual(before);
});

test('settings: another secret-key header applies to the next request', async (service) => {
  const list = (header: string) =>
    service.send({ method: 'GET', path: '/users', as: null, headers: { [header]: SANDBOX_KEY } });
  expect((await list('x-acme-key')).status).toBe(401);

  await service.call(PATCH, { body: { vocabulary: { secret_key_header: 'x-acme-key' } } });

  expect((await list('x-acme-key')).status).toBe(200);
  const former = await list('x-service-secret-key');
  expect(former.status).toBe(401);
  expect(former.text).toContain('x-acme-key');
  const basic = { authorization: `Basic ${Buffer.from(`${SANDBOX_KEY}:`).toString('base64')}` };
  expect((await service.send({ method: 'GET', path: '/users', as: null, headers: basic })).status).toBe(200);
  expect((await service.send({ method: 'GET', path: '/_kyclone/openapi.json' })).text).toContain(
    'x-acme-key',
  );
});

test('settings: settings given at start win over the defaults', async () => {
  await using service = await startService({
    settings: { egress: { policy: 'open' }, vocabulary: { partner_a: 'acme' } },
  });

  const { body } = await service.call('GET /_kyclone/settings');

  expect(body.egress).toEqual({ policy: 'open', extra_roots: [] });
  expect(body.vocabulary).toMatchObject({ partner_a: 'acme', partner_b: 'partner_b' });
});

test('settings: an origin with a wildcard that an earlier version stored is left out, and the start goes on', () => {
  const { database } = aStore();
  const origins = ['http://*', 'https://*.a.example', 'https://a.example', 'http://a;b'];
  storeSettings(database, JSON.stringify({ ...DEFAULT_SETTINGS, cors: { origins } }));

  const settings = createSettings({ database } as WriteQueue, {});

  expect(settings.current.cors.origins).toEqual(['https://a.example']);
});
