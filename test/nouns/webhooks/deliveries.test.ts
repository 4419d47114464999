/** How an event is delivered to its receivers (contract §9.1). */
import { expect, vi } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import type { EventKind } from '../../../src/nouns/webhooks/facts.ts';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { NOON, startService } from '../../support/service.ts';
import { startRawTarget, startTarget, type TargetHandler } from '../../support/targets.ts';
import { aPart } from './a-part.ts';
import {
  aGate,
  aReceiver,
  answering,
  BY_CLOCK,
  COMPLETED,
  deliveriesOf,
  idOf,
  pass,
  REGISTER,
  settled,
  theDelivery,
  theRequest,
  TRIGGER,
  verified,
  verifyEach,
  triggered,
} from './a-receiver.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { test } from '../../support/test-with.ts';

const SETTINGS = 'PATCH /_kyclone/settings';
const RESEND = 'POST /_kyclone/events/{id}/resend';

test('delivery: is the event as it is stored, with the headers of the contract, and verifies', async (service) => {
  await using receiver = await aReceiver(service);

  const event = await triggered(service, { body: { note: 'Zoë ✓' } });

  const request = theRequest(receiver);
  const stored = service.database.prepare('SELECT body FROM events').pluck().get() as string;
  expect([request.method, request.path]).toEqual(['POST', '/hooks']);
  expect(request.body.toString('utf8')).toBe(stored);
  expect(JSON.parse(stored)).toEqual(event.body);
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'webhook-id': event.id,
    'webhook-timestamp': String(NOON / 1000),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/) as string,
  });
  expect(verified(receiver.secret, request, NOON)).toEqual(event.body);
  const delivery = await theDelivery(service);
  const noon = new Date(NOON).toISOString();
  const made = { at: noon, response_status: 200, error: null, hint: null, ms: delivery.ms };
  expect(delivery).toEqual({
    id: event.deliveries[0],
    event_id: event.id,
    webhook_id: receiver.id,
    kind: COMPLETED,
    fp_id: event.body['fp_id'],
    external_id: null,
    masked_name: null,
    url: receiver.endpoint.url,
    status: 'delivered',
    next_at: null,
    created_at: noon,
    ...made,
    attempt: 1,
    attempts: [{ ...made, attempt: 1, ...signatureOf(request) }],
  });
  expect(delivery.ms).toBeGreaterThan(0);
  expect(delivery.attempts.map((each) => Object.keys(each))).toEqual([
    ['attempt', 'at', 'response_status', 'error', 'ms', 'hint', 'webhook_timestamp', 'webhook_signature'],
  ]);
});

/** The members of an attempt that are the headers of this request. */
function signatureOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) {
  return {
    webhook_timestamp: Number(headers['webhook-timestamp']),
    webhook_signature: headers['webhook-signature'],
  };
}

test('attempts: each keeps the headers that it sent, and none where nothing was sent', async () => {
  await using service = await startService({ settings: BY_CLOCK });
  let status = 500;
  await using receiver = await aReceiver(service, { handler: (...call) => answering(status)(...call) });
  const dead = await startTarget();
  await service.call(REGISTER, { body: { url: dead.url } });
  await dead[Symbol.asyncDispose]();
  await triggered(service);
  status = 200;
  await pass(service, '5s');

  const { data } = (await service.call('GET /_kyclone/deliveries')).body;
  const [refused, taken] = data.map(({ attempts }) =>
    attempts.map(({ webhook_timestamp, webhook_signature }) => ({ webhook_timestamp, webhook_signature })),
  );
  expect(taken).toEqual(receiver.requests.map(signatureOf));
  expect(new Set(taken?.map(({ webhook_signature: each }) => each)).size).toBe(2);
  expect(refused).toEqual([NOTHING_SENT, NOTHING_SENT]);
});

const NOTHING_SENT = { webhook_timestamp: null, webhook_signature: null };
/** A delivery without a recorded attempt. */
const UNTRIED = { status: 'pending', attempt: 0, attempts: [] };

