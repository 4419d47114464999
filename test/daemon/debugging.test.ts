/** Only the API gives access to a running daemon. A debugger, a heap snapshot and a report don't. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import '../support/tier-all.ts';

const KYCLONED = join(ROOT, 'bin', 'kycloned.js');
const ENOUGH_REQUESTS = 50;

/** Starts the daemon with options of Node. `words` returns what it has written to stderr. */
async function runDaemon(home: string, { nodeOptions = '', nodeFlags = [] as string[] } = {}) {
  const child = spawn(process.execPath, [...nodeFlags, KYCLONED, '--ephemeral', '--port', '0'], {
    cwd: home,
    env: cleanEnvironment(home, { NODE_OPTIONS: nodeOptions }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (words += chunk));
  const [ready] = (await once(child, 'message')) as [{ url: string; pid: number; notices: string[] }];
  return {
    ...ready,
    words: () => words,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Sends a signal, and gives it time to take effect with requests through the daemon's event loop. */
    async signal(name: NodeJS.Signals) {
      child.kill(name);
      for (
        let round = 0;
        round < ENOUGH_REQUESTS && child.exitCode === null && child.signalCode === null;
        round++
      ) {
        await fetch(`${ready.url}/_kyclone/health`).catch(() => undefined);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('SIGUSR1: opens no debugger in the daemon, which continues (bug: Node opened one)', async () => {
  using home = tempDir();
  await using daemon = await runDaemon(home.path, { nodeOptions: '--inspect-port=0' });
  await daemon.signal('SIGUSR1');
  expect(daemon.words()).not.toMatch(/Debugger|inspector/);
  expect(daemon.isAlive()).toBe(true);
});

test('SIGUSR1: opens no debugger in a command that holds keys (Node opened one)', async () => {
  await using daemon = await startDaemon();
  const child = spawn(
    process.execPath,
    ['--inspect-port=0', join(ROOT, 'bin', 'kyclone.js'), 'requests', 'tail', '--json'],
    { env: cleanEnvironment(daemon.home) },
  );
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (words += chunk));
  const call = () => fetch(`${daemon.url}/users`, { headers: { 'x-service-secret-key': daemon.apiKey } });
  const tailed = once(child.stdout, 'data');
  const calls = setInterval(() => void call(), 50);
  await tailed;
  child.kill('SIGUSR1');
  // The command continues to report calls, and doesn't report a debugger.
  for (let round = 0; round < 3; round++) await once(child.stdout, 'data');
  clearInterval(calls);
  child.kill('SIGKILL');
  expect(words).toBe('');
});

test.each([
  '--heapsnapshot-signal=SIGUSR2',
  '--report-on-signal',
  '--report-on-signal --report-signal=SIGHUP',
])("%s: writes no file with the daemon's memory", async (nodeOptions) => {
  using home = tempDir();
  await using daemon = await runDaemon(home.path, { nodeOptions });
  await daemon.signal(nodeOptions.includes('SIGHUP') ? 'SIGHUP' : 'SIGUSR2');
  expect(readdirSync(home.path).filter((name) => /heapsnapshot|report/.test(name))).toEqual([]);
});

test('NODE_OPTIONS=--inspect: the daemon closes the debugger of the environment, and logs it', async () => {
  using home = tempDir();
  await using daemon = await runDaemon(home.path, { nodeOptions: '--inspect=127.0.0.1:0' });
  const [, port = ''] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(daemon.words()) ?? [];
  expect(daemon.notices).toContainEqual(expect.stringContaining('NODE_OPTIONS had opened a debugger'));
  await expect(fetch(`http://127.0.0.1:${port}/json/list`)).rejects.toThrow();
});

test('node --inspect: a requested debugger stays open, and is reported', async () => {
  using home = tempDir();
  await using daemon = await runDaemon(home.path, { nodeFlags: ['--inspect=127.0.0.1:0'] });
  expect(daemon.notices).toContainEqual(expect.stringContaining('A debugger is open'));
});

test.each([
  ['start', '-d', '--ephemeral', '--port', '0'],
  ['exec', '--', process.execPath, '--version'],
])(
  '%s: drops --inspect and --require of NODE_OPTIONS, reports it, and keeps harmless options',
  async (...argv) => {
    using home = tempDir();
    const NODE_OPTIONS = `--inspect=127.0.0.1:0 --max-semi-space-size=1 --report-on-signal`;
    const ran = await runCli(argv, { home: home.path, environment: { NODE_OPTIONS } });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('without --inspect, --report-on-signal of NODE_OPTIONS');
    if (argv[0] !== 'start') return;
    const { pid } = JSON.parse(readFileSync(join(home.path, 'state', 'default', 'daemon.json'), 'utf8')) as {
      pid: number;
    };
    if (process.platform === 'linux') {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      expect(variables.find((one) => one.startsWith('NODE_OPTIONS='))).toBe(
        'NODE_OPTIONS=--max-semi-space-size=1',
      );
    }
    expect(readFileSync(join(home.path, 'state', 'default', 'daemon.log'), 'utf8')).not.toContain('Debugger');
    await runCli(['stop'], { home: home.path });
  },
);
