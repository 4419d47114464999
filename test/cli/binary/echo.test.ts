/** `kyclone proxy echo`, the real binary: its output, its end, and the files that remain. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../../support/daemon.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';

type Event = Readonly<Record<string, unknown>>;

interface RunningEcho extends AsyncDisposable {
  readonly listening: Event;
  readonly httpUrl: string;
  /** Returns the next event that it prints, or undefined when there are no more. */
  next(): Promise<Event | undefined>;
  /** Stops reading its output. */
  leave(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or 128 plus the signal's number, and everything that it wrote to stderr. */
  readonly ended: Promise<{ code: number; stderr: string }>;
}

async function startEcho(home: string, options: readonly string[] = []): Promise<RunningEcho> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'bin', 'kyclone.js'), 'proxy', 'echo', '--json', ...options],
    { env: cleanEnvironment(home), cwd: home, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    return done === true ? undefined : (JSON.parse(value) as Event);
  };
  const ended = once(child, 'close').then((args) => {
    const [code, signal] = args as [number | null, NodeJS.Signals | null];
    return { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stderr };
  });
  const listening = await next();
  if (listening === undefined) throw new Error(`no echo: ${stderr}`);
  return {
    listening,
    httpUrl: String(listening['http_url']),
    next,
    leave: () => child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts an echo and kills it before it can clean up; returns the folder that remains. */
async function killedEcho(home: string): Promise<string> {
  await using echo = await startEcho(home, ['--mutual-tls']);
  return folderOf(echo);
}

/** Returns the folder of its certificates. */
const folderOf = ({ listening }: RunningEcho) => dirname(String(listening['ca_file']));

async function post(url: string, body: string): Promise<number> {
  return (await fetch(url, { method: 'POST', body, headers: { 'x-secret': 'header-value' } })).status;
}

test('proxy echo: prints where it listens, then each request, without its values', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path);
  expect(echo.listening).toMatchObject({ type: 'listening', mutual_tls: false, client_key_file: null });
  expect(await post(`${echo.httpUrl}/status/207?q=query-value`, 'body-value')).toBe(207);
  const event = await echo.next();
  expect(event).toMatchObject({
    type: 'request',
    number: 1,
    path: '/status/207',
    body_bytes: 10,
    status: 207,
  });
  expect(event?.['header_names']).toContain('x-secret');
  expect(JSON.stringify(event)).not.toContain('-value');
});

test('proxy echo: --show-bodies prints the values too', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--show-bodies']);
  await post(`${echo.httpUrl}/?q=query-value`, 'body-value');
  expect(await echo.next()).toMatchObject({
    content: { query: '?q=query-value', headers: { 'x-secret': 'header-value' }, body: 'body-value' },
  });
});

test('proxy echo: with --mutual-tls writes the files that a client needs', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls']);
  const read = (name: string) => readFileSync(String(echo.listening[name]));
  const outgoing = request(String(echo.listening['https_url']), {
    agent: false,
    ca: read('ca_file'),
    cert: read('client_certificate_file'),
    key: read('client_key_file'),
  });
  outgoing.end();
  await once(outgoing, 'response');
  expect(await echo.next()).toMatchObject({
    type: 'request',
    tls: { version: 'TLSv1.3', client_certificate: 'CN=kyclone echo client' },
  });
});

test('proxy echo: a client without the certificate is reported as a failure', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls']);
  const ca = readFileSync(String(echo.listening['ca_file']));
  const outgoing = request(String(echo.listening['https_url']), { agent: false, ca });
  outgoing.end();
  await expect(once(outgoing, 'response')).rejects.toThrow();
  expect(await echo.next()).toMatchObject({
    type: 'tls_failure',
    reason: 'the client showed no certificate',
  });
});

test('proxy echo: its files are private, and in the state folder of the instance', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls', '--instance', 'other']);
  const folder = folderOf(echo);
  expect(dirname(folder)).toBe(join(home.path, 'state', 'other'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const names = readdirSync(folder).sort();
  expect(names).toEqual(['ca.pem', 'client-key.pem', 'client.pem', 'server.pem']);
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('proxy echo: %s ends it with %i, and its files', async (signal, code) => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls']);
  const folder = folderOf(echo);
  expect(existsSync(folder)).toBe(true);
  const slow = expect(post(`${echo.httpUrl}/slow/120000`, '')).rejects.toThrow();
  await echo.next();
  echo.kill(signal);
  expect(await echo.ended).toEqual({ code, stderr: '' });
  await slow;
  expect(existsSync(folder)).toBe(false);
});

test('proxy echo: a reader that is gone ends it, and its files', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path);
  const folder = folderOf(echo);
  echo.leave();
  await post(echo.httpUrl, '').catch(() => undefined);
  expect(await echo.ended).toEqual({ code: 141, stderr: '' });
  expect(existsSync(folder)).toBe(false);
});

test('proxy echo: --stop-after ends it when so many requests have their answers', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--stop-after', '3']);
  const folder = folderOf(echo);
  expect(await post(`${echo.httpUrl}/one`, '')).toBe(200);
  expect(await post(`${echo.httpUrl}/two`, '')).toBe(200);
  expect(await post(`${echo.httpUrl}/slow/50`, '')).toBe(200);
  expect([await echo.next(), await echo.next(), await echo.next()]).toMatchObject([
    { path: '/one' },
    { path: '/two' },
    { path: '/slow/50' },
  ]);
  expect(await echo.next()).toBeUndefined();
  expect(await echo.ended).toEqual({ code: 0, stderr: '' });
  expect(existsSync(folder)).toBe(false);
});

