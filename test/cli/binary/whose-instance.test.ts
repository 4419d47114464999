/** With KYCLONE_BASE_URL set, every command either uses the instance at that address or says what to name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEADING_FLAGS } from '../../../src/cli/shell/command-line.ts';
import { commonFlags } from '../../../src/cli/shell/flags.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { runInside } from '../../support/exec-home.ts';
import { tempDir } from '../../support/temp-dir.ts';
import '../../support/tier-all.ts';

const statusOf = (home: string) => cliIn(() => home).json('status');

test('exec: stop, restart, start and logs inside mean no instance of the user, and say what to name', async () => {
  await using own = await startDaemon({ isDurable: true });
  const commands = [['stop'], ['restart'], ['start', '-d', '--port', '0'], ['logs']];
  const outcomes = await runInside(
    own.home,
    commands.map((argv) => [...argv, '--json']),
  );
  expect(outcomes).toHaveLength(commands.length);
  for (const ran of outcomes) {
    expect(ran, ran.stderr).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      code: 'instance_unnamed',
      message: expect.stringMatching(/KYCLONE_BASE_URL.*--instance/) as string,
    });
  }
  expect(await statusOf(own.home)).toMatchObject({ pid: own.pid });
});

test('exec: env and status inside are of its own instance, not of the user’s durable one', async () => {
  await using own = await startDaemon({ isDurable: true });
  const commands = [
    ['env', '--json'],
    ['status', '--show-secrets', '--json'],
    ['reset', '--yes', '--json'],
    ['--instance', 'default', 'status', '--json'],
  ];
  const outcomes = await runInside(own.home, commands);
  expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
  const [env, status, , named] = outcomes.map(jsonOf);
  expect(status).toMatchObject({ ephemeral: true });
  expect(env).toMatchObject({
    KYCLONE_BASE_URL: status?.['base_url'],
    KYCLONE_CONTROL_TOKEN: status?.['control_token'],
  });
  expect([status?.['pid'], status?.['control_token']]).not.toEqual([own.pid, own.controlToken]);
  expect(named).toMatchObject({ pid: own.pid });
});

test('exec: stop, reset and users list inside never reach the instance that KYCLONE_INSTANCE names', async () => {
  await using mine = await startDaemon({ options: ['--instance', 'mine'] });
  const { json } = cliIn(() => mine.home);
  const created = await json(['users', 'create', '--instance', 'mine']);
  // exec removes the variable, but the command's shell may read a profile that sets it again.
  const variables = { KYCLONE_INSTANCE: 'mine' };
  const commands = [['stop'], ['reset', '--yes'], ['users', 'list', '--json']];
  const [stopped, reset, listed] = await runInside(mine.home, commands, variables);
  expect([stopped?.code, reset?.code, listed?.code]).toEqual([2, 0, 0]);
  expect(JSON.parse(listed?.stdout ?? '')).toMatchObject({ data: [] });
  const kept = await json(['users', 'list', '--instance', 'mine']);
  expect(kept['data']).toEqual([expect.objectContaining({ id: created['id'] }) as unknown]);
});

test('KYCLONE_BASE_URL: stop and restart mean the instance at the address, not default', async () => {
  using folder = tempDir();
  await using own = await startDaemon({ home: folder.path });
  await using other = await startDaemon({ home: folder.path, options: ['--instance', 'other'] });
  const environment = { KYCLONE_BASE_URL: other.url.replace('127.0.0.1', 'localhost') };
  const { json } = cliIn(() => folder.path);
  expect(await json('stop', { environment })).toEqual({ stopped: true, instance: 'other' });
  expect(await json('stop', { environment })).toMatchObject({ stopped: false });
  expect(await statusOf(folder.path)).toMatchObject({ pid: own.pid });
});

test('status: shows secrets only on request', async () => {
  await using daemon = await startDaemon();
  const secrets = [daemon.apiKey, daemon.liveApiKey, daemon.controlToken];
  const { run } = cliIn(() => daemon.home);
  for (const line of ['status', 'status --json']) {
    const { stdout } = await run(line);
    expect(stdout).toContain(daemon.url);
    for (const secret of secrets) expect(stdout).not.toContain(secret);
    const { stdout: shown } = await run(`${line} --show-secrets`);
    for (const secret of secrets) expect(shown).toContain(secret);
  }
});

test('global flags: reach the instance that is named, before and behind the command', async () => {
  await using daemon = await startDaemon({ options: ['--instance', 'other'] });
  const { run } = cliIn(() => daemon.home);
  for (const line of [
    '--instance other users list --json',
    '--json users --instance=other list',
    'users list --json --instance other',
  ])
    expect(jsonOf(await run(line)), line).toMatchObject({ data: [] });
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
    [['stop'], 5],
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
  const { stdout } = await runInProcess(['doctor', '--json'], { home: daemon.home });
  expect(stdout).toContain(`process ${daemon.pid}) hangs`);
  daemon.process.kill('SIGCONT');
  expect((await runInProcess(['stop', '--json'], { home: daemon.home })).code).toBe(0);
});

test('a damaged locator: status and stop say so in the same sentence, and end alike', async () => {
  await using daemon = await startDaemon();
  const file = join(daemon.home, 'state', 'default', 'daemon.json');
  const whole = readFileSync(file);
  writeFileSync(file, '{');
  const { run } = cliIn(() => daemon.home);
  const [status, stop] = [await run('status --json'), await run('stop --json')];
  expect(status).toMatchObject({ code: 5, stdout: '' });
  expect(JSON.parse(status.stderr)).toMatchObject({ code: 'locator_damaged' });
  expect(stop).toEqual(status);
  writeFileSync(file, whole);
});

test('transform: the bundle finds the tables of to_ascii beside it', async () => {
  using home = tempDir();
  const { stdout } = await runInProcess(['transform', 'to_ascii', 'Łódź'], { home: home.path });
  expect(stdout).toBe('Lodz\n');
});

test('a key of the environment that goes with no address is not used without a word', async () => {
  await using own = await startDaemon();
  const { run, json } = cliIn(() => own.home);
  const key = String((await json(['keys', 'create', '--tenant', 'jane', '--name', 'jane']))['key']);
  const says = /KYCLONE_API_KEY is not used.*tenant default/;
  const users = (environment: Record<string, string>) => run('users list', { environment });
  expect((await users({ KYCLONE_API_KEY: key })).stderr).toMatch(says);
  const environment = await json('env');
  const [KYCLONE_BASE_URL, KYCLONE_API_KEY] = [
    String(environment['KYCLONE_BASE_URL']),
    String(environment['KYCLONE_API_KEY']),
  ];
  expect((await users({ KYCLONE_API_KEY })).stderr).toBe('');
  expect((await users({ KYCLONE_BASE_URL, KYCLONE_API_KEY: key })).stderr).not.toMatch(says);
});
