/** `kyclone proxy echo`, the real binary: its output. Its files and its ends are in echo-files.test.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../../support/daemon.ts';
import { folderOf, httpUrl, post, startEcho } from '../../support/echo.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('proxy echo: prints where it listens, then each request, without its values', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path);
  expect(echo.first).toMatchObject({ type: 'listening', mutual_tls: false, client_key_file: null });
  expect(await post(`${httpUrl(echo)}/status/207?q=query-value`, 'body-value')).toBe(207);
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

test('proxy echo: with --mutual-tls writes the files that a client needs', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls']);
  const read = (name: string) => readFileSync(String(echo.first[name]));
  const outgoing = request(String(echo.first['https_url']), {
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

test('proxy echo: --stop-after ends it when so many requests have their answers', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--stop-after', '3']);
  const folder = folderOf(echo);
  expect(await post(`${httpUrl(echo)}/one`, '')).toBe(200);
  expect(await post(`${httpUrl(echo)}/two`, '')).toBe(200);
  expect(await post(`${httpUrl(echo)}/slow/50`, '')).toBe(200);
  expect([await echo.next(), await echo.next(), await echo.next()]).toMatchObject([
    { path: '/one' },
    { path: '/two' },
    { path: '/slow/50' },
  ]);
  expect(await echo.next()).toBeUndefined();
  expect(await echo.ended).toEqual({ code: 0, stderr: '' });
  expect(existsSync(folder)).toBe(false);
});

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
  const script = String(echo.first['send']).replace(/^kyclone /, '"$NODE" "$KYCLONE" ');
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
