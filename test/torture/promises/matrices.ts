/** A3: every endpoint with every wrong credential, with a key of fewer permissions, and with a key of another space. */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import { PERMISSIONS, SCOPES } from '../../../src/contract/facts/permissions.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { endpoints, type EndpointKey } from '../../../src/contract/registry.ts';
import { startKycloned, type Kycloned } from '../../support/kycloned.ts';
import { samples, type Stage } from '../../support/samples.ts';
import { asRaw, type LooseParts, type RawRequest, type Reply } from '../../support/service.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { sendTo, stageOf, type Send } from '../stage.ts';

const ENDPOINTS_PER_ROUND = 12;
const CONNECTIONS = 4;

interface Scene {
  readonly daemon: Kycloned;
  readonly send: Send;
  readonly stage: Stage;
}

type Try = (scene: Scene, key: EndpointKey, endpoint: Endpoint) => Promise<number>;

const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function sampleOf(stage: Stage, key: EndpointKey): Promise<RawRequest> {
  return asRaw(key, await samples[key](stage));
}

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

/** Checks that the endpoint refuses every wrong credential and accepts the right one. */
const isolation: Try = async (scene, key, { auth }) => {
  const { send, stage } = scene;
  const sample = await sampleOf(stage, key);
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
};

/** Checks that a key of the other environment or of another tenant sees nothing of an entity. */
const otherSpaces: Try = async ({ daemon, send, stage }, key, { auth }) => {
  if (auth.kind !== 'key' || !/\{fp_b?id\}/.test(key)) return 0;
  const sample: LooseParts = await samples[key](stage);
  const elsewhere = await stage.service.key({ tenant: 'elsewhere' });
  for (const as of [daemon.keys.live, elsewhere]) {
    expectRefused(await send(asRaw(key, { ...sample, as })), `${key} from another space`, 404);
  }
  return 2;
};

/** Checks that a key without the scope or the permission of the endpoint is refused. */
const permissions: Try = async ({ send, stage }, key, { auth }) => {
  if (auth.kind !== 'key') return 0;
  let tried = 0;
  const sample = await sampleOf(stage, key);
  const { scope, permission } = auth;
  if (scope) {
    const as = await stage.service.key({ scopes: SCOPES.filter((each) => each !== scope) });
    expectRefused(await send({ ...sample, as }), `${key} without ${scope}`, 403);
    tried += 1;
  }
  if (permission) {
    const others = PERMISSIONS.filter((each) => each !== permission);
    const decrypts = permission === 'decrypt:*' ? 'decrypt:id.*' : 'decrypt:*';
    const as = await stage.service.key({ permissions: [...others, decrypts] });
    expectRefused(await send({ ...sample, as }), `${key} without ${permission}`, 403);
    tried += 1;
  }
  return tried;
};

/** Each round starts a daemon of its own, because a daemon slows wrong credentials down after some hundreds of them. */
async function* walk({ random, count }: Run, unit: string, tries: readonly Try[]) {
  for (;;) {
    const order = random.shuffled(endpoints);
    for (let next = 0; next < order.length; next += ENDPOINTS_PER_ROUND) {
      const daemon = await startKycloned({ options: ['--ephemeral'] });
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      const send = sendTo(daemon, agent);
      for (const endpoint of order.slice(next, next + ENDPOINTS_PER_ROUND)) {
        const scene = { daemon, send, stage: await stageOf(send) };
        let tried = 0;
        for (const each of tries) tried += await each(scene, endpoint.key, endpoint);
        if (tried > 0) count('endpoints');
        if (tried > 0) count(unit, tried);
        await daemon.control('POST', '/_kyclone/reset', { body: {} });
      }
      agent.destroy();
      await daemon.stop('SIGKILL');
      yield;
    }
  }
}

export const isolationMatrix: TorturePromise = {
  id: 'A3',
  name: 'isolation-matrix',
  says: 'every endpoint lets in its own credential and no other',
  rounds: (run) => walk(run, 'credentials', [isolation]),
};

export const permissionMatrix: TorturePromise = {
  id: 'A3',
  name: 'permission-matrix',
  says: 'other tenants, other environments and missing scopes open nothing',
  rounds: (run) => walk(run, 'refusals', [otherSpaces, permissions]),
};
