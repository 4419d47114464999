/** Slow and interrupted calls: a terminal shows that they go on, and a signal ends the command with what was done. */
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { CliError } from '../../../src/cli/shell/failure.ts';
import { FollowedCalls } from '../../../src/cli/shell/followed-calls.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const kept = new Map<string, NodeJS.SignalsListener[]>();
// Those of the test runner: a command that handles signals itself is not disturbed.
beforeEach(() => {
  for (const signal of SIGNALS) {
    kept.set(signal, process.listeners(signal));
    process.removeAllListeners(signal);
  }
});
afterEach(() => {
  for (const signal of SIGNALS) {
    expect(process.listenerCount(signal)).toBe(0);
    for (const listener of kept.get(signal) ?? []) process.on(signal, listener);
  }
});

const unexpected = (failure: CliError) => expect.unreachable(failure.message);

/** A client whose calls are answered by `answer`. */
const aClient = (answer: (key: string) => Promise<unknown>) =>
  ({
    call: answer,
    exchange: answer,
    request: ({ path }: { path: string }) => answer(path),
  }) as unknown as Client;

test('followed calls: a signal ends a loop before its next call, with the number of changes', async () => {
  const calls = new FollowedCalls({ isShown: () => false, end: unexpected });
  let sent = 0;
  const client = calls.client(
    aClient(() => {
      sent += 1;
      if (sent === 3) process.emit('SIGINT', 'SIGINT');
      return Promise.resolve({});
    }),
  );
  const loop = async () => {
    for (let made = 0; made < 5; made += 1) await client.call('POST /users', { body: {} });
  };
  await expect(loop()).rejects.toMatchObject({
    message: 'Interrupted; done: POST /users 3 times',
    code: 'cancelled',
    exitCode: 130,
  });
  expect(sent).toBe(3);
  calls.release();
});

test('followed calls: a change that goes on is given up, and reported as maybe done', async () => {
  let end: (failure: CliError) => void = unexpected;
  const ended = new Promise<CliError>((resolve) => (end = resolve));
  const calls = new FollowedCalls({ isShown: () => false, end });
  const client = calls.client(
    aClient((key) => {
      if (key !== 'POST /bank_links') return Promise.resolve({});
      process.emit('SIGTERM', 'SIGTERM');
      return new Promise(() => undefined);
    }),
  );
  await client.request({ method: 'PATCH', path: '/users/fp_id_7p793EF07xKXHqAeg5VGPj/vault?a=1' });
  void client.call('POST /bank_links', { body: { intent_token: '' } });
  expect(await ended).toMatchObject({
    message: 'Interrupted; done: PATCH /users/…/vault; sent, and maybe done: POST /bank_links',
    exitCode: 143,
  });
});

test('followed calls: a command that only reads, or handles signals itself, is not disturbed', async () => {
  const calls = new FollowedCalls({ isShown: () => false, end: unexpected });
  const seen: number[] = [];
  const client = calls.client(
    aClient(() => {
      seen.push(process.listenerCount('SIGINT'));
      return Promise.resolve({});
    }),
  );
  await client.call('GET /users');
  const own = () => undefined;
  process.on('SIGINT', own);
  await client.call('POST /users', {});
  process.emit('SIGINT', 'SIGINT');
  await client.call('POST /users', {});
  process.off('SIGINT', own);
  calls.release();
  expect(seen).toEqual([0, 1, 1]);
});

test('followed calls: a slow call is shown to a person, and to nobody else', async () => {
  const { write } = process.stderr;
  onTestFinished(() => void (process.stderr.write = write));
  for (const isShown of [true, false]) {
    let text = '';
    const shown = new Promise<void>((resolve) => {
      process.stderr.write = (chunk: string) => {
        text += chunk;
        resolve();
        return true;
      };
    });
    // For nobody the call ends by itself.
    const client = new FollowedCalls({ isShown: () => isShown, end: unexpected }).client(
      aClient(() => (isShown ? shown : Promise.resolve())),
    );
    await client.call('GET /users');
    if (isShown) expect(text).toMatch(/The daemon is working: \d+ s/);
    else expect(text).toBe('');
  }
});
