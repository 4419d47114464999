/** A wrong address or a taken port is named as such, whatever credentials are known. */
import { join } from 'node:path';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { Connection } from '../../../src/client/credentials.ts';
import { CliError, describeFailure } from '../../../src/cli/shell/failure.ts';
import { withCause } from '../../../src/cli/shell/wrong-address.ts';
import { loopbackServer } from '../../support/loopback.ts';
import { startService } from '../../support/service.ts';
import { tempDir } from '../../support/temp-dir.ts';

const basesOf = (path: string) => ({ data: path, state: path, config: path });
const KEYS = [
  ['no key', {}],
  ['a key', { apiKey: 'sk_test_abcdefghijklmnopqrstuvwxyz012345' }],
] as const;

const otherProgram = () => loopbackServer((_, answer) => answer.end('<html>hello</html>'));

/** The failure that a command at this address reports. */
async function failureAt(baseUrl: string, secrets: Omit<Connection, 'baseUrl'> = {}) {
  const bases = basesOf('/nonexistent');
  const error: unknown = await createClient({ baseUrl, ...secrets })
    .call('GET /users')
    .then(() => undefined)
    .catch((caught: unknown) => caught);
  return describeFailure(await withCause(error, { environment: { bases }, address: baseUrl }));
}

test.each(KEYS)(
  'wrong address: with %s, one where nothing answers is unreachable, not a missing key',
  async (_, secrets) => {
    const failure = await failureAt('http://127.0.0.1:1', secrets);
    expect(failure).toMatchObject({
      message: 'Nothing answers at http://127.0.0.1:1 (ECONNREFUSED)',
      code: 'daemon_unreachable',
      exitCode: 5,
    });
    expect(failure.hint).toContain('KYCLONE_BASE_URL');
  },
);

test.each(KEYS)(
  'wrong address: with %s, another program is named as none of kyclone, and gets no key',
  async (_, secrets) => {
    await using other = await otherProgram();
    expect(await failureAt(other.url, secrets)).toMatchObject({
      message: `What answers at ${other.url} is no kyclone; nothing was sent to it`,
      code: 'identity_unproven',
    });
    expect(JSON.stringify(other.seen)).not.toContain('authorization');
  },
);

test.each(KEYS)('wrong address: with %s, https where http is spoken is named', async (_, secrets) => {
  await using other = await otherProgram();
  const { host } = new URL(other.url);
  expect(await failureAt(`https://${host}`, secrets)).toMatchObject({
    message: `What answers at ${host} speaks http, not https`,
    code: 'daemon_unreachable',
    exitCode: 5,
    hint: `KYCLONE_BASE_URL=http://${host}`,
  });
});

test('wrong address: at a daemon, a missing key is a missing key', async () => {
  await using service = await startService();
  const { host, port } = await service.listen();
  expect(await failureAt(`http://${host}:${port}`)).toMatchObject({
    code: 'credential_missing',
    exitCode: 4,
  });
});

test('port_taken: a port of no instance stays taken by another program', async () => {
  using home = tempDir();
  const folder = join(home.path, 'default');
  mkdirSync(folder, { mode: 0o700 });
  const locator = {
    pid: 2 ** 22 + 1,
    url: 'http://127.0.0.1:1',
    control_token: 'c'.repeat(43),
    nonce: 'n',
    version: '0.1.0',
    started_at: '2026-01-31T12:00:00.000Z',
  };
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify(locator));
  chmodSync(join(folder, 'daemon.json'), 0o600);
  const error = new CliError('Port 1 is taken by another program', { code: 'port_taken', exitCode: 8 });
  const bases = basesOf(home.path);
  expect(await withCause(error, { environment: { bases }, address: undefined })).toBe(error);
});
