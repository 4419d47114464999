/**
 * R18: whatever a client sends, it gets a response, never one about an internal failure, and the daemon keeps running.
 */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import { endpoints, splitKey } from '../../../src/contract/registry.ts';
import { startKycloned } from '../../support/kycloned.ts';
import { samples, type Stage } from '../../support/samples.ts';
import { asRaw, type RawRequest } from '../../support/service.ts';
import { BROKEN_JSON, hostileBodies, HOSTILE_TEXTS } from '../hostile-bodies.ts';
import type { TorturePromise } from '../promise.ts';
import type { SeededRandom } from '../seeded.ts';
import { sendTo, stageOf, type Send } from '../stage.ts';

const ENDPOINTS_PER_ROUND = 6;
const REQUESTS_PER_ENDPOINT = 60;
const CONNECTIONS = 4;
type Endpoint = (typeof endpoints)[number];

/** The codes of internal failures. A stopped or full instance responds with other codes. */
const OWN_FAILURES = new Set(['internal_error', 'not_ready', 'vault_damaged']);

/** Returns requests made from one that succeeds; each has a name and is wrong in one way. */
function variants(endpoint: Endpoint, sample: RawRequest): (readonly [string, RawRequest])[] {
  const { body: schema, takesFile, takesAnyBody } = endpoint;
  const found: (readonly [string, RawRequest])[] = [];
  if (schema && !takesFile && !takesAnyBody) {
    for (const [what, body] of hostileBodies(schema, sample.body)) found.push([what, { ...sample, body }]);
  }
  if (schema) {
    for (const [index, body] of BROKEN_JSON.entries()) {
      const headers = { ...sample.headers, 'content-type': 'application/json' };
      found.push([`broken JSON ${index}`, { ...sample, headers, body }]);
    }
  }
  const { path } = splitKey(endpoint.key);
  const names = Object.keys((endpoint.query?.['properties'] ?? {}) as Record<string, unknown>);
  for (const text of HOSTILE_TEXTS) {
    for (const name of [...names, '__proto__']) {
      const joint = sample.path.includes('?') ? '&' : '?';
      const safe = text.replace(/[ #"<>\\^`{}|]/g, encodeURIComponent);
      found.push([`query ${name}=${text}`, { ...sample, path: `${sample.path}${joint}${name}=${safe}` }]);
    }
    for (const name of path.match(/\{\w+\}/g) ?? []) {
      const filled = path.replace(name, encodeURIComponent(text)).replace(/\{\w+\}/g, 'x');
      found.push([`path ${name} as ${text}`, { ...sample, path: filled }]);
    }
    const declared = Object.keys((endpoint.headers?.['properties'] ?? {}) as Record<string, unknown>);
    const headers = declared.filter((name) => !name.includes('<'));
    for (const name of headers) {
      found.push([`header ${name}: ${text}`, { ...sample, headers: { ...sample.headers, [name]: text } }]);
    }
  }
  return found;
}

async function tryAll(send: Send, stage: Stage, endpoint: Endpoint, random: SeededRandom): Promise<number> {
  const sample = asRaw(endpoint.key, await samples[endpoint.key](stage));
  const chosen = random.shuffled(variants(endpoint, sample)).slice(0, REQUESTS_PER_ENDPOINT);
  for (const [what, request] of chosen) {
    const { status, body, text } = await send(request).catch((error: unknown) => {
      throw new Error(`${endpoint.key}, ${what.slice(0, 100)}: ${String(error)}`);
    });
    const { code } = (body ?? {}) as { code?: string };
    const isFailure = status === 500 || (status > 500 && OWN_FAILURES.has(code ?? 'internal_error'));
    if (isFailure) throw new Error(`${endpoint.key}, ${what.slice(0, 100)}: ${status} ${text.slice(0, 300)}`);
  }
  return chosen.length;
}

export const hostileCorpus: TorturePromise = {
  id: 'R18',
  name: 'hostile-corpus',
  says: 'hostile bodies, paths, queries and headers: no 5xx, no crash, no hang',
  weight: 2,
  async *rounds({ random, count }) {
    const daemon = await startKycloned({ options: ['--ephemeral'] });
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const send = sendTo(daemon, agent);
    try {
      for (;;) {
        const order = random.shuffled(endpoints);
        for (let next = 0; next < order.length; next += ENDPOINTS_PER_ROUND) {
          for (const endpoint of order.slice(next, next + ENDPOINTS_PER_ROUND)) {
            count('requests', await tryAll(send, await stageOf(send), endpoint, random));
            count('endpoints');
            expect((await daemon.control('POST', '/_kyclone/reset', { body: {} })).status).toBe(200);
          }
          expect((await daemon.call('GET', '/users')).status).toBe(200);
          yield;
        }
      }
    } finally {
      agent.destroy();
    }
  },
};
