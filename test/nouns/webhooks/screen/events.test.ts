import { expect } from 'vitest';
import { deliveriesScreen, deliveryScreen } from '../../../../src/nouns/webhooks/screen/deliveries.ts';
import { eventsScreen, eventScreen } from '../../../../src/nouns/webhooks/screen/events.ts';
import {
  answering,
  aReceiver,
  BY_CLOCK,
  COMPLETED,
  nobodyThere,
  settled,
  TRIGGER,
  triggered,
} from '../a-receiver.ts';
import { parseHeaders, verifyWebhook } from '../../../../src/nouns/webhooks/commands/verify.ts';
import { NOON, startService } from '../../../support/service.ts';
import { testWith } from '../../../support/test-with.ts';
import { aSource, cellsOf, factsOf, loadPane, toneAt } from '../../../tui/screens/a-source.ts';

/** Makes an event that one receiver has accepted and another one refused. */
async function anEvent(options: Parameters<typeof startService>[0] = {}) {
  const service = await startService(options);
  const { port } = await service.listen();
  const taking = await aReceiver(service);
  const refusing = await aReceiver(service, { handler: answering(500) });
  const fp_id = await service.user();
  const event = await triggered(service, { fp_id });
  return {
    service,
    port,
    taking,
    refusing,
    fp_id,
    event,
    source: aSource(port),
    async [Symbol.asyncDispose]() {
      await taking[Symbol.asyncDispose]();
      await refusing[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const test = testWith(anEvent);

test('events: the newest is first, and leads to the event', async (world) => {
  const { service, source, event, fp_id } = world;
  const { body: newer } = await service.call(TRIGGER, { body: { kind: 'user.manual_review', fp_id } });
  const list = { source, screen: eventsScreen, title: 'Events', size: 1 };
  const first = await loadPane(list);
  expect(first.rows.map(({ id }) => id)).toEqual([newer.id]);
  const second = await loadPane(list, first.next ?? '');
  expect(cellsOf(second)).toEqual([['2026-03-01 12:00:00', COMPLETED, 'pass', 'W*** O***', fp_id, event.id]]);
  expect(toneAt(second.rows[0], 2)).toBe('good');
  const path = `/_kyclone/events?event_id=${event.id}`;
  expect(second.rows[0]).toMatchObject({
    command: ['api', 'GET', path],
    call: { method: 'GET', path },
    opens: { screen: 'event', params: { event_id: event.id } },
    subject: { kind: 'event', event_id: event.id },
  });
});

test('event: what it is, its body, and its deliveries', async (world) => {
  const { service, source, event, fp_id, taking, refusing } = world;
  await service.call(TRIGGER, { body: { kind: COMPLETED } });
  const of = (title: string) =>
    loadPane({ source, screen: eventScreen, title, params: { event_id: event.id } });
  const facts = await of('Event');
  expect(factsOf(facts)).toMatchObject({ event: event.id, status: 'pass', 'user or business': fp_id });
  expect(facts.rows.find(({ opens }) => opens)?.opens).toEqual({
    screen: 'entity',
    params: { fp_id, kind: 'user' },
  });
  const body = cellsOf(await of('Body')).join('\n');
  expect(JSON.parse(body)).toEqual(event.body);
  expect((await of('Deliveries')).rows.map(({ subject }) => subject)).toEqual(
    [refusing, taking].map(({ id }) => ({ kind: 'event', event_id: event.id, webhook_id: id })),
  );
});

test('event: one that is gone is an empty list', async (world) => {
  const params = { event_id: 'evt_0000000000000000000000' };
  const { rows } = await loadPane({ source: world.source, screen: eventScreen, title: 'Event', params });
  expect(rows).toEqual([]);
});

test('deliveries: each shows its result, and can be sent again to its endpoint', async (world) => {
  const { source, event, taking, refusing } = world;
  const page = await loadPane({ source, screen: deliveriesScreen, title: 'Deliveries' });
  expect(cellsOf(page).map(([, status, who, , answer]) => [status, who, answer])).toEqual([
    ['failing (1 of 8)', 'W*** O***', '500'],
    ['delivered', 'W*** O***', '200'],
  ]);
  expect(page.rows.map((row) => [toneAt(row, 1), toneAt(row, 4)])).toEqual([
    ['warn', 'bad'],
    ['good', 'good'],
  ]);
  expect(cellsOf(page).map((cells) => cells.at(-1))).toEqual(
    [refusing, taking].map(({ url }) => `${url}/hooks`),
  );
  expect(page.rows[1]).toMatchObject({
    command: ['webhooks', 'deliveries', '--event', event.id, '--webhook', taking.id],
    call: { path: `/_kyclone/deliveries?event_id=${event.id}&webhook_id=${taking.id}` },
    opens: { screen: 'delivery', params: { delivery_id: page.rows[1]?.id, event_id: event.id } },
    subject: { kind: 'event', event_id: event.id, webhook_id: taking.id },
  });
});

test('events and deliveries: name the person or business as other lists do, and once it is deleted its id', async () => {
  await using service = await startService();
  await using _receiver = await aReceiver(service);
  const { port } = await service.listen();
  const source = aSource(port);
  const person = await service.user({ 'id.first_name': 'Quinn', 'id.last_name': 'Okafor' });
  const { body: business } = await service.call('POST /businesses', {
    body: { 'business.name': 'Acme Bank' },
  });
  for (const fp_id of [business.id, person]) await triggered(service, { fp_id });
  const { data: listed } = (await service.call('GET /_kyclone/entities')).body;
  const nameOf = (fp_id: string) => listed.find(({ id }) => id === fp_id)?.masked_name;
  const whoIn = async (screen: typeof eventsScreen, title: string, at: number) =>
    (await loadPane({ source, screen, title })).rows.map(({ cells, who }) => [cells[at], who]);
  const names = [person, business.id].map(nameOf);
  expect(names).toEqual(['Q*** O***', expect.any(String)]);
  const expected = names.map((name) => [name, name]);
  expect(await whoIn(eventsScreen, 'Events', 3)).toEqual(expected);
  expect(await whoIn(deliveriesScreen, 'Deliveries', 2)).toEqual(expected);
  const list = await loadPane({ source, screen: deliveriesScreen, title: 'Deliveries' });
  for (const [screen, title, row] of [
    [deliveryScreen, 'Delivery', list.rows[0]],
    [eventScreen, 'Event', (await loadPane({ source, screen: eventsScreen, title: 'Events' })).rows[0]],
  ] as const) {
    const params = row?.opens?.params ?? {};
    expect(factsOf(await loadPane({ source, screen, title, params }))).toMatchObject({ name: 'Q*** O***' });
  }
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: person } });
  const gone = [`…${person.slice(-8)}`, undefined];
  expect(await whoIn(eventsScreen, 'Events', 3)).toEqual([gone, expected[1]]);
  expect(await whoIn(deliveriesScreen, 'Deliveries', 2)).toEqual([gone, expected[1]]);
});

test('delivery: its facts, and its attempts with a hint, the newest first', async (world) => {
  const { service, source, event, refusing, fp_id } = world;
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '1m' } });
  const list = await loadPane({ source, screen: deliveriesScreen, title: 'Deliveries' });
  const params = list.rows[0]?.opens?.params ?? {};
  const of = (title: string) => loadPane({ source, screen: deliveryScreen, title, params });
  const facts = await of('Delivery');
  expect(factsOf(facts)).toMatchObject({
    delivery: params['delivery_id'],
    status: 'failing (2 of 8)',
    'user or business': fp_id,
    event: event.id,
    endpoint: refusing.id,
    attempts: '2',
    'last answer': '500',
  });
  expect(facts.rows[0]?.subject).toEqual({ kind: 'event', event_id: event.id, webhook_id: refusing.id });
  expect(facts.rows.flatMap(({ opens }) => opens ?? [])).toEqual([
    { screen: 'entity', params: { fp_id, kind: 'user' } },
    { screen: 'event', params: { event_id: event.id } },
  ]);
  const attempts = cellsOf(await of('Attempts'));
  expect(attempts.map(([no]) => no)).toEqual(['2', '1']);
  expect(attempts[0]?.[2]).toBe('500');
});

