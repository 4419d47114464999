/** `kyclone proxy echo`, the real binary: the files that it writes, its ends, and what it refuses. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT } from '../../support/daemon.ts';
import { folderOf, httpUrl, post, startEcho } from '../../support/echo.ts';
import { refusal } from '../../support/cli-in-process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import '../../support/tier-all.ts';

/** Starts an echo and kills it before it can clean up; returns the folder that remains. */
async function killedEcho(home: string): Promise<string> {
  await using echo = await startEcho(home, ['--mutual-tls']);
  return folderOf(echo);
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('proxy echo: %s ends it with %i, and its files', async (signal, code) => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--mutual-tls']);
  const folder = folderOf(echo);
  expect(existsSync(folder)).toBe(true);
  const slow = expect(post(`${httpUrl(echo)}/slow/120000`, '')).rejects.toThrow();
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
  await post(httpUrl(echo), '').catch(() => undefined);
  expect(await echo.ended).toEqual({ code: 141, stderr: '' });
  expect(existsSync(folder)).toBe(false);
});

test('proxy echo: --stop-after prints no request more, whatever comes while the last is answered', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--stop-after', '1']);
  const first = post(`${httpUrl(echo)}/slow/1000`, '');
  expect(await echo.next()).toMatchObject({ number: 1 });
  await post(`${httpUrl(echo)}/another`, '').catch(() => undefined);
  expect(await first).toBe(200);
  expect(await echo.next()).toBeUndefined();
  expect((await echo.ended).code).toBe(0);
});

test('proxy echo: --out puts the files where they are wanted, and takes them away again', async () => {
  using home = tempDir();
  await using echo = await startEcho(home.path, ['--out', 'certificates', '--stop-after', '1']);
  const folder = join(home.path, 'certificates');
  expect(readdirSync(folder).sort()).toEqual(['ca.pem', 'server.pem']);
  await post(httpUrl(echo), '');
  expect((await echo.ended).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test('proxy echo: removes the files of a killed echo, and none of a running one', async () => {
  using home = tempDir();
  await using running = await startEcho(home.path, ['--mutual-tls']);
  const left = await killedEcho(home.path);
  expect(dirname(left)).toBe(join(home.path, 'state', 'default'));
  expect(readdirSync(left)).toContain('client-key.pem');
  await using next = await startEcho(home.path);
  expect(existsSync(left)).toBe(false);
  expect(readdirSync(folderOf(running))).toContain('client-key.pem');
  expect(readdirSync(folderOf(next))).toContain('ca.pem');
});

test.each([
  [['--out', ''], '--out is empty'],
  [['--port', '4640', '--tls-port', '4640'], '--port and --tls-port are the same'],
])('proxy echo %j: is a mistake, and nothing is written', async (flags, message) => {
  using home = tempDir();
  expect(await runCli(['proxy', 'echo', ...flags], { home: home.path })).toMatchObject(refusal(2, message));
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
    expect(refused.stderr).toContain(
      'The folder of --out cannot be created: there is no such file or folder (ENOENT)',
    );
  },
);
