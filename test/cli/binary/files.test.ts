/** Files through the real binary arrive byte for byte, whole or not at all. */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonOf, spawnCli } from '../../support/cli.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';

const IMAGE = 'document.passport.front.image';
const NOBODY = 'fp_id_0000000000000000000000';
const MIB = 1024 * 1024;
const BYTES = randomBytes(5 * MIB + 7);
const DONE = { code: 0, stderr: '' };

const daemon = useDaemon({ isDurable: true });
let id: string;
const { run } = cliIn(() => daemon().home);
const path = (name: string) => join(daemon().home, name);
const create = async (noun: 'users' | 'businesses') =>
  String(jsonOf(await run([noun, 'create', '--json']))['id']);

/** Runs the binary with files as its stdin and stdout, as a shell does. */
async function redirected(
  argv: readonly string[],
  files: { stdin?: string; stdout?: string },
): Promise<{ code: number; stderr: string }> {
  const stdin = files.stdin === undefined ? 'ignore' : openSync(files.stdin, 'r');
  const stdout = files.stdout === undefined ? 'ignore' : openSync(files.stdout, 'w');
  const { ended } = spawnCli(argv, { home: daemon().home, stdio: [stdin, stdout, 'pipe'] });
  for (const file of [stdin, stdout]) if (typeof file === 'number') closeSync(file);
  const { code, stderr } = await ended;
  return { code, stderr };
}

beforeAll(() => {
  writeFileSync(path('front.png'), BYTES);
});
beforeEach(async () => {
  id = await create('users');
});

describe('vault upload', () => {
  test.each(['users', 'businesses'] as const)(
    'vault upload: a file of %s is downloaded byte for byte',
    async (noun) => {
      const owner = await create(noun);
      const sent = await run(['vault', 'upload', owner, 'document.custom.lease', 'front.png']);
      expect(sent).toEqual({ code: 0, stdout: 'Written; the vault is at version 1\n', stderr: '' });
      const out = `${noun}.png`;
      const argv = `vault download ${owner} document.custom.lease --reason test --out ${out} --json`;
      expect(jsonOf(await run(argv))).toEqual({
        identifier: 'document.custom.lease',
        content_type: 'image/png',
        bytes: BYTES.length,
        path: path(out),
      });
      expect(readFileSync(path(out)).equals(BYTES)).toBe(true);
      expect(statSync(path(out)).mode & 0o777).toBe(0o600);
    },
  );

  test('vault upload: stdin to the vault, the vault to stdout', async () => {
    expect(await redirected(['vault', 'upload', id, IMAGE, '-'], { stdin: path('front.png') })).toEqual(DONE);
    const download = ['vault', 'download', id, IMAGE, '--reason', 'test'];
    expect(await redirected(download, { stdout: path('stdout.png') })).toEqual(DONE);
    expect(readFileSync(path('stdout.png')).equals(BYTES)).toBe(true);
  });

  test.each([
    ['scan.pdf', [], 'application/pdf'],
    ['scan.JPG', [], 'image/jpeg'],
    ['scan', [], 'application/octet-stream'],
    ['scan.pdf', ['--content-type', 'image/webp'], 'image/webp'],
  ])('vault upload: %s %j is of type %s', async (name, flags, type) => {
    writeFileSync(path(name), 'a scan');
    await run(['vault', 'upload', id, IMAGE, name, ...flags]);
    const argv = `vault download ${id} ${IMAGE} --reason test --out ${name}.out --force --json`;
    expect(jsonOf(await run(argv))['content_type']).toBe(type);
  });

  test('vault upload: a refusal is reported before stdin ends', async () => {
    const options = { home: daemon().home, stdio: ['pipe', 'ignore', 'ignore'] } as const;
    const { child, ended } = spawnCli(['vault', 'upload', NOBODY, IMAGE, '-'], options);
    child.stdin?.write('the first of it');
    expect((await ended).code).toBe(6);
  });

  /** What is sent, the exit code, and the error code. */
  const REFUSED: readonly [string, string[], number, string][] = [
    ['a file that is not there', [IMAGE, 'nothing.png'], 2, 'usage'],
    ['a folder', [IMAGE, '.'], 2, 'usage'],
    ['a file over the limit', [IMAGE, 'big.png'], 7, 'payload_too_large'],
    // With the reason, not with a broken connection.
    ['a file far over the limit', [IMAGE, 'huge.png'], 7, 'payload_too_large'],
    ['a type that is none', [IMAGE, 'front.png', '--content-type', 'png'], 2, 'usage'],
    ['nothing', [IMAGE], 2, 'usage'],
  ];
  test.each(REFUSED)('vault upload: %s is refused', async (_, argv, exitCode, code) => {
    writeFileSync(path('big.png'), Buffer.alloc(10 * MIB + 1));
    writeFileSync(path('huge.png'), Buffer.alloc(40 * MIB));
    const refused = await run(['vault', 'upload', id, ...argv, '--json']);
    expect(refused).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code, exit_code: exitCode });
    expect(jsonOf(await run(['vault', 'get', id, IMAGE, '--json']))).toEqual({ [IMAGE]: false });
  });

  test.skipIf(process.platform === 'win32')(
    'vault upload: an endless stdin ends with the limit',
    async () => {
      const refused = await redirected(['vault', 'upload', id, IMAGE, '-', '--json'], { stdin: '/dev/zero' });
      expect(refused.code).toBe(7);
      expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'payload_too_large' });
    },
  );
});

