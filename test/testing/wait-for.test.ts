import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createEvents } from '../../src/testing/events.ts';
import { startKyclone, type Kyclone } from '../../src/testing/index.ts';
import { answerJson } from '../support/loopback.ts';
import { provingServer } from '../support/proving-server.ts';

const trigger = (kyclone: Kyclone, kind = 'onboarding.completed', query: { tenant?: string } = {}) =>
  kyclone.client.call('POST /_kyclone/events/trigger', { query, body: { kind } });

test('waitFor: an event that has happened is returned at once', async () => {
  await using kyclone = await startKyclone();
  const { id } = await trigger(kyclone);
  expect((await kyclone.waitFor('service.onboarding.completed')).id).toBe(id);
});

test('waitFor: an event that is still to come is waited for', async () => {
  await using kyclone = await startKyclone();
  const waiting = kyclone.waitFor('onboarding.completed');
  await kyclone.client.call('GET /users');
  const { id } = await trigger(kyclone);
  expect((await waiting).id).toBe(id);
});

test('waitFor: each event is handed out once, the oldest first', async () => {
  await using kyclone = await startKyclone();
  const ids = [(await trigger(kyclone)).id, (await trigger(kyclone)).id];
  const first = await kyclone.waitFor('*');
  const third = [kyclone.waitFor('*'), kyclone.waitFor('*')];
  ids.push((await trigger(kyclone)).id);
  expect([first.id, ...(await Promise.all(third)).map(({ id }) => id)]).toEqual(ids);
});

test('waitFor: several may wait at the same time, and calls are served', async () => {
  await using kyclone = await startKyclone();
  const waiting = Array.from({ length: 20 }, () => kyclone.waitFor('*'));
  await Promise.all(waiting.map(() => trigger(kyclone)));
  expect(new Set((await Promise.all(waiting)).map(({ id }) => id)).size).toBe(20);
});

test('waitFor: what comes while the stored events are read is not missed, and a broken stream ends the wait', async () => {
  const kind = 'onboarding.completed';
  const sent = { id: 'evt_1', kind, at: '', body: {}, tenant: 'default', environment: 'sandbox' };
  let stream: ServerResponse | undefined;
  await using server = await provingServer({ controlToken: 'control' }, (request, response) => {
    if (request.url?.startsWith('/_kyclone/stream') === true) {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write(': open\n\n');
    } else {
      const answer = () => answerJson(200, { data: [], meta: { next: null } })(request, response);
      stream?.write(`event: event\ndata: ${JSON.stringify(sent)}\n\n`, () => setTimeout(answer, 50));
    }
  });
  const connection = { baseUrl: server.url, controlToken: 'control' };
  const events = createEvents({ client: createClient(connection), connection });
  expect((await events.waitFor(kind)).id).toBe('evt_1');
  const waiting = events.waitFor(kind);
  await expect.poll(() => server.seen.length).toBe(4);
  stream?.end();
  await expect(waiting).rejects.toThrow('The stream of events ended');
});

test("waitFor: filters by entity and by the test's condition", async () => {
  await using kyclone = await startKyclone();
  const { id: fp_id } = await kyclone.client.call('POST /users');
  await trigger(kyclone);
  const body = { kind: 'onboarding.completed', fp_id };
  const { id } = await kyclone.client.call('POST /_kyclone/events/trigger', { body });
  expect((await kyclone.waitFor('*', { fp_id })).id).toBe(id);
  const none = kyclone.waitFor('*', { where: ({ body }) => body['status'] === 'fail', timeoutMs: 50 });
  await expect(none).rejects.toThrow(
    /that matches `where` within 50 ms; other events: onboarding\.completed$/,
  );
  const late = kyclone.waitFor('*', { where: (() => Promise.reject(new Error('late'))) as never });
  await expect(late).rejects.toThrow('Option where must return true or false, not a promise');
  const broken = kyclone.waitFor('*', {
    where: () => {
      throw new TypeError('mistake of the test');
    },
  });
  await expect(broken).rejects.toThrow('mistake of the test');
});

test('waitFor: a tenant gets its own events', async () => {
  await using kyclone = await startKyclone();
  const tenant = await kyclone.tenant('acme');
  await trigger(kyclone);
  const { id } = await trigger(kyclone, 'user.manual_review', { tenant: 'acme' });
  expect((await tenant.waitFor('*')).id).toBe(id);
});

test('waitFor: a timeout names what did not come, what came, and a likely reason', async () => {
  await using kyclone = await startKyclone({ clock: '2026-01-31T12:00:00Z' });
  await trigger(kyclone);
  await trigger(kyclone);
  const waiting = kyclone.waitFor('vault.updated', { fp_id: 'fp_id_x', timeoutMs: 50 });
  await expect(waiting).rejects.toMatchObject({ name: 'KycloneError', code: 'timeout' });
  await expect(waiting).rejects.toThrow(
    'No event vault.updated about fp_id_x within 50 ms; other events: onboarding.completed (2); ' +
      'events of this kind need the setting { events: { extended: true } }',
  );
  await expect(kyclone.waitFor('onbording.completed')).rejects.toThrow(/There is no event of that kind/);
});

test('waitFor: after a reset the same ids are new events', async () => {
  await using kyclone = await startKyclone({ seed: 'seven' });
  const { id } = await trigger(kyclone);
  await kyclone.waitFor('*');
  await kyclone.reset();
  expect((await trigger(kyclone)).id).toBe(id);
  expect((await kyclone.waitFor('*', { timeoutMs: 1_000 })).id).toBe(id);
});

test('waitFor, reset, faults.add: an option that would be ignored is refused, and a wrong one named', async () => {
  await using kyclone = await startKyclone();
  const kind = 'onboarding.completed';
  const wrong: readonly [() => Promise<unknown>, RegExp][] = [
    [
      () => kyclone.waitFor(kind, { timeout: 50 } as never),
      /no option of that name; there are fp_id, where, timeoutMs/,
    ],
    [() => kyclone.waitFor(kind, 'fp_id_x' as never), /Options are an object with any of fp_id/],
    [() => kyclone.waitFor(kind, null as never), /Options are an object/],
    [
      () => kyclone.waitFor(kind, { timeoutMs: '5s' } as never),
      /Option timeoutMs must be a number of milliseconds/,
    ],
    [() => kyclone.waitFor(kind, { timeoutMs: Infinity }), /Option timeoutMs must be/],
    [() => kyclone.waitFor(kind, { where: 'status' } as never), /Option where must be a function/],
    [() => kyclone.waitFor(kind, { fp_id: 7 } as never), /Option fp_id must be an id/],
    [() => kyclone.waitFor(undefined as never), /There is no event of that kind/],
    [() => kyclone.reset({ sed: 'seven' } as never), /no option of that name; there are seed, hard/],
    [
      async () => await kyclone.faults.add({ status: 503 }, '/users' as never),
      /The match of a fault rule is an object/,
    ],
    [async () => await kyclone.faults.add(undefined as never), /A fault rule is an object/],
  ];
  for (const [call, message] of wrong) {
    await expect(call(), String(message)).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(call()).rejects.toThrow(message);
  }
});
