/** With KYCLONE_BASE_URL set, every command either uses the instance at that address or says what to name. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEADING_FLAGS } from '../../../src/cli/shell/command-line.ts';
import { commonFlags } from '../../../src/cli/shell/flags.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { ROOT, startDaemon } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

const KYCLONE = `"${process.execPath}" "${join(ROOT, 'bin/kyclone.js')}"`;

test('exec: stop, restart, start and logs inside mean no instance of the user, and say what to name', async () => {
  await using own = await startDaemon({ isDurable: true });
  for (const command of ['stop', 'restart', 'start -d --port 0', 'logs']) {
    const ran = await runCli(['exec', '--', 'sh', '-c', `${KYCLONE} ${command} --json`], { home: own.home });
    expect(ran, ran.stderr).toMatchObject({ code: 2, stdout: '' });
    const report = ran.stderr.split('\n').find((line) => line.startsWith('{')) ?? '';
    expect(JSON.parse(report)).toMatchObject({
      code: 'instance_unnamed',
      message: expect.stringMatching(/KYCLONE_BASE_URL.*--instance/) as string,
    });
  }
  expect(jsonOf(await runCli(['status', '--json'], { home: own.home }))).toMatchObject({ pid: own.pid });
});

test('exec: env and status inside are of its own instance, not of the user’s durable one', async () => {
  await using own = await startDaemon({ isDurable: true });
  const script = `eval "$(${KYCLONE} env --shell sh)" && ${KYCLONE} status --show-secrets --json && ${KYCLONE} reset --yes >&2`;
  const ran = await runCli(['exec', '--', 'sh', '-c', script], { home: own.home });
  expect(ran.code, ran.stderr).toBe(0);
  expect(jsonOf(ran)).toMatchObject({ ephemeral: true });
  expect([jsonOf(ran)['pid'], jsonOf(ran)['control_token']]).not.toEqual([own.pid, own.controlToken]);
  const named = await runCli(['exec', '--', 'sh', '-c', `${KYCLONE} --instance default status --json`], {
    home: own.home,
  });
  expect(jsonOf(named)).toMatchObject({ pid: own.pid });
});

test('exec: stop, reset and users list inside never reach the instance that KYCLONE_INSTANCE names', async () => {
  await using mine = await startDaemon({ options: ['--instance', 'mine'] });
  const created = await runCli(['users', 'create', '--json', '--instance', 'mine'], { home: mine.home });
  const environment = { KYCLONE_INSTANCE: 'mine' };
  const exported = (script: string) =>
    runCli(['exec', '--', 'sh', '-c', `export KYCLONE_INSTANCE=mine; ${script}`], {
      home: mine.home,
      environment,
    });
  const stopped = await runCli(['exec', '--', process.execPath, join(ROOT, 'bin/kyclone.js'), 'stop'], {
    home: mine.home,
    environment,
  });
  expect(stopped.code, stopped.stderr).toBe(2);
  // The command's shell may read a profile that sets the variable again.
  expect(await exported(`${KYCLONE} stop`)).toMatchObject({ code: 2 });
  expect(await exported(`${KYCLONE} reset --yes`)).toMatchObject({ code: 0 });
  expect(jsonOf(await exported(`${KYCLONE} users list --json`))).toMatchObject({ data: [] });
  const kept = await runCli(['users', 'list', '--json', '--instance', 'mine'], { home: mine.home });
  expect(jsonOf(kept)['data']).toEqual([expect.objectContaining({ id: jsonOf(created)['id'] }) as unknown]);
});

test('KYCLONE_BASE_URL: stop and restart mean the instance at the address, not default', async () => {
  using folder = tempDir();
  await using own = await startDaemon({ home: folder.path });
  await using other = await startDaemon({ home: folder.path, options: ['--instance', 'other'] });
  const environment = { KYCLONE_BASE_URL: other.url.replace('127.0.0.1', 'localhost') };
  const stopped = await runCli(['stop', '--json'], { home: folder.path, environment });
  expect(jsonOf(stopped)).toEqual({ stopped: true, instance: 'other' });
  expect(await runCli(['stop', '--json'], { home: folder.path, environment })).toMatchObject({ code: 0 });
  expect(jsonOf(await runCli(['status', '--json'], { home: folder.path }))).toMatchObject({ pid: own.pid });
});

test('status: shows secrets only on request', async () => {
  await using daemon = await startDaemon();
  const secrets = [daemon.apiKey, daemon.liveApiKey, daemon.controlToken];
  for (const argv of [['status'], ['status', '--json']]) {
    const { stdout } = await runCli(argv, { home: daemon.home });
    expect(stdout).toContain(daemon.url);
    for (const secret of secrets) expect(stdout).not.toContain(secret);
    const { stdout: shown } = await runCli([...argv, '--show-secrets'], { home: daemon.home });
    for (const secret of secrets) expect(shown).toContain(secret);
  }
});

test.each([
  [['--instance', 'other', 'users', 'list', '--json']],
  [['--json', 'users', '--instance=other', 'list']],
  [['users', 'list', '--json', '--instance', 'other']],
])('global flags: %j reaches the instance that is named', async (argv) => {
  await using daemon = await startDaemon({ options: ['--instance', 'other'] });
  expect(jsonOf(await runCli(argv, { home: daemon.home }))).toMatchObject({ data: [] });
});

test('global flags: every command has those that may be first', () => {
  const byType = (isBoolean: boolean) =>
    Object.entries(commonFlags).flatMap(([name, { type }]) =>
      (type === 'boolean') === isBoolean ? [name] : [],
    );
  expect(LEADING_FLAGS).toEqual({ withValue: byType(false), alone: byType(true) });
});

test('SIGSTOP: status, start, stop and doctor say that the daemon hangs, and nothing is signalled', async () => {
  await using daemon = await startDaemon();
  daemon.process.kill('SIGSTOP');
  const refusals = [
    [['status'], 5],
    [['start', '-d', '--ephemeral', '--port', '0'], 8],
    [['start', '--ephemeral', '--port', '0'], 8],
    [['stop'], 1],
  ] as const;
  const run = (argv: readonly string[]) => runCli([...argv, '--json'], { home: daemon.home });
  // Each command waits as long as it may for a response, so they run side by side.
  const ran = await Promise.all(refusals.map(async ([argv, code]) => ({ argv, code, end: await run(argv) })));
  for (const { argv, code, end } of ran) {
    expect(end, argv.join(' ')).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(end.stderr)).toMatchObject({
      code: 'daemon_hangs',
      message: expect.stringContaining(`process ${daemon.pid}) hangs`) as string,
    });
  }
  const { stdout } = await runCli(['doctor', '--json'], { home: daemon.home });
  expect(stdout).toContain(`process ${daemon.pid}) hangs`);
  daemon.process.kill('SIGCONT');
  expect((await runCli(['stop', '--json'], { home: daemon.home })).code).toBe(0);
});
