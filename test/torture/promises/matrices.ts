/** A3: every endpoint with every wrong credential. */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/registry.ts';
import { startKycloned, type Kycloned } from '../../support/kycloned.ts';
import { samples, type Stage } from '../../support/samples.ts';
import { asRaw, type Reply } from '../../support/service.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { sendTo, stageOf, type Send } from '../stage.ts';

const ENDPOINTS_PER_ROUND = 12;
const CONNECTIONS = 4;

interface Scene {
  readonly daemon: Kycloned;
  readonly send: Send;
  readonly stage: Stage;
}

const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function expectRefused(reply: Reply, what: string, status: number): void {
  const { code, message } = (reply.body ?? {}) as { code?: unknown; message?: unknown };
  expect([what, reply.status, typeof code, typeof message]).toEqual([what, status, 'string', 'string']);
}

/** Returns every kind of credential in each place, except those that this endpoint accepts. */
function wrongCredentials({ daemon, stage }: Scene, kind: Endpoint['auth']['kind']) {
  const { keys, locator } = daemon;
  const secrets: Record<string, string> = {
    'a key': keys.sandbox,
    'the control token': locator.control_token,
    'a client token': stage.token,
    'an unknown key': `sk_test_${'z'.repeat(32)}`,
    'an unknown token': `cttok_${'z'.repeat(34)}`,
    nonsense: 'nonsense',
    nothing: '',
  };
  const places: Record<string, (secret: string) => Record<string, string>> = {
    'x-service-secret-key': (secret) => ({ 'x-service-secret-key': secret }),
    'x-fp-authorization': (secret) => ({ 'x-fp-authorization': secret }),
    Basic: basic,
    Bearer: bearer,
    cookie: (secret) => ({ cookie: `authorization=${secret}` }),
  };
  const right = {
    key: ['a key x-service-secret-key', 'a key Basic'],
    token: ['a client token x-fp-authorization'],
    flow: [],
    control: ['the control token Bearer'],
    open: [],
  }[kind] as readonly string[];
  const tries = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(places).map(([place, put]) => [`${name} ${place}`, put(secret)] as const),
  );
  return [['none', {}] as const, ...tries].filter(([what]) => !right.includes(what));
}

/** Checks that the endpoint refuses every wrong credential and accepts the right one. Returns how many were tried. */
async function tryAll(scene: Scene, { key, auth }: (typeof endpoints)[number]): Promise<number> {
  const { send, stage } = scene;
  const sample = asRaw(key, await samples[key](stage));
  let tried = 0;
  if (auth.kind !== 'open' && !key.includes('{token}')) {
    for (const [what, headers] of wrongCredentials(scene, auth.kind)) {
      const reply = await send({ ...sample, as: null, headers: { ...sample.headers, ...headers } });
      expectRefused(reply, `${key} with ${what}`, 401);
      tried += 1;
    }
  }
  const granted = await send(sample);
  // A snapshot of an earlier round may cause a conflict, which has nothing to do with credentials.
  expect(granted.status === 200 || granted.status === 409, `${key}: ${granted.text}`).toBe(true);
  return tried + 1;
}

export const isolationMatrix: TorturePromise = {
  id: 'A3',
  name: 'isolation-matrix',
  says: 'every endpoint lets in its own credential and no other',
  async *rounds({ random, count }: Run) {
    for (;;) {
      const order = random.shuffled(endpoints);
      for (let next = 0; next < order.length; next += ENDPOINTS_PER_ROUND) {
        // A daemon slows wrong credentials down after some hundreds of them, so each round has its own.
        const daemon = await startKycloned({ options: ['--ephemeral'] });
        const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
        const send = sendTo(daemon, agent);
        for (const endpoint of order.slice(next, next + ENDPOINTS_PER_ROUND)) {
          count('credentials', await tryAll({ daemon, send, stage: await stageOf(send) }, endpoint));
          count('endpoints');
          await daemon.control('POST', '/_kyclone/reset', { body: {} });
        }
        agent.destroy();
        await daemon.stop('SIGKILL');
        yield;
      }
    }
  },
};
