/** Webhook endpoints (contract §9.1, §11). */
import { expect } from 'vitest';
import { NOON, failureOf, startService } from '../../support/service.ts';
import {
  aGate,
  aReceiver,
  answering,
  CLOCK,
  COMPLETED,
  deliveriesOf,
  ELSEWHERE,
  pass,
  REGISTER,
  settled,
  theDelivery,
  TRIGGER,
  verified,
  verifyEach,
  BY_CLOCK,
  triggered,
} from './a-receiver.ts';
import type { ReceivedRequest } from '../../support/targets.ts';
import { test } from '../../support/test-with.ts';

const LIST = 'GET /_kyclone/webhooks';
const GET = 'GET /_kyclone/webhooks/{id}';
const CHANGE = 'PATCH /_kyclone/webhooks/{id}';
const DELETE = 'DELETE /_kyclone/webhooks/{id}';
const ROTATE = 'POST /_kyclone/webhooks/{id}/rotate';
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('register: an endpoint is for all kinds, and its secret is whsec_ and 32 bytes', async (service) => {
  expect((await service.call(REGISTER, { body: { url: ELSEWHERE } })).body).toEqual({
    id: expect.stringMatching(/^whk_[0-9A-Za-z]{22}$/) as string,
    url: ELSEWHERE,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    kinds: ['*'],
    tenant: 'default',
    environment: 'sandbox',
    enabled: true,
    created_at: new Date(NOON).toISOString(),
    disabled_reason: null,
  });
});

test('register: the secret is shown again with reveal=true only, and is not in the store in the clear', async (service) => {
  const { id } = (await service.call(REGISTER, { body: { url: ELSEWHERE, secret: SECRET } })).body;
  const params = { id };

  const plain = (await service.call(GET, { params })).body;
  const revealed = (await service.call(GET, { params, query: { reveal: true } })).body;
  const listed = (await service.call(LIST)).body.data;
  const changed = (await service.call(CHANGE, { params, body: { enabled: true } })).body;

  expect(revealed.secret).toBe(SECRET);
  for (const shown of [plain, ...listed, changed]) expect(shown).not.toHaveProperty('secret');
  const sealed = service.database.prepare('SELECT sealed_secret FROM webhooks').pluck().get();
  const row = Buffer.from(sealed as Uint8Array);
  expect(row.includes(SECRET)).toBe(false);
  expect(row.includes(Buffer.alloc(24, 7))).toBe(false);
});

test.eachWith([
  ['23 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
  ['65 bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`],
  ['no padding', `whsec_${Buffer.alloc(25, 7).toString('base64').replaceAll('=', '')}`],
  ['bits beyond its bytes', `whsec_${Buffer.alloc(24, 7).toString('base64')}AB==`],
  ['no prefix', Buffer.alloc(32, 7).toString('base64')],
])('register: a secret of %s is refused', async (service, _, secret) => {
  const refusal = await service.refused(REGISTER, { body: { url: ELSEWHERE, secret } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'secret'));
  expect(refusal.message).not.toContain(secret);
});

test.eachWith([
  'nonsense',
  'ftp://receiver.example/',
  'https://name:password@receiver.example/',
  'https://receiver.example/#part',
  'https://receiver.example/#',
  'https://receiver.example/a b',
  'https://receiver.example/\tx',
  `https://receiver.example/${'x'.repeat(2048)}`,
  '',
])('register: %j is no URL of a receiver', async (service, url) => {
  const refusal = await service.refused(REGISTER, { body: { url } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'url'));
});

test('register: checks the egress policy, and names the refused address', async () => {
  const resolve = (host: string) =>
    host === 'inside.test' ? Promise.resolve(['10.0.0.1']) : Promise.reject(new Error('ENOTFOUND'));
  await using service = await startService({ outside: { resolve } });
  const settings = (policy: 'strict' | 'local') =>
    service.call('PATCH /_kyclone/settings', { body: { egress: { policy } } });

  const inside = await service.refused(REGISTER, { body: { url: 'https://inside.test/' } });
  const self = await service.refused(REGISTER, { body: { url: service.instance.url } });
  await settings('strict');
  const loopback = await service.refused(REGISTER, { body: { url: 'http://127.0.0.1:9/' } });

  for (const refusal of [inside, self, loopback]) {
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal.message).toMatch(/^url is refused: /);
  }
  expect(loopback.message).toContain('strict');
  // The name may resolve later; each delivery checks its address.
  await service.call(REGISTER, { body: { url: 'https://nowhere.test/' } });
});

test('register: kinds come with the prefix or without, and are kept without', async () => {
  await using service = await startService({ settings: { vocabulary: { event_prefix: 'acme' } } });
  const kindsOf = async (kinds: string[]) =>
    (await service.call(REGISTER, { body: { url: ELSEWHERE, kinds } })).body.kinds;

  expect(await kindsOf(['acme.onboarding.completed', 'vault.updated', 'onboarding.completed'])).toEqual([
    'onboarding.completed',
    'vault.updated',
  ]);
  expect(await kindsOf(['*', '*'])).toEqual(['*']);
  for (const kinds of [['other.onboarding.completed'], ['onboarding'], ['*', 'vault.updated'], []]) {
    const refusal = await service.refused(REGISTER, { body: { url: ELSEWHERE, kinds } });
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'kinds'));
  }
});

