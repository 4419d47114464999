import { expect } from 'vitest';
import { clockScreen } from '../../../src/nouns/clock/screen.ts';
import { startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { aSource, cellsOf, factsOf, loadPane, toneAt } from '../../tui/screens/a-source.ts';

async function aClock(service: TestService) {
  const source = aSource((await service.listen()).port);
  return (title: string) => loadPane({ source, screen: clockScreen, title });
}

test('clock: shows the time, how far it is from the real one, and what is due', async (service) => {
  const of = await aClock(service);
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '1d' } });
  const { body } = await service.call('GET /_kyclone/clock');
  const page = await of('Clock');
  expect(factsOf(page)).toMatchObject({
    'now (UTC)': '2026-03-02 12:00:00',
    'real time (UTC)': body.real_now.replace('T', ' ').slice(0, 19),
    offset: '1d ahead of real time',
    'pending work': 'none',
  });
  expect(page.rows[0]).toMatchObject({
    command: ['clock', 'get'],
    call: { method: 'GET', path: '/_kyclone/clock' },
  });
});

test('clock: what is still to be done is counted', async (service) => {
  const of = await aClock(service);
  await service.call('POST /_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/hooks' } });
  await service.call('POST /_kyclone/events/trigger', { body: { kind: 'onboarding.completed' } });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 0 } });
  expect(factsOf(await of('Clock'))['pending work']).toMatch(/^1 task, /);
});

test('clock: fault rules show what they meet, what they do, and how much is left', async (service) => {
  const of = await aClock(service);
  const add = async (body: Parameters<typeof service.call<'POST /_kyclone/faults'>>[1]) =>
    (await service.call('POST /_kyclone/faults', body)).body.id;
  const first = await add({ body: { match: { method: 'GET', path: '/users/*' }, status: 503, times: 2 } });
  await add({ body: { match: { path: '/**' }, latency_ms: 1500, probability: 0.25, seed: 's' } });
  await add({ body: { match: { path: '/never' }, abort: 'connection', latency_ms: 2000 } });
  await add({ body: { match: { path: '/cut' }, status: 404, code: 'busy', abort: 'body' } });
  const fp_id = 'fp_id_0000000000000000000000';
  await service.send({ method: 'GET', path: `/users/${fp_id}` });
  const page = await of('Faults');
  expect(cellsOf(page).map((cells) => cells.slice(0, 4))).toEqual([
    ['GET /users/*', '503 fault_injected', '1 of 2', '1'],
    ['any /**', 'waits 1s 500ms, for 25 % (seed s)', 'always', '0'],
    ['any /never', 'connection cut after 2s', 'always', '0'],
    ['any /cut', 'body of 404 cut off', 'always', '0'],
  ]);
  expect(page.rows[0]).toMatchObject({ id: first, call: { path: `/_kyclone/faults/${first}` } });
  await service.send({ method: 'GET', path: `/users/${fp_id}` });
  const [spent] = (await of('Faults')).rows;
  expect(cellsOf({ rows: spent ? [spent] : [], next: null })[0]?.[2]).toBe('spent');
  expect(toneAt(spent, 2)).toBe('dim');
});

test('clock: the instance shows its version, its keyring and its settings, and no credential', async () => {
  await using service = await startService({ settings: { egress: { policy: 'open' } } });
  const of = await aClock(service);
  await service.user();
  const page = await of('Instance');
  expect(factsOf(page)).toMatchObject({
    instance: 'default',
    version: '0.0.0-test',
    url: service.instance.url,
    storage: 'ephemeral: gone when it stops',
    holds: expect.stringContaining('1 user') as string,
    'root key': 'version 1',
    'egress policy': 'open',
    'secret key in': 'x-service-secret-key',
  });
  expect(new Set(page.rows.map(({ command }) => command?.join(' ')))).toEqual(
    new Set(['status', 'keyring status', 'api GET /_kyclone/settings']),
  );
  expect(JSON.stringify(page)).not.toMatch(/sk_(test|live)_|k{43}/);
});