describe('vault download', () => {
  const download = (...argv: string[]) => run(['vault', 'download', ...argv]);
  beforeEach(async () => {
    writeFileSync(path('small.png'), 'a picture');
    await run(['vault', 'upload', id, IMAGE, 'small.png']);
  });

  test('vault download: without a reason and a terminal, reads nothing', async () => {
    expect(await download(id, IMAGE, '--out', 'no.png')).toMatchObject({ code: 3, stdout: '' });
    expect(readdirSync(daemon().home).filter((name) => name.startsWith('no.png'))).toEqual([]);
  });

  test('vault download: keeps an existing file, and decrypts nothing', async () => {
    writeFileSync(path('mine.png'), 'mine');
    expect((await download(id, IMAGE, '--reason', 'r', '--out', 'mine.png')).code).toBe(2);
    expect(readFileSync(path('mine.png'), 'utf8')).toBe('mine');
    const log = await run(['audit', 'list', '--entity', id, '--json']);
    expect(jsonOf(log)['data']).toEqual([]);
    expect((await download(id, IMAGE, '--reason', 'r', '--out', 'mine.png', '--force')).code).toBe(0);
    expect(readFileSync(path('mine.png'), 'utf8')).toBe('a picture');
  });

  test('vault download --token: the token is all that is needed', async () => {
    const made = await run(['users', 'token', id, '--scope', 'decrypt_download', '--field', IMAGE]);
    const options = { stdin: made.stdout, environment: { KYCLONE_BASE_URL: daemon().url } };
    const token = ['vault', 'download', '--token', '-'];
    expect((await run([...token, '--json', '--out', 'no.png'], options)).code).toBe(7);
    const saved = await run([...token, '--reason', 'r', '--json', '--out', 'token.png'], options);
    expect(jsonOf(saved)).toMatchObject({ identifier: IMAGE, bytes: 9 });
    expect(readFileSync(path('token.png'), 'utf8')).toBe('a picture');
  });

  test('api: a file goes to stdout as it is', async () => {
    await run(['vault', 'upload', id, IMAGE, 'front.png']);
    const made = await run(`users token ${id} --scope decrypt_download --field ${IMAGE} --reason r`);
    const argv = ['api', 'GET', `/users/vault/decrypt/${made.stdout.trim()}`];
    expect(await redirected(argv, { stdout: path('api.png') })).toEqual(DONE);
    expect(readFileSync(path('api.png')).equals(BYTES)).toBe(true);
  });

  /** What is asked for, the exit code, and the error code. */
  const REFUSED: readonly [string, string, number, string][] = [
    ['a datum that is not there', 'ID document.visa.front.image --reason r --out no.png', 6, 'not_found'],
    ['an identifier without a file', `ID ${IMAGE} --reason r`, 2, 'usage'],
    ['an id alone', 'ID --reason r --out no.png', 2, 'usage'],
    ['neither an id nor a token', '--out no.png', 2, 'usage'],
    ['both an id and a token', `ID ${IMAGE} --token cttok_1 --out no.png`, 2, 'usage'],
    ['an id beside a token', 'ID --token cttok_1 --out no.png', 2, 'usage'],
  ];
  test.each(REFUSED)('vault download: %s is refused and leaves nothing', async (_, line, exitCode, code) => {
    const refused = await run(`vault download ${line.replace(/^ID/, id)} --json`);
    expect(refused).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code, exit_code: exitCode });
    expect(readdirSync(daemon().home).filter((name) => name.startsWith('no'))).toEqual([]);
  });
});

describe('vault download, cut off', () => {
  /** Mints a token, then sends ten bytes of a response of a hundred. */
  const tenOfHundred =
    (then: (hangUp: () => void) => void): RequestListener =>
    (request, response) => {
      if (request.method === 'POST') {
        answerJson(200, { token: 'cttok_1', expires_at: '', fields: [] })(request, response);
        return;
      }
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' });
      response.write(Buffer.alloc(10), () => then(() => request.socket.destroy()));
    };

  test.each(['SIGINT', 'SIGTERM'] as const)('vault download: %s leaves no file', async (signal) => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await using server = await loopbackServer(tenOfHundred(() => arrive()));
    using folder = tempDir();
    mkdirSync(join(folder.path, 'out'));
    const argv = ['vault', 'download', '--token', 'cttok_1', '--out', join('out', 'front.png')];
    const environment = { KYCLONE_BASE_URL: server.url };
    const { child, ended } = spawnCli(argv, { home: folder.path, environment });
    await arrived;
    expect(readdirSync(join(folder.path, 'out'))).toHaveLength(1);
    child.kill(signal);
    await ended;
    expect(child.signalCode).toBe(signal);
    expect(readdirSync(join(folder.path, 'out'))).toEqual([]);
  });
});