test('list: deliveries are found by person, external id, event, kind, endpoint, status and words of the error', async (service) => {
  await using taking = await aReceiver(service);
  await using refusing = await aReceiver(service, { handler: answering(404) });
  const dead = await startTarget();
  const { body: gone } = await service.call(REGISTER, { body: { url: `${dead.url}/Gone` } });
  await dead[Symbol.asyncDispose]();
  const { body: ada } = await service.call('POST /users', { headers: { 'x-external-id': 'Customer-17' } });
  const ben = await service.user();
  const { id: event_id } = await triggered(service, { fp_id: ada.id });
  await triggered(service, { kind: 'vault.updated', fp_id: ben });

  const found = async (query: RequestOf<'GET /_kyclone/deliveries'>['query']) => {
    const { data, meta } = (await service.call('GET /_kyclone/deliveries', { query })).body;
    expect(meta.count).toBe(data.length);
    return data.map(({ fp_id, webhook_id }) => [fp_id, webhook_id]);
  };
  const [ofAda, ofBen] = [ada.id, ben].map((id) => [gone.id, refusing.id, taking.id].map((to) => [id, to]));
  expect(await found({ fp_id: ada.id })).toEqual(ofAda);
  expect(await found({ external_id: 'Customer-17' })).toEqual(ofAda);
  expect(await found({ external_id: 'Customer-1' })).toEqual([]);
  expect(await found({ q: 'customer-1' })).toEqual(ofAda);
  expect(await found({ q: ben })).toEqual(ofBen);
  expect(await found({ status: 'failing', fp_id: ben })).toEqual(ofBen?.slice(0, 2));
  expect(await found({ status: 'failed' })).toEqual([]);
  expect(await found({})).toEqual([...(ofBen ?? []), ...(ofAda ?? [])]);
  expect(await found({ kind: 'service.vault.updated' })).toEqual(ofBen);
  expect(await found({ kind: COMPLETED, status: 'delivered' })).toEqual(ofAda?.slice(2));
  expect(await found({ event_id, webhook_id: refusing.id })).toEqual(ofAda?.slice(1, 2));
  expect(await found({ error: 'Connection REFUSED', fp_id: ben })).toEqual(ofBen?.slice(0, 1));
  expect(await found({ error: 'nothing listens', fp_id: ben })).toEqual(ofBen?.slice(0, 1));
  expect(await found({ error: '404', fp_id: ada.id })).toEqual(ofAda?.slice(1, 2));
  expect(await found({ q: 'failing /gone customer' })).toEqual(ofAda?.slice(0, 1));
  expect(await found({ q: 'delivered customer-17' })).toEqual(ofAda?.slice(2));
  expect(await found({ q: `"'` })).toEqual([]);
  const page = (await service.call('GET /_kyclone/deliveries', { query: { page_size: 4 } })).body;
  const rest = await deliveriesOf(service, { page_size: 4, cursor: page.meta.next ?? '' });
  expect([page.meta.count, page.data.length, rest.length]).toEqual([6, 4, 2]);
  expect((await service.refused('GET /_kyclone/deliveries', { query: { kind: 'x' } })).code).toBe(
    'invalid_request',
  );
});

test('delivery: the external id is that of the person, and null once they are deleted', async (service) => {
  await using receiver = await aReceiver(service);
  const { body: ada } = await service.call('POST /users', { headers: { 'x-external-id': 'customer-17' } });
  await triggered(service, { fp_id: ada.id });
  expect(await theDelivery(service)).toMatchObject({ fp_id: ada.id, external_id: 'customer-17' });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: ada.id } });
  expect(await theDelivery(service)).toMatchObject({ fp_id: ada.id, external_id: null });
  expect(receiver.requests).toHaveLength(1);
});

test('delivery: an event whose body is stored sealed is sent as it is, and verifies', async () => {
  await using service = await startService({ settings: { events: { extended: true } } });
  await using receiver = await aReceiver(service);
  const fp_id = await service.user({});
  const body = { note: 'A proof of your address' };

  await service.call('POST /_kyclone/entities/{fp_id}/request_info', { params: { fp_id }, body });
  await settled(service);

  expect(verified(receiver.secret, theRequest(receiver), NOON)).toMatchObject({ ...body, fp_id });
});

