/** `kyclone proxy echo`, the real binary: its output. Its files and its ends are in echo-files.test.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../../support/daemon.ts';
import { httpUrl, post, startEcho } from '../../support/echo.ts';
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
