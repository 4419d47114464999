import { readdirSync, statSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { afterAll, expect, test, vi } from 'vitest';
import { ownMark } from '../../src/kernel/program/processes.ts';
import { startKyclone } from '../../src/testing/index.ts';
import { openHandles } from '../support/open-handles.ts';
import { tempDir } from '../support/temp-dir.ts';

const NOON = '2026-01-31T12:00:00.000Z';
/** This file has a temporary folder of its own, because other test runs change the shared one. */
const temporary = tempDir();
vi.stubEnv('TMPDIR', temporary.path);
afterAll(() => {
  vi.unstubAllEnvs();
  temporary[Symbol.dispose]();
});
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`kyclone-testing-${ownMark()}`));

test('startKyclone: hands over a running instance with its keys', async () => {
  await using kyclone = await startKyclone();
  const { url, apiKey, liveApiKey, controlToken } = kyclone;
  expect(url).toBe(`http://127.0.0.1:${kyclone.port}`);
  const { id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  const answered = async (path: string, headers: Record<string, string>) =>
    (await fetch(url + path, { headers })).status;
  expect(await answered(`/users/${id}`, { 'x-service-secret-key': apiKey })).toBe(200);
  expect(await answered(`/users/${id}`, { 'x-service-secret-key': liveApiKey })).toBe(404);
  expect(await answered('/_kyclone/info', { authorization: `Bearer ${controlToken}` })).toBe(200);
});

test('startKyclone: seed and clock determine ids and times, and a reset restores both', async () => {
  const script = async (kyclone: Awaited<ReturnType<typeof startKyclone>>) => {
    const { id } = await kyclone.client.call('POST /users', { body: {} });
    return [id, (await kyclone.clock.now()).toISOString()];
  };
  await using one = await startKyclone({ seed: 'seven', clock: NOON });
  await using other = await startKyclone({ seed: 'seven', clock: new Date(NOON) });
  const first = await script(one);
  expect(first[1]).toBe(NOON);
  expect(await script(other)).toEqual(first);
  expect(await one.clock.advance('1h')).toEqual(new Date('2026-01-31T13:00:00Z'));
  await one.reset();
  expect(await script(one)).toEqual(first);
  await one.reset({ seed: 'eight' });
  expect(await script(one)).not.toEqual(first);
});

test('startKyclone: settings are applied, also after a hard reset', async () => {
  await using kyclone = await startKyclone({ settings: { events: { extended: true } } });
  await kyclone.reset({ hard: true });
  expect((await kyclone.client.call('GET /_kyclone/settings')).events).toEqual({ extended: true });
});

test('startKyclone: settings that are refused leave nothing behind', async () => {
  const before = folders();
  const refused = startKyclone({ settings: { vocabulary: { secret_key_header: 'host' } } });
  await expect(refused).rejects.toMatchObject({ name: 'ApiError', code: 'invalid_request' });
  expect(folders()).toEqual(before);
});

test.each([
  [{ sed: 'seven' }, /There is no option of that name; there are seed, clock/],
  [{ clock: 'noon' }, /Option clock must be a Date or ISO 8601 text with a time zone/],
  [{ clock: '2026-01-31T12:00:00' }, /with a time zone/],
  [{ clock: '2026-02-30T12:00:00Z' }, /on a day that exists/],
  [{ port: 70_000 }, /Option port must be a number from 0 to 65535/],
  [{ seed: 7 }, /Option seed must be a non-empty string/],
  [null, /Options are an object with any of seed, clock/],
  ['seven', /Options are an object/],
])('startKyclone: %j is refused with a sentence', async (options, message) => {
  const refused = startKyclone(options as never);
  await expect(refused).rejects.toMatchObject({ name: 'KycloneError', code: 'invalid_option' });
  await expect(refused).rejects.toThrow(message);
});

test('startKyclone: a port that is taken is named, with what to do', async () => {
  await using kyclone = await startKyclone();
  const before = folders();
  const refused = startKyclone({ port: kyclone.port });
  await expect(refused).rejects.toMatchObject({ code: 'port_taken' });
  await expect(refused).rejects.toThrow(`Port ${kyclone.port} is taken by another program: omit option port`);
  expect(folders()).toEqual(before);
});

test('startKyclone: several instances in one process know nothing of each other', async () => {
  await using one = await startKyclone();
  await using other = await startKyclone();
  const { id: fp_id } = await one.client.call('POST /users');
  await expect(other.client.call('GET /users/{fp_id}', { params: { fp_id } })).rejects.toMatchObject({
    status: 404,
  });
  await one.close();
  expect((await other.client.call('GET /users')).data).toEqual([]);
});

test('startKyclone: the process stays as it was', async () => {
  const [before, exits, kept] = [processState(), process.listenerCount('exit'), folders()];
  const kyclone = await startKyclone({ clock: NOON });
  // A signal that would end the process at once removes the folder first.
  expect(processState()).toEqual({ ...before, signals: before.signals.map((count) => count + 1) });
  const [folder = ''] = folders().filter((name) => !kept.includes(name));
  expect(statSync(`${tmpdir()}/${folder}`).mode & 0o777).toBe(0o700);
  await kyclone.close();
  expect(process.listenerCount('exit')).toBe(exits);
  expect(processState()).toEqual(before);
});

function processState() {
  const umask = process.umask(0);
  process.umask(umask);
  return {
    umask,
    signals: ['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => process.listenerCount(signal)),
    environment: { ...process.env },
  };
}

test('close: leaves no folder, no file and no port open, and may be called twice', async () => {
  const before = folders();
  const kyclone = await startKyclone();
  await kyclone.client.call('POST /users');
  const waiting = kyclone.waitFor('onboarding.completed');
  const refusal = expect(waiting).rejects.toMatchObject({ code: 'closed' });
  await Promise.all([kyclone.close(), kyclone.close()]);
  await refusal;
  expect(folders()).toEqual(before);
  expect(openHandles(`${tmpdir()}/kyclone-testing-`)).toBe(0);
  await expect(fetch(kyclone.url)).rejects.toThrow();
  await expect(kyclone.client.call('GET /users')).rejects.toMatchObject({ code: 'closed' });
  await expect(kyclone.waitFor('*')).rejects.toThrow('This instance was closed');
});

test('close: ends busy connections', async () => {
  const kyclone = await startKyclone();
  const { connect } = await import('node:net');
  const socket = connect(kyclone.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('POST /users HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  await kyclone.close();
  await ended;
});

test('tenant: has keys of its own and sees its own only', async () => {
  await using kyclone = await startKyclone();
  const [one, other] = [await kyclone.tenant('acme'), await kyclone.tenant()];
  const { id: fp_id } = await one.client.call('POST /users');
  expect(one.name).toBe('acme');
  expect(one.liveApiKey).toMatch(/^sk_live_/);
  const read = other.client.call('GET /users/{fp_id}', { params: { fp_id } });
  await expect(read).rejects.toMatchObject({ status: 404 });
});

test('tenant: control calls of its client are about it, unless they name another', async () => {
  await using kyclone = await startKyclone();
  const { name, client } = await kyclone.tenant();
  const body = { match: { playbook_key: 'pb_test_kycdefault000000000000' }, outcome: 'fail' } as const;
  const { id } = await client.call('POST /_kyclone/outcomes', { body });
  const rules = async (of: typeof client, query = {}) =>
    (await of.call('GET /_kyclone/outcomes', { query })).data.map((rule) => rule.id);
  expect(await rules(client)).toEqual([id]);
  expect(await rules(client, { tenant: undefined })).toEqual([id]);
  expect(await rules(client, { tenant: 'default' })).toEqual([]);
  expect(await rules(client, { environment: 'live' })).toEqual([]);
  expect(await rules(kyclone.client)).toEqual([]);
  const key = await client.call('POST /_kyclone/api-keys', { body: { environment: 'live' } });
  expect(key).toMatchObject({ tenant: name, environment: 'live' });
  // An endpoint that takes no tenant gets none.
  expect(await client.exchange('GET /_kyclone/clock')).toMatchObject({ status: 200 });
});

test('client: works where a library has replaced the requests of Node after the import', async () => {
  await using kyclone = await startKyclone();
  const replaced = vi.spyOn(http, 'request').mockImplementation(() => expect.unreachable());
  syncBuiltinESMExports();
  try {
    expect((await kyclone.client.call('GET /users')).data).toEqual([]);
  } finally {
    replaced.mockRestore();
    syncBuiltinESMExports();
  }
});

test.each([NaN, -1, Infinity, 2 ** 31, '5'])(
  'client: refuses timeoutMs %s before it sends anything',
  async (timeoutMs) => {
    await using kyclone = await startKyclone();
    const refused = kyclone.client.call('GET /users', { timeoutMs: timeoutMs as number });
    await expect(refused).rejects.toThrow('timeoutMs must be a number of milliseconds from 0 to 2147483647');
  },
);

test('clock: freezes, is set, moves and runs again', async () => {
  await using kyclone = await startKyclone();
  const { clock } = kyclone;
  expect(await clock.freeze(NOON)).toEqual(new Date(NOON));
  await expect(clock.freeze('2026-02-30T00:00:00Z')).rejects.toMatchObject({ code: 'invalid_option' });
  expect(await clock.advance(1_000)).toEqual(new Date('2026-01-31T12:00:01Z'));
  expect(await clock.now()).toEqual(new Date('2026-01-31T12:00:01Z'));
  expect((await clock.set(new Date('2030-01-01T00:00:00Z'))).getUTCFullYear()).toBe(2030);
  expect((await clock.resume()).getUTCFullYear()).not.toBe(2030);
});
