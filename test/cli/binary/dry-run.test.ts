/**
 * The curl command that `--dry-run` prints, run by a real sh with the real curl, does what the CLI command would have
 * done.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../support/cli-in-process.ts';
import { cleanEnvironment } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { aUser } from '../../support/builders.ts';
import { ask, PNG } from '../../support/example-world.ts';
import { mayRun } from '../../support/shells.ts';

const CANARY = 'Zanzibar 4711';

const daemon = useDaemon();
let user: string;
beforeAll(async () => {
  user = (await ask(daemon(), 'POST', '/users', aUser())).id;
  writeFileSync(join(daemon().home, 'front one.png'), PNG);
  writeFileSync(join(daemon().home, 'bytes.bin'), Buffer.from([0, 255, 39, 92, 10]));
});

const dry = (argv: readonly string[]) => runInProcess([...argv, '--dry-run'], { home: daemon().home });
/** Runs a curl command; returns the response and its status. */
const inShell = (command: string) => {
  const ran = spawnSync('sh', ['-c', `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${command}`], {
    cwd: daemon().home,
    encoding: 'utf8',
    env: cleanEnvironment(daemon().home, {
      KYCLONE_BASE_URL: daemon().url,
      KYCLONE_API_KEY: daemon().apiKey,
      KYCLONE_CONTROL_TOKEN: daemon().controlToken,
    }),
  });
  const [, text = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(ran.stdout) ?? [];
  return { text, status, stderr: ran.stderr };
};
const revealed = async (field: string) =>
  (await ask(daemon(), 'POST', `/users/${user}/vault/decrypt`, { fields: [field], reason: 'a test' }))[field];

describe.runIf(mayRun('curl'))('the curl that is printed', () => {
  test.each([
    ['quotes', `O'Neil "the" $HOME \`id\` \\ !`],
    ['line ends', 'one\ntwo\n'],
    ['other scripts', '张伟 Ærøskøbing 🙂'],
  ])('--dry-run: a value with %s arrives as it is', async (_, value) => {
    const { stdout, code } = await dry(['vault', 'set', user, `custom.note=${value}`, '--with-values']);
    expect(code).toBe(0);
    expect(inShell(stdout)).toMatchObject({ status: '200', stderr: '' });
    expect(await revealed('custom.note')).toBe(value);
  });

  test('--dry-run: the operator is part of the request', async () => {
    const { stdout } = await dry(['users', 'label', user, 'active', '--as', 'Zoë Desk']);
    expect(stdout).toContain('x-kyclone-operator: Zo%C3%AB%20Desk');
    expect(inShell(stdout)).toMatchObject({ status: '200', stderr: '' });
  });

  test('--dry-run: a body that begins with an @ is no file', async () => {
    writeFileSync(join(daemon().home, 'at.txt'), '@bytes.bin');
    const { stdout } = await dry(['api', 'POST', '/users', '--data', '@at.txt', '--with-values']);
    expect(stdout).toContain('--data-raw @bytes.bin');
    expect(inShell(stdout)).toMatchObject({ status: '400' });
  });

  test('--dry-run: a file is uploaded from where it is', async () => {
    const { stdout } = await dry(['vault', 'upload', user, 'document.passport.front.image', 'front one.png']);
    expect(stdout).toContain("--data-binary '@front one.png'");
    expect(inShell(stdout)).toMatchObject({ status: '200' });
  });

  test('--dry-run: bytes that are not text go through', async () => {
    const target = ['--target', 'https://api.example.com/', '--data', '@bytes.bin'];
    const { stdout } = await dry(['proxy', 'render', ...target, '--with-values']);
    expect(stdout).toMatch(/^printf '\\000\\377/);
    expect(inShell(stdout)).toMatchObject({ stderr: '' });
  });

  test.each([
    [['api', 'GET', '/users?page_size=1&external_id=[x]']],
    [['vault', 'decrypt', 'USER', 'id.first_name', '--reason', "Ann's case"]],
    [['users', 'tag', 'USER', 'wave 2']],
    [['webhooks', 'create', 'http://localhost:3000/hooks', '--secret', `whsec_${'A'.repeat(32)}`]],
    [['keys', 'create', '--name', "it's"]],
    [['users', 'token', 'USER', '--scope', 'vault', '--field', 'id.ssn9']],
  ])('--dry-run: %j', async (argv) => {
    const words = argv.map((word) => (word === 'USER' ? user : word));
    const { stdout, code } = await dry([...words, '--with-values']);
    expect(code).toBe(0);
    expect(inShell(stdout), stdout).toMatchObject({ status: '200', stderr: '' });
  });
});

test.each([
  [['users', 'create', `id.first_name=${CANARY}`]],
  [['users', 'create', '--data', `{"custom.a":{"b":["${CANARY}"]}}`]],
  [['users', 'search', CANARY]],
  [['api', 'POST', '/users', '--data', `{"x":"${CANARY}"}`]],
  [['api', 'POST', '/users', '--data', CANARY]],
  [['api', 'GET', '/users', '-H', `x-fp-authorization: ${CANARY}`]],
  [['webhooks', 'create', 'http://localhost/', '--secret', CANARY]],
  [['keyring', 'slots', 'create', 'passphrase', '--passphrase', '-']],
  [['vault', 'download', '--token', CANARY.replace(' ', '')]],
  [
    [
      'proxy',
      'send',
      '--target',
      `https://a.example/?q=${CANARY.replace(' ', '')}`,
      '--data',
      `{"a":"${CANARY}"}`,
    ],
  ],
])('--dry-run: %j shows no value and no key', async (argv) => {
  const shown = await runInProcess([...argv, '--dry-run'], { home: daemon().home, stdin: CANARY });
  expect(shown).toMatchObject({ code: 0 });
  expect(JSON.stringify(shown)).not.toMatch(/Zanzibar|sk_test_/);
  expect(JSON.stringify(shown)).not.toContain(daemon().controlToken);
  expect(shown.stdout).toContain('***');
  expect(shown.stderr).toContain('--with-values');
});

test('--dry-run: without a daemon the address is a variable', async () => {
  const shown = await runInProcess(['users', 'list', '--dry-run', '--instance', 'none'], {
    home: daemon().home,
  });
  expect(shown.stdout).toBe('curl "$KYCLONE_BASE_URL"/users \\\n  -u "$KYCLONE_API_KEY:"\n');
});

test.each([
  ['users', 'delete'],
  ['notes', 'delete', 'note_7p793EF07xKXHqAeg5VGPj'],
])('--dry-run: %s %s has a body for a reason alone', async (topic, verb, ...rest) => {
  const argv = [topic, verb, user, ...rest];
  expect((await dry(argv)).stdout).not.toMatch(/--data|content-type/);
  expect((await dry([...argv, '--reason', 'x', '--with-values'])).stdout).toContain('{"reason":"x"}');
});