test('delivery: with vocabulary.webhook_style svix the headers have that prefix', async () => {
  await using service = await startService({ settings: { vocabulary: { webhook_style: 'svix' } } });
  await using receiver = await aReceiver(service);

  const event = await triggered(service);

  const { headers } = theRequest(receiver);
  expect(headers['svix-id']).toBe(event.id);
  expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
});

test.eachWith([
  [204, 'delivered', null],
  [302, 'pending', /final URL/],
  [400, 'pending', /raw bytes/],
  [401, 'pending', /secret of this endpoint/],
  [404, 'pending', /path/],
  [500, 'pending', /receiver failed/],
])('delivery: %i from the receiver makes it %s', async (service, status, result, hint) => {
  await using final = await startTarget();
  await using receiver = await aReceiver(service, { handler: answering(status, { location: final.url }) });

  await triggered(service);

  const delivery = await theDelivery(service);
  expect(delivery).toMatchObject({ status: result, response_status: status, error: null, attempt: 1 });
  if (hint) expect(delivery.hint).toMatch(hint);
  else expect(delivery.hint).toBeNull();
  expect([receiver.connections, final.connections]).toEqual([1, 0]);
});

/** A timeout that no attempt reaches; only the receiver ends an attempt. */
const NEVER_MS = 3_600_000;

type Failing = readonly [receiver: { readonly url: string }, error: RegExp, hint: RegExp];

/** Sends an event to these receivers; checks that each delivery records what was wrong. */
async function expectFailures(timeoutMs: number, cases: readonly Failing[]): Promise<void> {
  await using service = await startService({ outside: { timeoutMs } });
  const ids: string[] = [];
  for (const [{ url }] of cases) ids.push((await service.call(REGISTER, { body: { url } })).body.id);

  await triggered(service);

  for (const [index, [, error, hint]] of cases.entries()) {
    const [delivery] = await deliveriesOf(service, { webhook_id: ids[index] ?? '' });
    expect(delivery).toMatchObject({ status: 'pending', attempt: 1, response_status: null });
    expect(delivery?.error).toMatch(error);
    expect(delivery?.hint).toMatch(hint);
    expect(delivery?.next_at).toBe(new Date(NOON + 5_000).toISOString());
  }
}

test('delivery: a receiver that hangs fails with that, and with the time it had', async () => {
  await using hanging = await startRawTarget({ then: 'silence' });
  await expectFailures(300, [[hanging, /in time/, /No answer within 0\.3 s/]]);
});

test('delivery: a receiver that closes, resets, or sends no HTTP fails with the reason', async () => {
  await using closing = await startRawTarget();
  await using resetting = await startRawTarget({ then: 'reset' });
  await using babbling = await startRawTarget({ answer: 'hello\r\n\r\n' });
  const gone = await startTarget();
  await gone[Symbol.asyncDispose]();
  await expectFailures(NEVER_MS, [
    [closing, /closed the connection/, /did it crash/],
    [resetting, /ECONNRESET|closed the connection/, /did it crash/],
    [babbling, /no HTTP/, /is the port of the URL right/],
    [gone, /ECONNREFUSED/, /Nothing listens at 127\.0\.0\.1:\d+/],
  ]);
});

