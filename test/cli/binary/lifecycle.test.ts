import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { jsonOf, runCli, type CliOptions, type CliOutcome, linesOf, spawnCli } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../../support/daemon.ts';
import { startCli } from '../../support/running-cli.ts';
import { loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';

type Run = (argv: readonly string[], options?: Partial<CliOptions>) => Promise<CliOutcome>;

/** Makes a home; its default instance is stopped at the end. */
function cliHome(): AsyncDisposable & { readonly path: string; readonly run: Run } {
  const folder = tempDir();
  const run: Run = (argv, options = {}) => runInProcess(argv, { home: folder.path, ...options });
  return {
    path: folder.path,
    run,
    async [Symbol.asyncDispose]() {
      await run(['stop']);
      folder[Symbol.dispose]();
    },
  };
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

const START = ['start', '-d', '--ephemeral', '--port', '0'];

describe('start -d', () => {
  test('start -d: answers one flat object with all that a script needs', async () => {
    await using home = cliHome();
    const started = await home.run([...START, '--json']);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout.trimEnd()).not.toContain('\n');
    expect(jsonOf(started)).toMatchObject({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      docs_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_kyclone\/docs$/) as string,
      api_key: expect.stringMatching(/^sk_test_\w{32}$/) as string,
      live_api_key: expect.stringMatching(/^sk_live_\w{32}$/) as string,
      control_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      instance: 'default',
      pid: expect.any(Number) as number,
      version: (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version,
      ephemeral: true,
      storage: 'ephemeral',
    });
    const status = jsonOf(await home.run(['status', '--json']));
    expect(jsonOf(started)).toMatchObject(status);
  });

  test('start -d: a second start returns the first instance', async () => {
    await using home = cliHome();
    const first = jsonOf(await home.run([...START, '--json']));
    const second = await home.run([...START, '--json']);
    expect(second.code).toBe(0);
    expect(jsonOf(second)).toMatchObject({ pid: first['pid'], already_running: true });
    expect(second.stderr).not.toContain('in memory');
    const third = await home.run(['start', '-d']);
    expect(third.code).toBe(0);
    expect(third.stderr).toContain('Its data is in memory');
  });

  test('start -d: a running instance that differs from what is asked is a conflict that names each difference', async () => {
    await using home = cliHome();
    const first = jsonOf(await home.run([...START, '--seed', 'a', '--json']));
    const { port } = new URL(String(first['base_url']));
    const same = ['--ephemeral', '--port', port, '--seed', 'a', '--set', 'egress.policy=local'];
    expect(await home.run(['start', '-d', ...same])).toMatchObject({ code: 0 });
    expect(await home.run(['start', '-d'])).toMatchObject({ code: 0 });
    const differs = ['--port', '1', '--seed', 'b', '--set', 'egress.policy=strict', '--data-dir', home.path];
    const { code, stderr } = await home.run(['start', '-d', ...differs]);
    expect(code).toBe(8);
    expect(stderr).toContain(
      `without --port 1 (it serves port ${port}); --seed b (it was started with a); ` +
        `--data-dir ${home.path} (it was started with none); --set egress.policy=strict`,
    );
    for (const wrong of [
      '--set egress.policy=x',
      '--set egress=local',
      '--seed ',
      '--port 70000',
      '--clock x',
    ]) {
      const refused = await home.run(['start', '-d', ...wrong.split(' ')]);
      expect(refused, wrong).toMatchObject({ code: 2, stdout: '' });
    }
  });

  async function expectOneDaemon(argv: readonly string[], options: CliOptions): Promise<void> {
    const start = () => runCli([...argv, '--json'], options);
    const both = await Promise.all([start(), start()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(both.map((each) => jsonOf(each)['pid'])).size).toBe(1);
  }

  test('start -d: two at once end with one daemon', async () => {
    await using home = cliHome();
    await expectOneDaemon(START, { home: home.path });
  });

  test.runIf(process.platform === 'linux')(
    'start -d: the second of two at once waits as long as the first waits for a keychain that never answers',
    async () => {
      await using home = cliHome();
      const socket = join(home.path, 'bus');
      const bus = createServer(() => undefined);
      await new Promise<void>((resolve) => bus.listen(socket, resolve));
      onTestFinished(() => void bus.close());
      const environment = { KYCLONE_NO_KEYCHAIN: undefined, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
      await expectOneDaemon(['start', '-d', '--port', '0'], { home: home.path, environment });
    },
  );

  test('start -d: kept settings are applied', async () => {
    await using home = cliHome();
    expect((await home.run(['config', 'set', 'egress.policy', 'strict'])).code).toBe(0);
    await home.run(START);
    const settings = jsonOf(await home.run(['api', 'GET', '/_kyclone/settings']));
    expect(settings).toMatchObject({ egress: { policy: 'strict' } });
  });
});

/** Starts an instance in the foreground, and returns what it prints. */
async function startInForeground(home: string) {
  const { child } = spawnCli(['start', '--ephemeral', '--port', '0', '--json'], { home });
  const line = (await linesOf(child)()) ?? '';
  return { child, ...(JSON.parse(line) as { pid: number; base_url: string }) };
}

describe('start', () => {
  test('start: serves in the foreground until a signal, and ends as the daemon does', async () => {
    using folder = tempDir();
    const { child, pid, base_url: url } = await startInForeground(folder.path);
    expect((await fetch(`${url}/_kyclone/health`)).status).toBe(200);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test('start: answers 128 and the signal when the daemon is killed', async () => {
    using folder = tempDir();
    const { child, pid } = await startInForeground(folder.path);
    process.kill(pid, 'SIGKILL');
    expect(await once(child, 'exit')).toEqual([137, null]);
  });

  test.each(['SIGKILL', 'SIGQUIT'] as const)('start: a %s leaves no daemon on the port', async (signal) => {
    using folder = tempDir();
    const { child, pid } = await startInForeground(folder.path);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    await expect.poll(() => hasEnded(pid)).toBe(true);
  });

  test('start: a running instance is a conflict', async () => {
    await using home = cliHome();
    await home.run(START);
    expect(await home.run(['start', '--ephemeral', '--port', '0'])).toMatchObject({ code: 8, stdout: '' });
  });
});

describe('stop, restart, wait', () => {
  test('stop: is fine when nothing runs', async () => {
    await using home = cliHome();
    const stopped = await home.run(['stop', '--json']);
    expect(stopped.code).toBe(0);
    expect(jsonOf(stopped)).toEqual({ stopped: false, instance: 'default' });
  });

  test('stop: ends the daemon and its locator', async () => {
    await using home = cliHome();
    await home.run(START);
    expect(jsonOf(await home.run(['stop', '--json']))).toMatchObject({ stopped: true });
    expect(existsSync(join(home.path, 'state', 'default', 'daemon.json'))).toBe(false);
    expect(await home.run(['status'])).toMatchObject({ code: 5, stdout: '' });
  });

  test('restart: is another process at the same address', async () => {
    await using home = cliHome();
    const before = jsonOf(await home.run([...START, '--json']));
    const after = jsonOf(await home.run(['restart', '--json']));
    expect(after).toMatchObject({ base_url: before['base_url'], ephemeral: true });
    expect(after['pid']).not.toBe(before['pid']);
  });

  test('restart: store and key file stay where they are; without the key that only a variable has, nothing is stopped', async () => {
    await using home = cliHome();
    const places = ['--data-dir', join(home.path, 'elsewhere'), '--key-file', join(home.path, 'the.key')];
    await home.run(['start', '-d', '--port', '0', ...places]);
    await home.run(['users', 'create', '--external-id', 'kept-user']);
    expect(await home.run(['restart'])).toMatchObject({ code: 0 });
    const kept = await home.run(['users', 'list', '--external-id', 'kept-user', '--json']);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('"kept-user"') as string });

    await using other = cliHome();
    const env = { KYCLONE_VAULT_KEY: 'a'.repeat(64) };
    const before = jsonOf(await other.run(['start', '-d', '--port', '0', '--json'], { environment: env }));
    expect(await other.run(['restart'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('KYCLONE_VAULT_KEY is not set here') as string,
    });
    await other.run(['users', 'create']);
    await using holder = await loopbackServer((_, answer) => answer.end());
    const file = join(other.path, 'state.kysnap');
    await other.run(['snapshot', 'create', '--file', file]);
    for (const [flags, why, code] of [
      [['--port', new URL(holder.url).port], 'is taken', 8],
      [['--host', '0.0.0.0'], '--allow-remote', 2],
      [['--key-file', join(other.path, 'nowhere.key')], 'nowhere.key does not exist', 4],
      [['--import', file], 'without entities', 8],
    ] as const) {
      const refused = await other.run(['restart', ...flags], { environment: env });
      expect(refused.code, why).toBe(code);
      expect(refused.stderr).toContain(why);
      expect(refused.stderr).toContain('nothing was stopped');
    }
    expect(jsonOf(await other.run(['status', '--json']))).toMatchObject({ pid: before['pid'] });
    expect(await other.run(['restart'], { environment: env })).toMatchObject({ code: 0 });
  });
});

describe('instances', () => {
  test('KYCLONE_BASE_URL: speaks to that daemon as that key, without a locator; --instance overrides it', async () => {
    await using daemon = await startDaemon();
    await using home = cliHome();
    const environment = { KYCLONE_BASE_URL: daemon.url, KYCLONE_API_KEY: daemon.apiKey };
    expect((await home.run(['users', 'list'], { environment })).code).toBe(0);
    expect((await home.run(['audit', 'list'], { environment })).code).toBe(4);
    const withToken = { ...environment, KYCLONE_CONTROL_TOKEN: daemon.controlToken };
    expect(jsonOf(await home.run(['status', '--json'], { environment: withToken }))).toMatchObject({
      pid: daemon.pid,
    });
    expect((await home.run(['status', '--instance', 'default'], { environment: withToken })).code).toBe(5);
  });
});

test('env: an address in the shell is followed, and one where nothing is names no other instance', async () => {
  await using daemon = await startDaemon();
  await using home = cliHome();
  const own = cliIn(() => daemon.home, 'env');
  const gone = { KYCLONE_BASE_URL: 'http://127.0.0.1:9', KYCLONE_API_KEY: 'sk_test_gone' };
  expect(await own.run('--json', { environment: gone })).toMatchObject({ code: 5, stdout: '' });
  const stale = {
    KYCLONE_BASE_URL: daemon.url,
    KYCLONE_API_KEY: 'sk_test_gone',
    KYCLONE_CONTROL_TOKEN: 'old',
  };
  const there = { KYCLONE_BASE_URL: daemon.url, KYCLONE_API_KEY: daemon.apiKey };
  expect(await own.json([], { environment: stale })).toMatchObject(there);
  expect(jsonOf(await home.run(['env', '--json'], { environment: there }))).toEqual(there);
  const behindProxy = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'a.example' };
  const direct = 'a.example,127.0.0.1,localhost';
  expect(await own.json([], { environment: behindProxy })).toMatchObject({
    ...there,
    NO_PROXY: direct,
    no_proxy: direct,
  });
});

test('env: a shell that evaluates it speaks to the daemon', async () => {
  await using daemon = await startDaemon();
  const script = `eval "$('${process.execPath}' '${join(ROOT, 'bin/kyclone.js')}' env --shell sh)" && printf '%s %s %s' "$KYCLONE_BASE_URL" "$KYCLONE_API_KEY" "$KYCLONE_CONTROL_TOKEN"`;
  const shell = spawn('sh', ['-c', script], {
    env: cleanEnvironment(daemon.home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await text(shell.stdout)).toBe(`${daemon.url} ${daemon.apiKey} ${daemon.controlToken}`);
  const live = jsonOf(await runInProcess(['env', '--live', '--json'], { home: daemon.home }));
  expect(live['KYCLONE_API_KEY']).toBe(daemon.liveApiKey);
});

test('env: --live uses the live key where env was evaluated, and never the key of the sandbox', async () => {
  await using daemon = await startDaemon();
  const { run, json } = cliIn(() => daemon.home);
  const environment = await json<Record<string, string>>('env');
  const live = await json('users create --live', { environment });
  expect(live['sandbox_id'] ?? null).toBeNull();

  const { KYCLONE_LIVE_API_KEY, ...sandbox } = environment;
  expect(KYCLONE_LIVE_API_KEY).toBe(daemon.liveApiKey);
  const refused = await run('users create --live --json', { environment: sandbox });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--live needs KYCLONE_LIVE_API_KEY');
});

test("logs: prints the daemon's log, as JSON lines on request", async () => {
  await using home = cliHome();
  expect((await home.run(['logs'])).code).toBe(6);
  await home.run(START);
  await home.run(['stop']);
  const logs = await home.run(['logs', '--json']);
  const events = logs.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event?: string }).event);
  expect(events).toContain('started');
  expect(events.at(-1)).toBe('stopped');
  expect((await home.run(['logs', '--lines', '1'])).stdout.trim().split('\n')).toHaveLength(1);
});

test('logs -f: a reader that is gone ends it', async () => {
  await using home = cliHome();
  await home.run(START);
  await using logs = await startCli(['logs', '-f'], { home: home.path });
  logs.leave();
  await home.run(['users', 'list']);
  expect(await logs.ended).toEqual({ code: 141, stderr: '' });
});

test('doctor: finds no problem in a fresh home, and finds files open to others', async () => {
  await using home = cliHome();
  const well = await home.run(['doctor', '--json']);
  expect(well.code).toBe(0);
  expect(jsonOf(well)).toMatchObject({ ok: true });
  await home.run(START);
  chmodSync(join(home.path, 'state', 'default', 'api-keys.json'), 0o644);
  const ill = await home.run(['doctor', '--json']);
  expect(ill.code).toBe(1);
  expect(jsonOf(ill)).toMatchObject({ ok: false });
  chmodSync(join(home.path, 'state', 'default', 'api-keys.json'), 0o600);
});
