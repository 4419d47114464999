/** When a failed delivery is tried again, and when it no longer is (contract §9.1). */
import { expect } from 'vitest';
import { NOON, startService, type TestService } from '../../support/service.ts';
import { aPart } from './a-part.ts';
import {
  aGate,
  aReceiver,
  answering,
  BY_CLOCK,
  CLOCK,
  COMPLETED,
  deliveriesOf,
  idOf,
  pass,
  settled,
  theDelivery,
  theRequest,
  TRIGGER,
  verified,
  triggered,
} from './a-receiver.ts';
import { test } from '../../support/test-with.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Contract §9.1: the wait before each attempt, counted from the failure before. */
const WAITS = [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const TIMES = WAITS.map((_, index) => WAITS.slice(0, index + 1).reduce((sum, wait) => sum + wait, NOON));
const REASON: unknown = expect.stringMatching(/^Every attempt has failed since 2026-/);
const DISABLED = { enabled: false, disabled_reason: REASON };

const endpointOf = async (service: TestService, id: string) =>
  (await service.call('GET /_kyclone/webhooks/{id}', { params: { id } })).body;
const trigger = async (service: TestService) =>
  (await service.call(TRIGGER, { body: { kind: COMPLETED } })).body;

test('retries: a frozen clock moved by 28 h walks all eight attempts, each at its time and freshly signed', async () => {
  await using service = await startService({ settings: BY_CLOCK });
  await using receiver = await aReceiver(service, { handler: answering(500) });
  await service.call(CLOCK, { body: { action: 'freeze' } });
  const event = await triggered(service);

  expect(await pass(service, '28h')).toBe(7);
  expect(receiver.requests.map(idOf)).toEqual(WAITS.map(() => event.id));
  for (const [index, request] of receiver.requests.entries()) {
    const at = TIMES[index] ?? 0;
    expect(request.headers['webhook-timestamp']).toBe(String(at / 1000));
    expect(request.body.equals(receiver.requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
    expect(verified(receiver.secret, request, at)).toEqual(event.body);
  }
  const delivery = await theDelivery(service);
  expect(delivery).toMatchObject({ status: 'failed', attempt: 8, next_at: null, response_status: 500 });
  expect(delivery.attempts.map(({ attempt, at }) => [attempt, Date.parse(at)])).toEqual(
    TIMES.map((at, index) => [index + 1, at]),
  );
  expect(await pass(service, '10d')).toBe(0);
  expect(await endpointOf(service, receiver.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test('signature: shows the real time while the clock is moved, and the body the time of the clock', async (service) => {
  await using receiver = await aReceiver(service);
  await pass(service, '3d');
  const event = await triggered(service);
  expect(verified(receiver.secret, theRequest(receiver), NOON)).toEqual(event.body);
  expect(event.body['timestamp']).toBe(new Date(NOON + 72 * HOUR).toISOString());
});

test('signature: a refusal while it shows the clock names how far off that is', async () => {
  await using service = await startService({ settings: BY_CLOCK });
  await using receiver = await aReceiver(service, { handler: answering(401) });
  for (const [by, off] of [
    ['4m', undefined],
    ['3d', '3d 4m ahead of'],
    [-4 * 24 * HOUR, '23h 56m behind'],
  ] as const) {
    await service.call(CLOCK, { body: { action: 'offset', by } });
    await triggered(service);
    const [{ hint } = { hint: null }] = await deliveriesOf(service, { webhook_id: receiver.id });
    if (off === undefined) expect(hint).toContain('raw bytes');
    else expect(hint).toContain(`its timestamp is ${off} the real time, since webhooks.timestamp is clock`);
  }
});

test('clock: after a return to the real time, a delivery that failed in its future is tried soon', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(503) });
  await pass(service, '3d');
  await triggered(service);
  expect(Date.parse((await theDelivery(service)).next_at ?? '')).toBe(NOON + 72 * HOUR + 5 * SECOND);
  await service.call(CLOCK, { body: { action: 'resume' } });
  expect(Date.parse((await theDelivery(service)).next_at ?? '')).toBe(NOON + 5 * SECOND);
  expect(await pass(service, '5s')).toBe(1);
  expect(receiver.requests).toHaveLength(2);
});

test('clock: a step back leaves a wait that began before the time that it goes back to', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(503) });
  await triggered(service);
  await pass(service, '4s');
  const { next_at } = await theDelivery(service);
  await service.call(CLOCK, { body: { action: 'offset', by: -3_000 } });
  expect((await theDelivery(service)).next_at).toBe(next_at);
  expect(receiver.requests).toHaveLength(1);
});

test('clock: after a return to the real time, the 5 days of failures that began in its future go on', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(500) });
  await pass(service, '10d');
  await triggered(service);
  await service.call(CLOCK, { body: { action: 'resume' } });
  await pass(service, '5d');
  await triggered(service);
  expect(await endpointOf(service, receiver.id)).toMatchObject(DISABLED);
});