test.eachWith([
  [101, 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n', /WebSocket/],
  [700, 'HTTP/1.1 700 Else\r\ncontent-length: 0\r\n\r\n', /status/],
])(
  'delivery: status %i, which is no response, is reported precisely',
  async (service, status, answer, hint) => {
    await using receiver = await startRawTarget({ answer });
    await service.call(REGISTER, { body: { url: receiver.url } });

    await triggered(service);

    const delivery = await theDelivery(service);
    expect(delivery).toMatchObject({ status: 'pending', response_status: status });
    expect(delivery.hint).toMatch(hint);
  },
);

test('delivery: a 2xx counts whatever comes after its head', async () => {
  await using service = await startService({ outside: { timeoutMs: 2000 } });
  const huge = Buffer.alloc(1024 * 1024, 'x');
  const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
  await using large = await startTarget({ handler: (_, response) => response.end(huge) });
  await using cut = await startRawTarget({ answer: `${head(100)}some` });
  await using endless = await startRawTarget({ answer: head(100), then: 'silence' });
  const secrets: string[] = [];
  for (const { url } of [large, cut, endless]) {
    secrets.push((await service.call(REGISTER, { body: { url } })).body.secret ?? '');
  }

  await triggered(service);

  expect(large.requests).toHaveLength(1);
  verifyEach(secrets[0] ?? '', large.requests);

  const deliveries = await deliveriesOf(service);
  expect(deliveries).toHaveLength(3);
  for (const { status, response_status, error } of deliveries) {
    expect([status, response_status, error]).toEqual(['delivered', 200, null]);
  }
});

test('delivery: https is trusted with egress.extra_roots, and reported without', async () => {
  const root = await createAuthority('a root', Date.now());
  const identity = await root.issue({ subject: 'receiver', names: ['127.0.0.1'], usage: 'server' });
  await using service = await startService();
  await using target = await startTarget({ tls: identity });
  const { secret = '' } = (await service.call(REGISTER, { body: { url: target.url } })).body;

  const event = await triggered(service);
  const untrusted = await theDelivery(service);
  await service.call(SETTINGS, { body: { egress: { extra_roots: [root.certificate] } } });
  await pass(service, '5s');

  expect(untrusted).toMatchObject({ status: 'pending', response_status: null });
  expect(untrusted.hint).toContain('egress.extra_roots');
  expect(await theDelivery(service)).toMatchObject({ status: 'delivered', attempt: 2 });
  expect(verified(secret, theRequest(target), NOON + 5_000)).toEqual(event.body);
});

test('delivery: the egress policy is asked again each time', async (service) => {
  await using receiver = await aReceiver(service);
  const allow = (policy: 'strict' | 'local') => service.call(SETTINGS, { body: { egress: { policy } } });
  await allow('strict');

  await triggered(service);
  const refused = await theDelivery(service);
  await allow('local');
  await pass(service, '5s');

  expect(refused).toMatchObject({ status: 'pending', response_status: null });
  expect(refused.error).toContain('egress policy strict refuses');
  expect(refused.hint).toContain('egress.policy');
  expect(await theDelivery(service)).toMatchObject({ status: 'delivered', attempt: 2 });
  expect(receiver.connections).toBe(1);
});

test('delivery: every enabled endpoint that wants the kind gets it, and no other', async (service) => {
  await using all = await aReceiver(service);
  await using some = await aReceiver(service, { body: { kinds: [COMPLETED] } });
  await using others = await aReceiver(service, { body: { kinds: ['vault.updated'] } });
  await using off = await aReceiver(service, { body: { enabled: false } });

  expect((await triggered(service)).deliveries).toHaveLength(2);
  expect([all, some, others, off].map(({ requests }) => requests.length)).toEqual([1, 1, 0, 0]);
});

test('delivery: two endpoints that hang hold no third up', async () => {
  await using service = await startService({ outside: { timeoutMs: NEVER_MS } });
  await using one = await startRawTarget({ then: 'silence' });
  await using two = await startRawTarget({ then: 'silence' });
  for (const { url } of [one, two]) await service.call(REGISTER, { body: { url } });
  await using receiver = await aReceiver(service);

  await service.call(TRIGGER, { body: { kind: COMPLETED, count: 100 } });

  await vi.waitFor(() => expect(receiver.requests).toHaveLength(100), { timeout: NEVER_MS });
  await vi.waitFor(
    async () =>
      expect(await deliveriesOf(service, { webhook_id: receiver.id, status: 'pending' })).toEqual([]),
    { timeout: NEVER_MS },
  );
  expect([one.connections, two.connections]).toEqual([8, 8]);
  const more = await service.call(TRIGGER, { body: { kind: COMPLETED, webhook_id: receiver.id } });
  await vi.waitFor(() => expect(receiver.requests.map(idOf)).toContain(more.body.id), { timeout: NEVER_MS });
});

test('delivery: no more than eight are on their way to one endpoint, sixteen in all, and none twice', async (service) => {
  let [open, most] = [0, 0];
  const gate = aGate(200);
  const handler: TargetHandler = async (...call) => {
    most = Math.max(most, ++open);
    await gate.handler(...call);
    open -= 1;
  };
  /** Sends forty events; waits until exactly `atOnce` of them have reached the receivers before any is answered. */
  const sendForty = async (atOnce: number) => {
    gate.shut();
    await service.call(TRIGGER, { body: { kind: COMPLETED, count: 40 } });
    await expect.poll(() => open).toBe(atOnce);
    gate.open();
    await settled(service);
  };
  await using one = await aReceiver(service, { handler });

  await sendForty(8);
  const mostToOne = most;
  await using two = await aReceiver(service, { handler });
  await using three = await aReceiver(service, { handler });
  await sendForty(16);

  expect([mostToOne, most]).toEqual([8, 16]);
  for (const [{ requests }, sent] of [
    [one, 80],
    [two, 40],
    [three, 40],
  ] as const) {
    expect(requests).toHaveLength(sent);
    expect(new Set(requests.map(idOf)).size).toBe(sent);
  }
});

test('resend: the same event under the same id, freshly signed, in a series of its own', async (service) => {
  await using receiver = await aReceiver(service);
  await using other = await aReceiver(service, { body: { kinds: ['vault.updated'] } });
  const { body: event } = await service.call(TRIGGER, { body: { kind: COMPLETED } });
  await pass(service, '1h');

  const params = { id: event.id };
  const { body: again } = await service.call(RESEND, { params });
  const { body: chosen } = await service.call(RESEND, { params, body: { webhook_id: other.id } });
  await settled(service);

  expect(again.data).toMatchObject([{ event_id: event.id, webhook_id: receiver.id, ...UNTRIED }]);
  expect(chosen.data).toMatchObject([{ webhook_id: other.id }]);
  const [first, second] = receiver.requests.map(({ body }) => String(body));
  expect(receiver.requests.map(idOf)).toEqual([event.id, event.id]);
  expect(second).toBe(first);
  verified(other.secret, theRequest(other), NOON);
  expect(await deliveriesOf(service, { event_id: event.id })).toHaveLength(3);
});

test('resend: an unknown event or endpoint is 404, a disabled endpoint 400', async (service) => {
  await using off = await aReceiver(service, { body: { enabled: false } });
  const { id } = (await service.call(TRIGGER, { body: { kind: COMPLETED } })).body;
  const resend = async (eventId: string, webhook_id?: string) =>
    (await service.refused(RESEND, { params: { id: eventId }, body: { webhook_id } })).code;

  expect(await resend('evt_unknown')).toBe('not_found');
  expect(await resend(id, 'whk_unknown')).toBe('not_found');
  expect(await resend(id, off.id)).toBe('invalid_request');
  expect((await service.call(RESEND, { params: { id } })).body.data).toEqual([]);
});

test('lists: events by kind, id, entity and time, newest first', async (service) => {
  const fp_id = await service.user();
  const { body: first } = await service.call(TRIGGER, { body: { kind: COMPLETED, fp_id } });
  await pass(service, '1m');
  const { body: second } = await service.call(TRIGGER, { body: { kind: 'vault.updated' } });
  const found = async (query: Record<string, string>) =>
    (await service.call('GET /_kyclone/events', { query })).body.data.map(({ id }) => id);

  expect(await found({})).toEqual([second.id, first.id]);
  expect(await found({ kind: COMPLETED })).toEqual([first.id]);
  expect(await found({ event_id: second.id })).toEqual([second.id]);
  expect(await found({ fp_id })).toEqual([first.id]);
  expect(await found({ since: new Date(NOON + 60_000).toISOString() })).toEqual([second.id]);
  const { data } = (await service.call('GET /_kyclone/events', { query: { event_id: first.id } })).body;
  const { deliveries, ...event } = first;
  expect(deliveries).toEqual([]);
  expect(data).toEqual([{ ...event, masked_name: 'W*** O***' }]);
});

test('emit: further kinds are sent with events.extended only, and nothing is when the change is undone', async () => {
  const { webhooks, call, queue, space, published, wakes, receiving } = aPart();
  await using receiver = await receiving();
  const emit = (kind: EventKind, isUndone = false) =>
    queue.write((database) => {
      webhooks.events.emit(database, space, { kind, fp_id: 'fp_id_x', members: { external_id: 'yours' } });
      if (isUndone) throw new Error('undone');
    });

  await emit('vault.updated');
  await emit(COMPLETED);
  await expect(emit(COMPLETED, true)).rejects.toThrow('undone');
  await call('PATCH /_kyclone/settings', { body: { events: { extended: true } } });
  await emit('vault.updated');
  const attempts = await webhooks.due.run();

  const { data } = await call('GET /_kyclone/events', {});
  expect(data.map(({ kind }) => kind)).toEqual(['vault.updated', COMPLETED]);
  expect(data[1]?.body).toEqual({
    event_kind: `service.${COMPLETED}`,
    fp_id: 'fp_id_x',
    is_live: false,
    timestamp: new Date(NOON).toISOString(),
    external_id: 'yours',
  });
  const place = { tenant: 'default', environment: 'sandbox', masked_name: undefined };
  expect(published.filter(({ type }) => type === 'event')).toEqual([
    { type: 'event', data: { ...data[1], ...place } },
    { type: 'event', data: { ...data[0], ...place } },
  ]);
  expect([attempts, receiver.requests.length, wakes.length]).toEqual([2, 2, 2]);
});

test('attempts: each is published on the stream as the delivery then is, without the query of its URL', async () => {
  const { webhooks, call, published, clock, receiving } = aPart();
  let status = 500;
  await using receiver = await receiving({ handler: (...call) => answering(status)(...call) });
  const url = `${receiver.url}/hooks`;
  const body = { url: `${url}?token=confidential` };
  await call('PATCH /_kyclone/webhooks/{id}', { params: { id: receiver.id }, body });

  await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });
  await webhooks.due.run();
  status = 200;
  clock.advance(5_000);
  await webhooks.due.run();

  const views = published.filter(({ type }) => type === 'delivery').map(({ data }) => data);
  expect(views).toMatchObject([
    { url, kind: COMPLETED, status: 'pending', attempt: 1, response_status: 500 },
    { url, kind: COMPLETED, status: 'delivered', attempt: 2, response_status: 200 },
  ]);
  expect(views[1]).toEqual({
    ...(await call('GET /_kyclone/deliveries', {})).data[0],
    url,
    masked_name: undefined,
  });
  expect(JSON.stringify(published)).not.toContain('confidential');
  expect(receiver.requests.map(({ path }) => path)).toEqual(Array(2).fill('/hooks?token=confidential'));
});