test('delivery: y on an attempt copies its headers, with which webhooks verify accepts the body', async () => {
  await using world = await anEvent({ settings: BY_CLOCK });
  const { service, source, event, refusing } = world;
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '5s' } });
  const list = await loadPane({ source, screen: deliveriesScreen, title: 'Deliveries' });
  const params = list.rows[0]?.opens?.params ?? {};
  const of = (title: string) => loadPane({ source, screen: deliveryScreen, title, params });
  const [second, first] = (await of('Attempts')).rows;
  const body = await of('Body');

  expect([second?.copies, first?.copies]).toEqual(['headers of attempt 2', 'headers of attempt 1']);
  expect(second?.id).not.toBe(first?.id);
  expect(body.record).toEqual(event.body);
  for (const [at, row] of [first, second].entries()) {
    const headers = parseHeaders(row?.id ?? '');
    expect(headers).toEqual(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        refusing.requests[at]?.headers[name],
      ]),
    );
    const delivery = { secrets: [refusing.secret], headers, toleranceMs: 300_000 };
    const signed = { ...delivery, body: Buffer.from(JSON.stringify(body.record)), now: NOON };
    expect(verifyWebhook(signed)).toMatchObject({ valid: true, webhook_id: event.id });
  }
});

test('delivery: an attempt that sent nothing has no headers to copy', async (world) => {
  const { service, source } = world;
  service.database.exec('UPDATE delivery_attempts SET webhook_timestamp = NULL, webhook_signature = NULL');
  const list = await loadPane({ source, screen: deliveriesScreen, title: 'Deliveries' });
  const params = list.rows[0]?.opens?.params ?? {};
  const page = await loadPane({ source, screen: deliveryScreen, title: 'Attempts', params });

  expect(page.rows.map(({ id, copies }) => [id, copies])).toEqual([[params['delivery_id'], undefined]]);
  expect(cellsOf(page)[0]?.slice(-2)).toEqual(['-', '-']);
});

