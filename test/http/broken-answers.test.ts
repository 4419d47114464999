/** Answers that cannot be sent: the request ends, and the daemon continues. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/contract/handler.ts';
import { DEFAULT_SETTINGS } from '../../src/nouns/settings/endpoints/index.ts';
import { createApp, type AppContext } from '../../src/http/app.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits.ts';
import { createByteBudget } from '../../src/kernel/numbers/byte-budget.ts';
import { frozenClock } from '../support/frozen-clock.ts';
import { createRandomness } from '../../src/kernel/ids/random.ts';

/** Starts an app with one handler on a free port. */
async function listenWith(handler: () => Answer<unknown>) {
  const logged: unknown[] = [];
  const instance = { port: 0, host: undefined, readiness: { ready: true } };
  const context = {
    instance,
    settings: { current: DEFAULT_SETTINGS },
    faults: { size: 0 },
    clock: frozenClock(0),
    random: createRandomness('a test'),
    limits: DEFAULT_LIMITS,
    budget: createByteBudget(DEFAULT_LIMITS),
    journal: { add: () => undefined },
    recorder: { isRecording: false },
    log: (line: unknown) => logged.push(line),
    hasRetired: () => false,
    handlers: { 'GET /_kyclone/health': handler },
  } as unknown as AppContext;
  const app = createApp(context);
  const server = createServer((request, response) => void app.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  instance.port = port;
  return {
    logged,
    get: () => fetch(`http://127.0.0.1:${port}/_kyclone/health`),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test('a header that cannot be sent breaks its own answer off, and the next request is answered', async () => {
  let value = 'one\r\ntwo: 2';
  await using app = await listenWith(() => ({ body: { status: 'ok' }, headers: { 'x-made-up': value } }));

  await expect(app.get()).rejects.toThrow();
  value = 'one';
  const next = await app.get();

  expect([next.status, next.headers.get('x-made-up')]).toEqual([200, 'one']);
});

test('a body that cannot be written as JSON is a failure of its own', async () => {
  await using app = await listenWith(() => ({ body: { count: 1n } }));

  const reply = await app.get();

  expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([500, 'internal_error']);
  expect(app.logged).toMatchObject([{ status: 500, code: 'internal_error' }]);
});