test('run: calls that come together attempt nothing twice, and what comes meanwhile is taken along', async () => {
  const { webhooks, call, receiving } = aPart();
  const gate = aGate(200);
  gate.shut();
  await using receiver = await receiving(gate);
  const { due } = webhooks;
  expect(due.nextAt()).toBeUndefined();

  await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });
  expect(due.nextAt()).toBe(NOON);
  const runs = [due.run(), due.run()];
  await expect.poll(() => receiver.requests).toHaveLength(1);
  expect(due.nextAt()).toBeUndefined();
  await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });
  await expect.poll(() => receiver.requests).toHaveLength(2);
  expect(due.pending()).toBe(2);
  gate.open();
  await due.idle();

  expect(await Promise.all(runs)).toEqual([2, 2]);
  expect(receiver.requests).toHaveLength(2);
  expect([due.pending(), await due.run()]).toEqual([0, 0]);
});

test('run: what could not be recorded rests for a minute, and is then made again', async () => {
  const endFaking = fakeTimers('setTimeout', 'clearTimeout');
  const { webhooks, call, database, wakes, receiving } = aPart();
  await using receiver = await receiving();
  await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });
  database.exec(`CREATE TRIGGER broken BEFORE INSERT ON delivery_attempts
    BEGIN SELECT RAISE(ABORT, 'no room'); END`);

  const [first, second] = [await webhooks.due.run(), await webhooks.due.run()];
  database.exec('DROP TRIGGER broken');
  vi.advanceTimersByTime(59_999);
  const tooEarly = webhooks.due.nextAt();
  const before = wakes.length;
  vi.advanceTimersByTime(1);

  expect([first, second, receiver.requests.length, tooEarly]).toEqual([0, 0, 1, undefined]);
  expect([webhooks.due.nextAt(), wakes.length - before]).toEqual([NOON, 1]);
  endFaking();
  expect(await webhooks.due.run()).toBe(1);
  expect((await call('GET /_kyclone/deliveries', {})).data).toMatchObject([
    { status: 'delivered', attempt: 1 },
  ]);
});

