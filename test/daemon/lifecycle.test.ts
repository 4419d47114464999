import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityProof } from '../../src/contract/identity-proof.ts';
import { exchange, launch, startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt } from '../support/kycloned-calls.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { headOf, openClient } from '../support/slow-clients.ts';
import { words } from '../support/words.ts';

function everyPath(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

const JANE = { 'id.first_name': 'Jane' };

async function expectJane(daemon: Kycloned, id: string): Promise<void> {
  expect((await decrypt(daemon, id, Object.keys(JANE))).body).toEqual(JANE);
}

/** Starts a write: its head has arrived, and its body has not. `finish` sends the body and returns the status. */
async function aRequestUnderWay(daemon: Kycloned): Promise<{ finish(): Promise<number> }> {
  const { hostname: host, port } = new URL(daemon.url);
  const place = { host, port: Number(port) };
  const head = headOf(place, 'POST /users', {
    'x-service-secret-key': daemon.keys.sandbox,
    'content-type': 'application/json',
    'content-length': 2,
    expect: '100-continue',
  });
  const client = await openClient(place, head);
  await until('its head has arrived', () => client.received() !== '');
  client.socket.write('{');
  return {
    async finish() {
      client.socket.write('}');
      await client.closed;
      return parseAnswers(client.received())[0]?.status ?? 0;
    },
  };
}

async function isStopping(daemon: Kycloned): Promise<boolean> {
  try {
    return (await exchange(`${daemon.url}/_kyclone/ready`, 'GET')).status === 503;
  } catch {
    return true;
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s: stops cleanly and keeps the stored data',
  async (signal) => {
    const first = await startKycloned();
    const id = await aUser(first, JANE);
    expect(await first.stop(signal)).toMatchObject({ code: 0, signal: null });
    expect(existsSync(first.paths.locatorFile)).toBe(false);
    expect(readdirSync(first.paths.dataDirectory).sort()).toEqual(['access-log.anchor', 'vault.db']);
    const second = await startKycloned({ home: first.home });
    await expectJane(second, id);
  },
);

test('SIGTERM: a request under way is answered before the daemon stops', async () => {
  const daemon = await startKycloned();
  const request = await aRequestUnderWay(daemon);
  daemon.process.kill('SIGTERM');
  await until('the daemon stops', () => isStopping(daemon));
  expect(await request.finish()).toBe(200);
  expect(await daemon.ended).toMatchObject({ code: 0 });
});

test('SIGTERM: a request that never ends does not keep the daemon', async () => {
  const daemon = await startKycloned();
  await aRequestUnderWay(daemon);
  expect(await daemon.stop()).toMatchObject({ code: 0, signal: null });
  expect(existsSync(daemon.paths.locatorFile)).toBe(false);
});

test('stop: a second signal of another kind while it drains changes nothing', async () => {
  const home = tempDir();
  const daemon = await startKycloned({ home, options: ['--log-file', join(home, 'daemon.log')] });
  const request = await aRequestUnderWay(daemon);
  daemon.process.kill('SIGTERM');
  await until('the daemon stops', () => isStopping(daemon));
  daemon.process.kill('SIGINT');
  expect(await request.finish()).toBe(200);
  expect(await daemon.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(readFileSync(join(home, 'daemon.log'), 'utf8').match(/"event":"stopped"/g)).toHaveLength(1);
});

test('start: reports to its parent that it is ready, with the data that a client needs', async () => {
  const home = tempDir();
  const launched = launch({ home, instance: 'some.other-1' });
  const announced = await launched.announced;
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as Record<string, string>;
  expect(announced).toEqual({
    type: 'ready',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    pid: launched.process.pid,
    version,
    instance: 'some.other-1',
    ephemeral: false,
    notices: [
      expect.stringContaining('KYCLONE_NO_KEYCHAIN') as string,
      expect.stringContaining(launched.paths.vaultKeyFile) as string,
    ],
  });
});

test('start: the locator says where the daemon is, and its control token proves it', async () => {
  const daemon = await startKycloned();
  expect(daemon.locator).toEqual({
    pid: daemon.process.pid,
    url: daemon.url,
    control_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
    version: expect.any(String) as string,
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    nonce: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/) as string,
    folder: expect.stringMatching(/^\d+$/) as string,
    options: expect.arrayContaining(['--instance', '--port']) as string[],
    ...(existsSync('/proc/self/stat') && { process_start: expect.stringMatching(/^\d+$/) as string }),
  });
  const challenge = Buffer.alloc(32, 1).toString('base64url');
  const { host } = new URL(daemon.url);
  const proven = await exchange(`${daemon.url}/_kyclone/health?challenge=${challenge}`, 'GET');
  const claim = { challenge, pid: daemon.process.pid ?? 0, instance: 'default', authority: host };
  const proof = identityProof({ kind: 'control_token', token: daemon.locator.control_token }, claim);
  const { pid, instance } = claim;
  expect(proven.body).toEqual({ status: 'ok', nonce: daemon.locator.nonce, pid, instance, proof });
  for (const text of ['short', `${challenge}=`, `${challenge.slice(0, -1)}B`]) {
    const refused = await exchange(`${daemon.url}/_kyclone/health?challenge=${text}`, 'GET');
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
  const unknown = await exchange(
    `${daemon.url}/_kyclone/health?challenge=${challenge}&key=${'A'.repeat(22)}`,
    'GET',
  );
  expect(unknown.body).not.toHaveProperty('proof');
  const health = await exchange(`${daemon.url}/_kyclone/health`, 'GET');
  expect(health.body).toEqual({ status: 'ok', nonce: daemon.locator.nonce });
  const ready = await exchange(`${daemon.url}/_kyclone/ready`, 'GET');
  expect(ready).toMatchObject({ status: 200, body: { ready: true } });
  expect((await daemon.control('GET', '/_kyclone/info')).status).toBe(200);
});

test('start: whatever the umask, folders are for the owner only, and files too', async () => {
  const before = process.umask(0);
  const home = tempDir();
  const launched = launch({ home, options: ['--log-file', join(home, 'daemon.log')] });
  process.umask(before);
  const announced = await launched.announced;
  expect(announced).toMatchObject({ type: 'ready' });
  const { sandbox } = JSON.parse(readFileSync(launched.paths.credentialsFile, 'utf8')) as { sandbox: string };
  await exchange(`${announced?.url ?? ''}/users`, 'POST', { headers: { 'x-service-secret-key': sandbox } });
  await until('the log is written', () => statSync(join(home, 'daemon.log')).size > 0);
  const paths = everyPath(home);
  expect(paths.map((path) => path.slice(home.length + 1)).sort()).toEqual(
    words`
    config config/keys config/keys/default.key daemon.log data data/default data/default/access-log.anchor
    data/default/vault.db data/default/vault.db-wal state state/default state/default/api-keys.json
    state/default/control-token state/default/daemon.json state/default/daemon.lock state/default/reserve
  `,
  );
  for (const path of paths) {
    expect([path, modeOf(path)]).toEqual([path, statSync(path).isDirectory() ? 0o700 : 0o600]);
  }
});

test('start: the control token and the keys last as long as the data, so that a shell can keep using them', async () => {
  const home = tempDir();
  const first = await startKycloned({ home });
  const { control_token: token } = first.locator;
  await first.stop();
  const second = await startKycloned({ home });
  expect(second.locator.control_token).toBe(token);
  expect(second.keys).toEqual(first.keys);
  expect(second.locator.nonce).not.toBe(first.locator.nonce);
  expect((await second.call('GET', '/users')).status).toBe(200);
  await second.stop('SIGKILL');
  const third = await startKycloned({ home });
  expect(third.locator.control_token).toBe(token);
  await third.stop();

  rmSync(third.paths.dataDirectory, { recursive: true });
  const fresh = await startKycloned({ home });
  expect(fresh.locator.control_token).not.toBe(token);
  await fresh.stop();
  const inMemory = await startKycloned({ home, options: ['--ephemeral'] });
  expect(inMemory.locator.control_token).not.toBe(fresh.locator.control_token);
  await inMemory.stop();
  expect((await startKycloned({ home })).locator.control_token).toBe(fresh.locator.control_token);
});

test('start: both loopback addresses answer on the same port', async () => {
  const daemon = await startKycloned();
  const { port } = new URL(daemon.url);
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
    const { body } = await exchange(`http://${host}:${port}/_kyclone/health`, 'GET');
    expect([host, body['nonce']]).toEqual([host, daemon.locator.nonce]);
  }
});

test('start: an ephemeral instance leaves no data directory and no key file', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const id = await aUser(daemon, JANE);
  await expectJane(daemon, id);
  expect((await daemon.control('GET', '/_kyclone/info')).body).toMatchObject({ storage: 'ephemeral' });
  expect(existsSync(daemon.paths.dataDirectory)).toBe(false);
  expect(existsSync(daemon.paths.vaultKeyFile)).toBe(false);
  await daemon.stop();
  expect(existsSync(daemon.paths.dataDirectory)).toBe(false);
  expect(existsSync(daemon.paths.vaultKeyFile)).toBe(false);
});

test('SIGTERM: at once after the daemon is ready, it stops cleanly', async () => {
  const home = tempDir();
  for (let round = 0; round < 5; round++) {
    const launched = launch({ home, options: ['--ephemeral'] });
    launched.process.once('message', () => launched.process.kill('SIGTERM'));
    expect(await launched.ended).toMatchObject({ code: 0, signal: null });
    expect(existsSync(launched.paths.locatorFile)).toBe(false);
  }
});

/** Returns when the vault was last opened, as the store records it: milliseconds after its slot was made. */
async function lastOpening(daemon: Kycloned): Promise<number> {
  const { body } = await daemon.control('GET', '/_kyclone/keyring');
  const [slot] = body['slots'] as { created_at: string; last_used_at: string }[];
  return Date.parse(slot?.last_used_at ?? '') - Date.parse(slot?.created_at ?? '');
}

test('a restart notes in the store when the vault was opened, soon after it is ready', async () => {
  const home = tempDir();
  await (await startKycloned({ home })).stop();
  const daemon = await startKycloned({ home });
  await until('the opening is noted', async () => (await lastOpening(daemon)) > 0);
  await daemon.stop();
});

test('a restart that is stopped at once has noted when the vault was opened', async () => {
  const home = tempDir();
  for (let start = 0; start < 2; start++) await (await startKycloned({ home })).stop();
  const daemon = await startKycloned({ home });
  expect(await lastOpening(daemon)).toBeGreaterThan(0);
  await daemon.stop();
});
