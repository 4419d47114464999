import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { discover, readApiKeys, removeStaleLocator, terminate } from '../../src/client/discover.ts';
import { pollUntil } from '../../src/kernel/time/poll-until.ts';
import { PrivateFileError } from '../../src/client/errors.ts';
import { instancePaths, pathBases, type InstancePaths } from '../../src/kernel/files/paths.ts';
import { startDaemon } from '../support/daemon.ts';
import { answerJson, loopbackServer } from '../support/loopback.ts';
import { provingServer } from '../support/proving-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { testWith } from '../support/test-with.ts';

const test = testWith(startDaemon);

const NO_PROCESS = 2 ** 22 + 1;

function pathsBelow(home: string): InstancePaths {
  return instancePaths(pathBases({ KYCLONE_HOME: home }, 'linux', home), 'default');
}

const aLocator = (more: object = {}) => ({
  pid: process.pid,
  url: 'http://127.0.0.1:1',
  control_token: 'the token',
  version: '0.1.0',
  started_at: '2026-01-31T12:00:00.000Z',
  nonce: 'the nonce',
  ...more,
});

function leaveLocator(paths: InstancePaths, content: unknown, mode = 0o600): void {
  mkdirSync(paths.stateDirectory, { recursive: true });
  writeFileSync(paths.locatorFile, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(paths.locatorFile, mode);
}

/** What a client finds out that reads this locator. */
async function discovered(content: unknown, mode?: number) {
  using home = tempDir();
  leaveLocator(pathsBelow(home.path), content, mode);
  return await discover(pathsBelow(home.path));
}

const UNPROVEN = { kind: 'unproven', isAnswered: true };

describe('discover', () => {
  test('discover: the nonce, which is public, is no proof of a program that got the port', async () => {
    await using server = await loopbackServer(answerJson(200, { status: 'ok', nonce: 'the nonce' }));
    expect(await discovered(aLocator({ url: server.url }))).toMatchObject(UNPROVEN);
    expect(JSON.stringify(server.seen)).not.toContain('the token');
  });

  test.each([
    ['the token, of pid, instance and address, is accepted', {}, { kind: 'running' }],
    ['another token is refused', { controlToken: 'another' }, UNPROVEN],
    ['another pid, which would be signalled, is refused', { pid: 1 }, UNPROVEN],
    ['another instance, whose locator was copied, is refused', { instance: 'other' }, UNPROVEN],
    ['another address, as a relay gets it, is refused', { authority: '127.0.0.1:4630' }, UNPROVEN],
  ])('discover: a proof of %s', async (_, knowing, state) => {
    await using server = await provingServer({ controlToken: 'the token', ...knowing }, answerJson(200, {}));
    expect(await discovered(aLocator({ url: server.url }))).toMatchObject(state);
  });

  test('discover: a daemon that is suspended hangs, and is not taken for one that is gone', async (daemon) => {
    daemon.process.kill('SIGSTOP');
    expect(await discover(pathsBelow(daemon.home), 300)).toMatchObject({
      kind: 'silent',
      locator: { pid: daemon.pid },
    });
    daemon.process.kill('SIGCONT');
    expect(await discover(pathsBelow(daemon.home))).toMatchObject({ kind: 'running' });
  });

  test('discover: another process with the pid of a daemon that is gone is not that daemon', async () => {
    expect(await discovered(aLocator({ process_start: '1' }))).toMatchObject({
      kind: existsSync('/proc/self/stat') ? 'dead' : 'unproven',
    });
  });

  test('discover: in a copied home the locator of the original means nothing', async (daemon) => {
    using copy = tempDir();
    cpSync(daemon.home, copy.path, { recursive: true, preserveTimestamps: true });
    expect(await discover(pathsBelow(copy.path))).toEqual({ kind: 'absent' });
    expect(await discover(pathsBelow(daemon.home))).toMatchObject({ kind: 'running' });
  });

  test.each([
    ['HTML', 200, 'text/html', '<h1>hello</h1>'],
    ['JSON null', 200, 'application/json', 'null'],
    ['a failure', 500, 'application/json', '{"nonce":"the nonce"}'],
    ['a body without end', 200, 'application/json', undefined],
  ])('discover: a health answer of %s proves nothing', async (_, status, type, body) => {
    await using server = await loopbackServer((_request, response) => {
      response.writeHead(status, { 'content-type': type });
      if (body === undefined) response.write('{');
      else response.end(body);
    });
    expect(await discovered(aLocator({ url: server.url }))).toMatchObject({ kind: 'unproven' });
  });

  test('discover: the locator of a daemon that was killed is of a dead one', async () => {
    using home = tempDir();
    const daemon = await startDaemon({ home: home.path });
    await daemon.end('SIGKILL');
    expect(await discover(pathsBelow(home.path))).toMatchObject({ kind: 'dead', isAnswered: false });
  });

  test.each([
    ['no JSON', 'pid=1'],
    ['a list', []],
    ['no nonce', aLocator({ nonce: undefined })],
    ['a pid of 0, which would signal our own group', aLocator({ pid: 0 })],
    ['a negative pid, which would signal a group', aLocator({ pid: -5 })],
    ['an address that is none', aLocator({ url: 'file:///etc/passwd' })],
  ])('discover: a locator with %s is damaged', async (_, content) => {
    const file: unknown = expect.stringMatching(/daemon\.json$/);
    expect(await discovered(content)).toEqual({ kind: 'damaged', file });
  });

  test.each([0o640, 0o604, 0o620, 0o666])('discover: a locator of mode %o is refused', async (mode) => {
    await expect(discovered(aLocator(), mode)).rejects.toThrow(PrivateFileError);
  });
});

test('removeStaleLocator: removes it only when its process is gone', async () => {
  using home = tempDir();
  const paths = pathsBelow(home.path);
  leaveLocator(paths, aLocator());
  removeStaleLocator(paths, await discover(paths));
  expect(existsSync(paths.locatorFile)).toBe(true);
  leaveLocator(paths, aLocator({ pid: NO_PROCESS }));
  removeStaleLocator(paths, await discover(paths));
  expect(existsSync(paths.locatorFile)).toBe(false);
});

test('terminate: ends a daemon that proves its identity', async (daemon) => {
  const state = await discover(pathsBelow(daemon.home));
  if (state.kind !== 'running') throw new Error('it should run');
  expect(await terminate(state.locator, { instance: 'default', timeoutMs: 10_000 })).toBe(true);
  expect(await discover(pathsBelow(daemon.home))).toEqual({ kind: 'absent' });
});

test('terminate: a process that only has the pid is not signalled', async () => {
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    await once(bystander, 'spawn');
    expect(
      await terminate(aLocator({ pid: bystander.pid ?? NO_PROCESS }), {
        instance: 'default',
        timeoutMs: 5000,
      }),
    ).toBe(true);
    expect(bystander.exitCode).toBeNull();
    expect(bystander.signalCode).toBeNull();
  } finally {
    bystander.kill('SIGKILL');
  }
});

test('readApiKeys: returns the existing keys, and refuses a file that others can read', () => {
  using home = tempDir();
  const { credentialsFile, stateDirectory } = pathsBelow(home.path);
  mkdirSync(stateDirectory, { recursive: true });
  writeFileSync(credentialsFile, '{"sandbox":"sk_test_1","live":7}', { mode: 0o600 });
  expect(readApiKeys(credentialsFile)).toEqual({ sandbox: 'sk_test_1', live: undefined });
  chmodSync(credentialsFile, 0o644);
  expect(() => readApiKeys(credentialsFile)).toThrow(PrivateFileError);
});

test('pollUntil: answers whether it came true in time', async () => {
  let asked = 0;
  expect(await pollUntil(() => ++asked === 3, { everyMs: 1, timeoutMs: 10_000 })).toBe(true);
  expect(asked).toBe(3);
  expect(await pollUntil(() => false, { everyMs: 1, timeoutMs: 5 })).toBe(false);
});