test('endpoints: are listed newest first, page by page', async (service) => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) {
    ids.unshift((await service.call(REGISTER, { body: { url: `${ELSEWHERE}/${index}` } })).body.id);
  }

  const first = (await service.call(LIST, { query: { page_size: 2 } })).body;
  const query = { page_size: 2, cursor: first.meta.next ?? '' };
  const second = (await service.call(LIST, { query })).body;

  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect([first.meta.count, second.meta.next]).toEqual([3, null]);
  expect(await service.refused(LIST, { query: { cursor: 'x' } })).toMatchObject({ code: 'invalid_request' });
});

test('endpoints: a tenant and environment see their own only', async (service) => {
  await service.key({ tenant: 'other' });
  await using mine = await aReceiver(service);
  await using live = await aReceiver(service, { query: { environment: 'live' } });
  const query = { tenant: 'other' };

  await service.call(TRIGGER, { body: { kind: COMPLETED } });
  const foreign = await service.refused(TRIGGER, { query, body: { kind: COMPLETED, webhook_id: mine.id } });
  await settled(service);

  expect(foreign.code).toBe('not_found');
  expect((await service.call(LIST, { query })).body.data).toEqual([]);
  expect((await service.call('GET /_kyclone/events', { query })).body.data).toEqual([]);
  expect(await deliveriesOf(service, query)).toEqual([]);
  expect((await service.call('GET /_kyclone/events')).body.meta.count).toBe(1);
  expect([mine.requests.length, live.requests.length]).toEqual([1, 0]);
});

test('change: checks a new URL, and sends later events there', async (service) => {
  await using before = await aReceiver(service);
  await using after = await aReceiver(service, { body: { kinds: ['vault.updated'] }, takesAnything: true });
  const params = { id: before.id };

  const refusal = await service.refused(CHANGE, { params, body: { url: 'http://169.254.1.1/' } });
  await service.call(CHANGE, { params, body: { url: after.endpoint.url, kinds: [COMPLETED] } });
  await triggered(service);

  expect(refusal.message).toMatch(/^url is refused: /);
  expect([before.requests.length, after.requests.length]).toEqual([0, 1]);
  verifyEach(before.secret, after.requests);
});

test('disable: nothing new is delivered, and pending deliveries wait until it is enabled', async (service) => {
  let status = 500;
  await using receiver = await aReceiver(service, {
    handler: (request, response) => answering(status)(request, response),
  });
  const params = { id: receiver.id };
  await triggered(service);

  const { body: disabled } = await service.call(CHANGE, { params, body: { enabled: false } });
  const { body: unheard } = await service.call(TRIGGER, { body: { kind: COMPLETED } });
  await pass(service, '1h');
  const waiting = await theDelivery(service);
  status = 200;
  const { body: enabled } = await service.call(CHANGE, { params, body: { enabled: true } });
  await settled(service);

  expect(disabled).toMatchObject({ enabled: false, disabled_reason: null });
  expect(unheard.deliveries).toEqual([]);
  expect(waiting).toMatchObject({ status: 'pending', attempt: 1, next_at: null });
  expect(enabled).toMatchObject({ enabled: true });
  expect(await theDelivery(service)).toMatchObject({ status: 'delivered', attempt: 2 });
});

test('delete: abandons pending deliveries to the endpoint; the events stay', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(500) });
  await triggered(service);

  await service.call(DELETE, { params: { id: receiver.id } });
  expect([await pass(service, '2d'), receiver.requests.length]).toEqual([0, 1]);
  expect(await deliveriesOf(service)).toEqual([]);
  expect((await service.call('GET /_kyclone/events')).body.meta.count).toBe(1);
  expect((await service.refused(GET, { params: { id: receiver.id } })).code).toBe('not_found');
});