test('delivery: what went wrong without an answer is shown, with what helps', async () => {
  await using service = await startService();
  const { port } = await service.listen();
  const source = aSource(port);
  await nobodyThere(service);
  await triggered(service);
  const [delivery] = (await service.call('GET /_kyclone/deliveries')).body.data;
  const params = { delivery_id: delivery?.id ?? '', event_id: delivery?.event_id ?? '' };
  const of = (title: string) => loadPane({ source, screen: deliveryScreen, title, params });
  expect(delivery?.error).toEqual(expect.any(String));
  expect(factsOf(await of('Delivery'))).toMatchObject({ 'last answer': 'none', error: delivery?.error });
  const attempts = cellsOf(await of('Attempts'));
  expect(attempts[0]).toEqual(expect.arrayContaining(['1', 'none', delivery?.error]));
  expect(attempts[0]?.[5]).toBe(delivery?.hint);
});

test('delivery: one among more than a page of its event is found', async (world) => {
  const { service, source, event, taking } = world;
  const oldest = (await service.call('GET /_kyclone/deliveries', { query: { webhook_id: taking.id } })).body
    .data[0];
  for (let at = 0; at < 100; at++)
    await service.call('POST /_kyclone/events/{id}/resend', {
      params: { id: event.id },
      body: { webhook_id: taking.id },
    });
  await settled(service);
  const params = { delivery_id: oldest?.id ?? '', event_id: event.id };
  const page = await loadPane({ source, screen: deliveryScreen, title: 'Delivery', params });
  expect(factsOf(page)['delivery']).toBe(oldest?.id);
});
