/**
 * Starts that must be refused (docs/architecture.md#daemon). Each has its own message and exit code, and overwrites
 * nothing.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { readAnchored } from '../../src/storage/store-position.ts';
import { expect, onTestFinished, test } from 'vitest';
import { contentsOf } from '../support/contents.ts';
import { restoredInstance } from '../support/restored-instance.ts';
import {
  pathsOf,
  refusedStart,
  startKycloned,
  tempDir,
  until,
  type Kycloned,
  type Setting,
} from '../support/kycloned.ts';
import { aUser, inStore } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

const A_KEY = '0f'.repeat(32);

async function takePort(host: string): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen({ host, port: 0 }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Returns a vault with one user. */
const aStoppedVault = restoredInstance(async (daemon) => {
  await aUser(daemon, { 'id.first_name': 'Jane' });
  return {};
});

test.each<[what: string, second: (first: Kycloned) => Setting, named: (first: Kycloned) => string[]]>([
  ['a second daemon of the same instance', () => ({}), ({ url, locator }) => [url, `process ${locator.pid}`]],
  [
    'another instance on the same data directory',
    ({ paths }) => ({ instance: 'other', options: ['--data-dir', paths.dataDirectory] }),
    ({ paths }) => [paths.dataDirectory],
  ],
  [
    'an ephemeral daemon beside a durable one of the instance',
    () => ({ options: ['--ephemeral'] }),
    () => [],
  ],
])('start: %s is refused, names the first, and changes nothing', async (_what, second, named) => {
  const first = await startKycloned();
  const { storeFile } = first.paths;
  await until('its anchor has its first position', () => (readAnchored(storeFile)?.position ?? 0) > 0);
  const setting = { home: first.home, ...second(first) };
  // Another instance makes a state folder of its own.
  const folder = setting.instance === undefined ? first.home : first.paths.dataDirectory;
  const before = contentsOf(folder);
  const refused = await refusedStart(setting);
  expect(refused).toMatchObject({ code: 8, announced: { code: 'instance_running', exit_code: 8 } });
  for (const name of named(first)) expect(refused.announced?.message).toContain(name);
  expect(contentsOf(folder)).toEqual(before);
  expect(existsSync(pathsOf(first.home, 'other').locatorFile)).toBe(false);
  expect((await first.call('GET', '/users')).status).toBe(200);
});

test('start: two at once leave one', async () => {
  const home = tempDir();
  const starts = await Promise.allSettled(
    Array.from({ length: 4 }, () => startKycloned({ home, options: ['--ephemeral'] })),
  );
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('start: the locator of a daemon that was killed is replaced', async () => {
  const first = await startKycloned();
  await first.stop('SIGKILL');
  expect(existsSync(first.paths.locatorFile)).toBe(true);
  const second = await startKycloned({ home: first.home });
  expect(second.locator.pid).toBe(second.process.pid);
  expect(second.locator.nonce).not.toBe(first.locator.nonce);
  expect(await second.stop()).toMatchObject({ code: 0 });
  expect(existsSync(first.paths.locatorFile)).toBe(false);
});

test('stop: leaves a locator alone that is not its own', async () => {
  const daemon = await startKycloned();
  const other = `${JSON.stringify({ ...daemon.locator, nonce: 'x'.repeat(24) })}\n`;
  writeFileSync(daemon.paths.locatorFile, other);
  await daemon.stop();
  expect(readFileSync(daemon.paths.locatorFile, 'utf8')).toBe(other);
});

test('start: a locator that makes no sense is replaced', async () => {
  const home = tempDir();
  for (const text of ['{ not JSON', 'null']) {
    const daemon = await startKycloned({ home, options: ['--ephemeral'] });
    await daemon.stop('SIGKILL');
    writeFileSync(daemon.paths.locatorFile, text);
    const next = await startKycloned({ home, options: ['--ephemeral'] });
    expect(next.locator.pid).toBe(next.process.pid);
    await next.stop();
  }
});

test.each(['127.0.0.1', '::1'])('start: a port that is taken on %s is refused by name', async (host) => {
  const port = await takePort(host);
  const refused = await refusedStart({ port });
  expect(refused).toMatchObject({ code: 8, announced: { code: 'port_taken', exit_code: 8 } });
  expect(refused.announced?.message).toContain(`${port}`);
});

test('start: a taken port leaves no locator and no lock, and the vault opens at the next start', async () => {
  const vault = await aStoppedVault();
  const port = await takePort('127.0.0.1');
  const key = readFileSync(vault.paths.vaultKeyFile);
  expect(await refusedStart({ home: vault.home, port })).toMatchObject({ code: 8 });
  expect(existsSync(vault.paths.locatorFile)).toBe(false);
  expect(readdirSync(vault.paths.dataDirectory)).toEqual(['access-log.anchor', 'vault.db']);
  expect(readFileSync(vault.paths.vaultKeyFile)).toEqual(key);
  const next = await startKycloned({ home: vault.home });
  expect((await next.call('GET', '/users')).body['meta']).toMatchObject({ count: 1 });
});

test('start: the key of another vault is refused and nothing is changed', async () => {
  const vault = await aStoppedVault();
  writeFileSync(vault.paths.vaultKeyFile, `# a key\n${A_KEY}\n`);
  const before = contentsOf(vault.home);
  const refused = await refusedStart({ home: vault.home });
  expect(refused).toMatchObject({ code: 4, announced: { code: 'sealed' } });
  expect(refused.announced?.message).not.toContain(A_KEY);
  expect(contentsOf(vault.home)).toEqual(before);
});

test('start: --require-keychain without a keychain is refused and makes no vault', async () => {
  const home = tempDir();
  const refused = await refusedStart({ home, options: ['--require-keychain'] });
  expect(refused).toMatchObject({ code: 4, announced: { code: 'sealed' } });
  expect(existsSync(pathsOf(home).vaultKeyFile)).toBe(false);
});

test('start: a store of a newer version is refused as that, not as taken', async () => {
  const vault = await aStoppedVault();
  inStore(vault.paths.storeFile, (store) => store.pragma('user_version = 99'));
  const refused = await refusedStart({ home: vault.home });
  expect(refused).toMatchObject({ code: 8, announced: { code: 'conflict' } });
  expect(refused.announced?.message).toContain('upgrade');
});

test('start: the access log verifies after a refused first start', async () => {
  const home = tempDir();
  const keyFile = join(home, 'open.key');
  writeFileSync(keyFile, `# a key\n${A_KEY}\n`);
  chmodSync(keyFile, 0o644);
  expect(await refusedStart({ home, options: ['--key-file', keyFile] })).toMatchObject({ code: 4 });
  chmodSync(keyFile, 0o600);
  const daemon = await startKycloned({ home, options: ['--key-file', keyFile] });
  expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toEqual({
    ok: true,
    checked: 0,
    head: null,
    first_bad_seq: null,
    anchor: { state: 'level', seq: 0 },
  });
});