test('disable and delete: an attempt in flight ends, and its delivery is held or gone', async (service) => {
  const gate = aGate(500);
  gate.shut();
  await using disabled = await aReceiver(service, gate);
  await using deleted = await aReceiver(service, gate);
  await service.call(TRIGGER, { body: { kind: COMPLETED } });
  await expect.poll(() => [disabled, deleted].map(({ requests }) => requests.length)).toEqual([1, 1]);

  await service.call(CHANGE, { params: { id: disabled.id }, body: { enabled: false } });
  await service.call(DELETE, { params: { id: deleted.id } });
  gate.open();
  await settled(service);

  const held = await theDelivery(service);
  expect(held).toMatchObject({ webhook_id: disabled.id, status: 'pending', attempt: 1, next_at: null });
  expect(await pass(service, '6d')).toBe(0);
  await service.call(CHANGE, { params: { id: disabled.id }, body: { enabled: true } });
  await settled(service);
  expect(await theDelivery(service)).toMatchObject({ attempt: 2, response_status: 500 });
  expect([disabled, deleted].map(({ requests }) => requests.length)).toEqual([2, 1]);
});

test('rotate: for 24 hours both secrets verify, the new one first; then the new one only', async () => {
  await using service = await startService({ settings: BY_CLOCK });
  await using receiver = await aReceiver(service, { takesAnything: true });
  await service.call(CLOCK, { body: { action: 'freeze', at: new Date(NOON).toISOString() } });

  const { body: rotated } = await service.call(ROTATE, { params: { id: receiver.id } });
  const fresh = rotated.secret ?? '';
  for (const by of [0, 86_400_000 - 1, 1]) {
    await pass(service, by);
    await triggered(service);
  }

  expect(fresh).not.toBe(receiver.secret);
  const after = receiver.requests.pop() as ReceivedRequest;
  expect(receiver.requests).toHaveLength(2);
  for (const [index, request] of receiver.requests.entries()) {
    const at = NOON + index * (86_400_000 - 1);
    verified(fresh, request, at);
    verified(receiver.secret, request, at);
    const [newest] = String(request.headers['webhook-signature']).split(' ');
    verified(fresh, { ...request, headers: { ...request.headers, 'webhook-signature': newest } }, at);
  }
  verified(fresh, after, NOON + 86_400_000);
  expect(() => verified(receiver.secret, after, NOON + 86_400_000)).toThrow('No matching signature');
});

test('rotate: a second rotation within 24 hours keeps the promise of the first, up to three old secrets', async (service) => {
  await using receiver = await aReceiver(service, { takesAnything: true });
  for (const signatures of [2, 3, 4, 4]) {
    await service.call(ROTATE, { params: { id: receiver.id } });
    await triggered(service);
    const request = receiver.requests.at(-1) as ReceivedRequest;
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(signatures);
  }
  for (const request of receiver.requests.slice(0, 3)) verified(receiver.secret, request, NOON);
});

test('rotate: the 24 hours go on after a return from the future in which they began', async (service) => {
  await using receiver = await aReceiver(service, { takesAnything: true });
  await pass(service, '10d');
  await service.call(ROTATE, { params: { id: receiver.id } });
  await service.call(CLOCK, { body: { action: 'resume' } });
  for (const by of [86_400_000 - 1, 1]) {
    await pass(service, by);
    await triggered(service);
  }
  const signatures = receiver.requests.map(({ headers }) => String(headers['webhook-signature']).split(' '));
  expect(signatures.map(({ length }) => length)).toEqual([2, 1]);
});

test('reset: events and deliveries go, endpoints stay unless it is hard', async (service) => {
  await using receiver = await aReceiver(service);
  await triggered(service, { count: 2 });
  const reset = async (hard: boolean) => {
    const { deleted } = (await service.call('POST /_kyclone/reset', { body: { hard } })).body;
    return [deleted['events'], deleted['deliveries']];
  };

  expect(await reset(false)).toEqual([2, 2]);
  expect((await service.call(LIST)).body.data.map(({ id }) => id)).toEqual([receiver.id]);
  await triggered(service);
  expect(receiver.requests).toHaveLength(3);
  expect(await reset(true)).toEqual([1, 1]);
  expect((await service.call(LIST)).body.data).toEqual([]);
});