test('proxy echo: --stop-after prints no request more, whatever comes while the last is answered', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--stop-after', '1']);
  const first = post(`${echo.httpUrl}/slow/1000`, '');
  expect(await echo.next()).toMatchObject({ number: 1 });
  await post(`${echo.httpUrl}/another`, '').catch(() => undefined);
  expect(await first).toBe(200);
  expect(await echo.next()).toBeUndefined();
  expect((await echo.ended).code).toBe(0);
});

test('proxy echo: --out puts the files where they are wanted, and takes them away again', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--out', 'certificates', '--stop-after', '1']);
  const folder = join(home.path, 'certificates');
  expect(readdirSync(folder).sort()).toEqual(['ca.pem', 'server.pem']);
  await post(echo.httpUrl, '');
  expect((await echo.ended).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test('proxy echo: removes the files of a killed echo, and none of a running one', async () => {
  using home = tempDir();
  await using running = await startEcho(home.path, ['--mutual-tls']);
  const left = await killedEcho(home.path);
  expect(readdirSync(left)).toContain('client-key.pem');
  await using next = await startEcho(home.path);
  expect(existsSync(left)).toBe(false);
  expect(readdirSync(folderOf(running))).toContain('client-key.pem');
  expect(readdirSync(folderOf(next))).toContain('ca.pem');
});

test('proxy echo: takes that away with --out too', async () => {
  using home = tempDir();
  const left = await killedEcho(home.path);
  await using echo = await startEcho(home.path, ['--out', 'certificates']);
  expect(folderOf(echo)).toBe(join(home.path, 'certificates'));
  expect(existsSync(left)).toBe(false);
});

test('proxy echo: an empty --out is a mistake, not the working directory', async () => {
  using home = tempDir();
  const refused = await runCli(['proxy', 'echo', '--out', ''], { home: home.path });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--out is empty');
  expect(readdirSync(home.path)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'proxy echo: a folder that cannot be created is refused, not tried for ever',
  () => {
    using home = tempDir();
    const refused = spawnSync(
      process.execPath,
      [join(ROOT, 'bin', 'kyclone.js'), 'proxy', 'echo', '--out', '/proc/x/y'],
      // A command that retries for ever would end only by SIGKILL.
      { env: cleanEnvironment(home.path), encoding: 'utf8', timeout: 15_000, killSignal: 'SIGKILL' },
    );
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('The folder of --out cannot be created (ENOENT)');
  },
);

test('proxy echo: one port for both servers is a mistake that names both', async () => {
  using home = tempDir();
  const refused = await runCli(['proxy', 'echo', '--port', '4640', '--tls-port', '4640'], {
    home: home.path,
  });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--port and --tls-port are the same');
});

test('proxy echo: 0 for both is a free one for each', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--port', '0', '--tls-port', '0']);
  expect(await post(echo.httpUrl, '')).toBe(200);
});

test('proxy echo: the command that it prints names the instance that was named', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--instance', 'other']);
  expect(echo.listening['send']).toContain(' --instance other ');
});

test.each(['--port', '--tls-port'])(
  'proxy echo: a taken %s is a conflict, and leaves nothing',
  async (flag) => {
    using home = tempDir();
    await using taken = await loopbackServer(answerJson(200, {}));
    const refused = await runCli(['proxy', 'echo', flag, String(taken.port), '--json'], { home: home.path });
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'port_taken', exit_code: 8 });
    expect(existsSync(join(home.path, 'state'))).toBe(false);
  },
);

test('proxy echo: for people it shows addresses, files and a command to try', async () => {
  using home = tempDir();
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'kyclone.js'), 'proxy', 'echo'], {
    env: cleanEnvironment(home.path),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [shown] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGTERM');
  child.stdout.resume();
  await once(child, 'exit');
  expect(shown.toString()).toMatch(/^http {16}http:\/\/127\.0\.0\.1:\d+\n/);
  expect(shown.toString()).toContain('\n$ kyclone proxy send --target https://127.0.0.1:');
});

test('proxy echo: the command that it prints sends something, by mutual TLS', async () => {
  await using daemon = await startDaemon();
  await using echo = await startEcho(daemon.home, ['--mutual-tls', '--show-bodies']);
  const user = jsonOf(
    await runCli(['users', 'create', 'id.first_name=Jane', '--json'], { home: daemon.home }),
  );
  const script = String(echo.listening['send']).replace(/^kyclone /, '"$NODE" "$KYCLONE" ');
  const shell = spawn('sh', ['-c', script], {
    stdio: 'ignore',
    env: cleanEnvironment(daemon.home, {
      NODE: process.execPath,
      KYCLONE: join(ROOT, 'bin', 'kyclone.js'),
      FP_ID: String(user['id']),
    }),
  });
  expect(await once(shell, 'exit')).toEqual([0, null]);
  expect(await echo.next()).toMatchObject({
    tls: { client_certificate: 'CN=kyclone echo client' },
    content: { body: '{"name": "JANE"}' },
  });
});
