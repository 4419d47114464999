/** Deliberate errors of deliveries, which a receiver must handle. */
import { expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import {
  aGate,
  aReceiver,
  nobodyThere,
  answering,
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

type Tampering = NonNullable<RequestOf<typeof TRIGGER>['body']['tampering']>;
const HOUR = 3_600_000;

async function trigger(service: TestService, tampering: Tampering, count = 1) {
  const body = await triggered(service, { count, tampering });
  return { events: [body, ...(body.others ?? [])], deliveries: body.deliveries };
}

test('duplicate: the same event comes twice to each endpoint, as two deliveries', async (service) => {
  await using one = await aReceiver(service);
  await using two = await aReceiver(service);

  const { events, deliveries } = await trigger(service, { duplicate: true });

  for (const { requests } of [one, two]) {
    expect(requests.map(idOf)).toEqual([events[0]?.id, events[0]?.id]);
  }
  expect(new Set(deliveries).size).toBe(4);
});

test('shuffle: two events come the other way round, one after the other', async (service) => {
  let [open, most] = [0, 0];
  await using receiver = await aReceiver(service, {
    handler: (request, response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open -= 1;
        answering(200)(request, response);
      });
    },
  });

  const { events } = await trigger(service, { shuffle: true }, 2);

  expect(receiver.requests.map(idOf)).toEqual(events.map(({ id }) => id).reverse());
  expect(events.map(({ body }) => Date.parse(String(body['timestamp'])))).toEqual([NOON - 1, NOON]);
  expect(most).toBe(1);
});

test('shuffle: deliveries in progress to an endpoint are not merged, and others continue', async (service) => {
  const gate = aGate(200);
  gate.shut();
  await using receiver = await aReceiver(service, gate);
  const body = { kind: COMPLETED, webhook_id: receiver.id, count: 4, tampering: { shuffle: true } };
  await service.call(TRIGGER, { body });
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await using other = await aReceiver(service);

  for (let sent = 1; sent <= 3; sent++) {
    await service.call(TRIGGER, { body: { kind: COMPLETED, webhook_id: other.id } });
    await expect.poll(() => other.requests).toHaveLength(sent);
  }

  expect(receiver.connections).toBe(1);
  gate.open();
  await settled(service);
  expect(receiver.requests).toHaveLength(4);
});

test.each(['a', 'b', 'c'])(
  'shuffle: ten events come in another order than they happened in (%s)',
  async (seed) => {
    await using service = await startService({ seed });
    await using receiver = await aReceiver(service);

    const { events } = await trigger(service, { shuffle: true }, 10);

    const [came, happened] = [receiver.requests.map(idOf), events.map(({ id }) => id)];
    expect(came).not.toEqual(happened);
    expect([...came].sort()).toEqual([...happened].sort());
  },
);

test('bad_signature: one attempt that no receiver should take; refused, it is not held against the endpoint', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(401), takesAnything: true });

  const { events } = await trigger(service, { bad_signature: true });
  await pass(service, '6d');

  const request = theRequest(receiver);
  expect(idOf(request)).toBe(events[0]?.id);
  expect(() => verified(receiver.secret, request, NOON)).toThrow('No matching signature');
  expect(await theDelivery(service)).toMatchObject({
    status: 'failed',
    attempt: 1,
    next_at: null,
    response_status: 401,
    hint: 'refused, as it should be',
  });
  expect(service.database.prepare('SELECT failing_since FROM webhooks').pluck().get()).toBeNull();
});

test('bad_signature: a receiver that takes it gets a notice that it does not verify', async (service) => {
  await using receiver = await aReceiver(service, { takesAnything: true });

  await trigger(service, { bad_signature: true });

  expect(theRequest(receiver).headers).toHaveProperty('webhook-signature');
  expect(await theDelivery(service)).toMatchObject({
    status: 'delivered',
    hint: "the receiver accepted a bad signature: it doesn't verify",
  });
});

test.eachWith([
  [-HOUR, /accepted an old timestamp/],
  [HOUR, /accepted a future timestamp/],
  [-60_000, /60 s off/],
])('skew_ms: %i ms off, but properly signed', async (service, skew_ms, hint) => {
  await using receiver = await aReceiver(service);

  await trigger(service, { skew_ms });

  const request = theRequest(receiver);
  expect(request.headers['webhook-timestamp']).toBe(String((NOON + skew_ms) / 1000));
  verified(receiver.secret, request, NOON + skew_ms);
  if (Math.abs(skew_ms) === HOUR) {
    expect(() => verified(receiver.secret, request, NOON)).toThrow(/timestamp too (old|new)/);
  }
  const delivery = await theDelivery(service);
  expect(delivery.status).toBe('delivered');
  expect(delivery.hint).toMatch(hint);
});

test('skew_ms and bad_signature: together, refused and not tried again', async (service) => {
  await using receiver = await aReceiver(service, { handler: answering(400), takesAnything: true });

  await trigger(service, { bad_signature: true, skew_ms: -HOUR });
  await pass(service, '1d');

  const request = theRequest(receiver);
  expect(() => verified(receiver.secret, request, NOON - HOUR)).toThrow('No matching signature');
  expect(await theDelivery(service)).toMatchObject({ status: 'failed', hint: 'refused, as it should be' });
});

test('bad_signature: a receiver that is not there has refused nothing', async (service) => {
  await nobodyThere(service);

  await trigger(service, { bad_signature: true });

  const delivery = await theDelivery(service);
  expect(delivery).toMatchObject({ status: 'failed', response_status: null });
  expect(delivery.hint).toContain('Nothing listens');
});

test('drop_first: the first attempt is lost on its way, the next comes by the schedule', async (service) => {
  await using receiver = await aReceiver(service);

  const { events } = await trigger(service, { drop_first: true });
  const dropped = await theDelivery(service);
  const failingSince = service.database.prepare('SELECT failing_since FROM webhooks').pluck();
  expect([receiver.connections, failingSince.get()]).toEqual([0, null]);
  await pass(service, '5s');

  expect(dropped).toMatchObject({ status: 'pending', attempt: 1, error: 'dropped on purpose', ms: 0 });
  expect(dropped.next_at).toBe(new Date(NOON + 5_000).toISOString());
  expect(idOf(theRequest(receiver))).toBe(events[0]?.id);
  verified(receiver.secret, theRequest(receiver), NOON + 5_000);
  expect(await theDelivery(service)).toMatchObject({ status: 'delivered', attempt: 2 });
});

test.eachWith([
  ['shuffle', { shuffle: true }],
  ['drop_first', { drop_first: true, bad_signature: true }],
  ['drop_first', { drop_first: true, skew_ms: 1_000 }],
  ['skew_ms', { skew_ms: 0 }],
  ['skew_ms', { skew_ms: 31_536_000_001 }],
])('tampering: %s is refused in %j', async (service, member, tampering) => {
  const refusal = await service.refused(TRIGGER, { body: { kind: COMPLETED, tampering } });

  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', member));
  expect(await deliveriesOf(service)).toEqual([]);
});

test('tampering: a request with the name of before is refused, with the name of now', async (service) => {
  const body = { kind: COMPLETED, mischief: { duplicate: true } };

  expect(await service.refused(TRIGGER, { body })).toMatchObject(
    failureOf(400, 'invalid_request', 'There is no member mischief: it is called tampering now'),
  );
  expect(await deliveriesOf(service)).toEqual([]);
});