test('retries: an endpoint that has failed for 5 days is disabled, and its pending deliveries have failed', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(500) });
  const params = { id: receiver.id };
  await trigger(service);
  await pass(service, '4d');
  await trigger(service);
  await pass(service, 24 * HOUR - 1);
  expect(await endpointOf(service, receiver.id)).toMatchObject({ enabled: true });

  await pass(service, 1);
  await triggered(service);

  expect(await endpointOf(service, receiver.id)).toMatchObject(DISABLED);
  expect((await deliveriesOf(service)).map(({ status, attempt }) => [status, attempt])).toEqual([
    ['failed', 1],
    ['failed', 7],
    ['failed', 8],
  ]);
  const sent = receiver.requests.length;
  expect((await trigger(service)).deliveries).toEqual([]);
  expect(await pass(service, '2d')).toBe(0);
  const { body } = await service.call('PATCH /_kyclone/webhooks/{id}', { params, body: { enabled: true } });
  expect(body).toMatchObject({ enabled: true, disabled_reason: null });
  await triggered(service);
  expect(receiver.requests).toHaveLength(sent + 1);
  expect(await endpointOf(service, receiver.id)).toMatchObject({ enabled: true });
});

test('retries: an attempt in progress keeps its result when its endpoint is disabled automatically or by hand', async (service) => {
  const gate = aGate(500);
  await using receiver = await aReceiver(service, gate);
  const params = { id: receiver.id };
  const twoUnderWay = async () => {
    const before = receiver.requests.length;
    gate.shut();
    await service.call(TRIGGER, { body: { kind: COMPLETED, count: 2 } });
    await expect.poll(() => receiver.requests).toHaveLength(before + 2);
  };
  await trigger(service);
  await pass(service, '5d');

  await twoUnderWay();
  await service.call('PATCH /_kyclone/webhooks/{id}', { params, body: { enabled: false } });
  gate.open();
  await settled(service);
  expect(await endpointOf(service, receiver.id)).toMatchObject({ enabled: false, disabled_reason: null });
  const held = await deliveriesOf(service, { status: 'pending' });
  expect(held.map(({ attempt, next_at }) => [attempt, next_at])).toEqual([
    [1, null],
    [1, null],
  ]);

  await service.call('PATCH /_kyclone/webhooks/{id}', { params, body: { enabled: true } });
  await pass(service, '5d');
  await twoUnderWay();
  gate.open();
  await settled(service);
  expect(await endpointOf(service, receiver.id)).toMatchObject(DISABLED);
  for (const last of (await deliveriesOf(service)).slice(0, 2))
    expect(last).toMatchObject({ status: 'failed', attempt: 1, next_at: null });
});

test('retries: a success between restarts the 5 days', async (service) => {
  let status = 500;
  await using receiver = await aReceiver(service, { handler: (...call) => answering(status)(...call) });
  for (const next of [500, 200, 500, 500]) {
    status = next;
    await trigger(service);
    await pass(service, '3d');
  }

  expect(await endpointOf(service, receiver.id)).toMatchObject({ enabled: true });
});

test('retries: are counted from the failure, not from when the attempt was begun', async () => {
  const { webhooks, call, clock, receiving } = aPart();
  await using _receiver = await receiving({
    handler: (...call) => {
      clock.advance(2_000);
      answering(500)(...call);
    },
  });
  await call('POST /_kyclone/events/trigger', { body: { kind: COMPLETED } });

  await webhooks.due.run();

  expect((await call('GET /_kyclone/deliveries', {})).data).toMatchObject([
    { at: new Date(NOON).toISOString(), next_at: new Date(NOON + 7 * SECOND).toISOString() },
  ]);
});