/** A registered receiver that never answers, and an event for it. */
async function aHangingReceiver(call: ReturnType<typeof aPart>['call']) {
  const target = await startRawTarget({ then: 'silence' });
  await call('POST /_kyclone/webhooks', { body: { url: target.url } });
  const { id } = await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });
  const hasEvent = () => expect.poll(() => target.received.map(String).join('')).toContain(id);
  return Object.assign(target, { hasEvent });
}

test('run: an endpoint that hangs keeps no other one waiting for its next attempt', async () => {
  const { webhooks, call, wakes, receiving } = aPart();
  await using failing = await receiving({ handler: answering(500) });
  await using hanging = await aHangingReceiver(call);

  const before = wakes.length;
  const run = webhooks.due.run();
  await hanging.hasEvent();
  await expect.poll(() => wakes.length - before).toBe(1);
  expect([failing.requests.length, webhooks.due.nextAt()]).toEqual([1, NOON + 5_000]);
  await webhooks.stop();
  expect(await run).toBe(1);
});

test('stop: abandons attempts in progress; they are not recorded, and due after the next start', async () => {
  const { webhooks, call, published, restarted } = aPart();
  await using receiver = await aHangingReceiver(call);

  const run = webhooks.due.run();
  await receiver.hasEvent();
  await webhooks.stop();

  expect(await run).toBe(0);
  await expect.poll(() => receiver.open).toBe(0);
  expect((await call('GET /_kyclone/deliveries', {})).data).toMatchObject([UNTRIED]);
  expect([webhooks.due.nextAt(), await webhooks.due.run()]).toEqual([undefined, 0]);
  expect(published.map(({ type }) => type)).toEqual(['event']);
  expect(restarted().due.nextAt()).toBe(NOON);
});

test('reset: abandons attempts in progress, and records nothing under a reused id', async () => {
  const { webhooks, call, queue, database, published } = aPart();
  await using receiver = await aHangingReceiver(call);
  const row = database.prepare('SELECT * FROM deliveries').get();
  const event = database.prepare('SELECT * FROM events').get();

  const run = webhooks.due.run();
  await receiver.hasEvent();
  await queue.write((current) => {
    expect(webhooks.reset(current, { hard: false })).toEqual({ events: 1, deliveries: 1 });
    current
      .prepare('INSERT INTO events VALUES (@seq, @id, @space, @kind, @fp_id, @body, @created_at)')
      .run(event);
    const columns = '@seq, @id, @event, @webhook, @status, @attempts, NULL, @mischief, @created_at';
    current.prepare(`INSERT INTO deliveries VALUES (${columns})`).run(row);
  });
  await run;
  await expect.poll(() => receiver.open).toBe(0);

  expect((await call('GET /_kyclone/deliveries', {})).data).toMatchObject([UNTRIED]);
  expect(published.map(({ type }) => type)).toEqual(['event']);
});
