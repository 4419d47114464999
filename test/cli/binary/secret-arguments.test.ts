/**
 * Threat A7: every process of the machine can read every command line. None of our processes has a secret on its
 * command line.
 */
import '../../support/tier-all.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, spawnCli } from '../../support/cli.ts';
import { canRecordStarts, recordStarts } from '../../support/started-programs.ts';
import { tempDir } from '../../support/temp-dir.ts';

const SECRETS = {
  apiKey: `sk_test_${'Zanzibar'.repeat(4)}`,
  vaultKey: '5ec2e7'.repeat(10) + '5ec2',
  passphrase: 'correct-horse-battery-staple',
  snapshotKey: 'ab12cd34'.repeat(8),
  webhook: `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`,
  header: 'Bearer canary-4711',
  email: 'quillonda@doe.example',
};
/** Secrets that an instance makes: keys, tokens, webhook secrets. */
const MADE = /(?:sk_(?:test|live)|whsec|obtok|vtok|utok|tok)_[A-Za-z0-9+/=]{16}/;

/** Makes a home with a list of all programs that its commands started, each with its whole command line. */
function watchedHome() {
  const home = tempDir();
  const started = join(home.path, 'started');
  const file = (name: string, content: string) =>
    writeFileSync(join(home.path, name), content, { mode: 0o600 });
  mkdirSync(join(home.path, 'tmp'));
  file('keys', `${SECRETS.apiKey}\n`);
  file('passphrase', SECRETS.passphrase);
  file('header', `x-partner: ${SECRETS.header}\n`);
  const environment = {
    TMPDIR: join(home.path, 'tmp'),
    KYCLONE_VAULT_KEY: SECRETS.vaultKey,
    KYCLONE_SNAPSHOT_KEY: SECRETS.snapshotKey,
  };
  return {
    path: home.path,
    environment,
    /** Runs a command; settles when it and all its child processes have ended. `meanwhile` must make them end. */
    async run(
      argv: readonly string[],
      { stdin, meanwhile }: { stdin?: string; meanwhile?: () => Promise<void> } = {},
    ) {
      const { child, ended } = spawnCli(argv, {
        home: home.path,
        environment,
        under: recordStarts(started),
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin?.end(stdin);
      await meanwhile?.();
      const { code, stdout, stderr } = await ended;
      expect(code, stdout + stderr).toBe(0);
    },
    started: () => readFileSync(started, 'utf8'),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

function expectNoSecret(started: string): void {
  expect(started).toContain('kycloned.js"');
  for (const secret of Object.values(SECRETS)) expect(started).not.toContain(secret);
  expect(started).not.toMatch(MADE);
}

describe.skipIf(!canRecordStarts && process.env['CI'] === undefined)('command lines', () => {
  test('start -d: no command line of the daemon or its clients holds a secret', async () => {
    using home = watchedHome();
    const { environment } = home;
    const cli = (...argv: string[]) => runCli(argv, { home: home.path, environment });
    await home.run(['start', '-d', '--port', '0', '--api-key-file', 'keys'], {
      async meanwhile() {
        expect(await cli('wait')).toMatchObject({ code: 0 });
        await home.run(['keyring', 'slots', 'create', 'passphrase', '--passphrase', '@passphrase']);
        await home.run(['webhooks', 'create', 'http://127.0.0.1:1/', '--secret', '-'], {
          stdin: SECRETS.webhook,
        });
        await home.run(['api', 'GET', '/users', '-H', '@header']);
        await home.run(['api', 'GET', '/users', '-H', '@-'], { stdin: `x-partner: ${SECRETS.header}` });
        await home.run(['users', 'create', '--data', '-'], {
          stdin: JSON.stringify({ 'id.email': SECRETS.email }),
        });
        await home.run(['users', 'search', '-'], { stdin: SECRETS.email });
        await home.run(['inspect', '--once', '--user', '-'], { stdin: SECRETS.email });
        await home.run(['doctor']);
        expect(await cli('stop')).toMatchObject({ code: 0 });
      },
    });
    const started = home.started();
    expect(started).toContain('"keyring"');
    expect(started).toContain('"inspect"');
    expectNoSecret(started);
  });

  test.each(['exec --api-key-file keys -- true', 'demo'])(
    '%s: no secret is on a command line',
    async (line) => {
      using home = watchedHome();
      await home.run(line.split(' '));
      expectNoSecret(home.started());
    },
  );
});
