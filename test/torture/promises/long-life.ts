/** R10, R15, R16: the log stays small, nothing stays open, and clients beyond the limit get a retry-after. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Agent, request as open, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { verifyLog } from '../../e2e/books.ts';
import { startKycloned, until, type Kycloned } from '../../support/kycloned.ts';
import { MIB } from '../../../src/kernel/numbers/units.ts';
import type { Run, TorturePromise } from '../promise.ts';

const LONG_VALUE = 'x'.repeat(30_000);
const WRITES_PER_ROUND = 300;
const LOG_LIMIT_BYTES = 64 * MIB;
const CROWD = 400;
const SOAK_REQUESTS = 300;
const CLIENTS = 16;
const GROWTH_LIMIT_MIB = 200;

/** Opens a stream of the daemon and doesn't read it. */
function heldStream(daemon: Kycloned): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${daemon.locator.control_token}` };
    const outgoing = open(`${daemon.url}/_kyclone/stream`, { headers, agent: false }, (incoming) => {
      incoming.pause();
      resolve(incoming);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

export const smallLog: TorturePromise = {
  id: 'R10',
  name: 'small-log',
  says: 'the write-ahead log stays below 64 MiB while readers hold on',
  async *rounds({ count }: Run) {
    const daemon = await startKycloned();
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const held = await heldStream(daemon);
    held.on('error', () => undefined);
    for (;;) {
      const waiting = Array.from({ length: WRITES_PER_ROUND }, (_, index) => index);
      const client = async () => {
        while (waiting.pop() !== undefined) {
          const body = { 'custom.long': LONG_VALUE };
          const made = await daemon.call('POST', '/users', { agent, body });
          expect(made.status, made.text).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      expect(statSync(`${daemon.paths.storeFile}-wal`).size).toBeLessThan(LOG_LIMIT_BYTES);
      count('writes', WRITES_PER_ROUND);
      yield;
    }
  },
};

const openFiles = ({ locator }: Kycloned) => readdirSync(`/proc/${locator.pid}/fd`).length;
const residentMiB = ({ locator }: Kycloned) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${locator.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Creates, changes, reads, lists and deletes users. */
async function mixedLoad(daemon: Kycloned, agent: Agent, requests: number): Promise<void> {
  let left = requests;
  const client = async () => {
    while (left > 0) {
      left -= 5;
      const made = await daemon.call('POST', '/users', { agent, body: { 'id.first_name': 'Jane' } });
      expect(made.status, made.text).toBe(200);
      const path = `/users/${made.body['id'] as string}`;
      const body = { fields: ['id.first_name'], reason: 'a test' };
      const answers = [
        await daemon.call('PATCH', `${path}/vault`, { agent, body: { 'custom.seen': true } }),
        await daemon.call('POST', `${path}/vault/decrypt`, { agent, body }),
        await daemon.call('GET', '/users?page_size=20', { agent }),
        await daemon.call('DELETE', path, { agent }),
      ];
      for (const { status, text } of answers) expect(status, text).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

export const soak: TorturePromise = {
  id: 'R15',
  name: 'soak',
  says: 'a load held: no open file, memory or log that grows with it',
  async *rounds({ count }: Run) {
    const daemon = await startKycloned();
    const load = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
      await mixedLoad(daemon, agent, SOAK_REQUESTS);
      agent.destroy();
      count('requests', SOAK_REQUESTS);
    };
    await load();
    let fewest = openFiles(daemon);
    const resident = residentMiB(daemon);
    for (;;) {
      await load();
      await until('connections are closed', () => {
        fewest = Math.min(fewest, openFiles(daemon));
        return openFiles(daemon) <= fewest + 8;
      });
      expect(residentMiB(daemon) - resident).toBeLessThan(GROWTH_LIMIT_MIB);
      expect(statSync(`${daemon.paths.storeFile}-wal`).size).toBeLessThan(LOG_LIMIT_BYTES);
      await verifyLog(daemon, 0);
      yield;
    }
  },
};

export const overload: TorturePromise = {
  id: 'R16',
  name: 'overload',
  says: 'far more clients than fit: served, refused with retry-after or cut off, and served again after',
  async *rounds({ count }: Run) {
    const daemon = await startKycloned({ options: ['--ephemeral'] });
    for (;;) {
      const agent = new Agent({ keepAlive: true, maxSockets: CROWD });
      const answers = await Promise.all(
        Array.from({ length: CROWD }, () =>
          daemon
            .call('POST', '/users', { agent, body: { 'id.first_name': 'Jane' } })
            // The daemon may close a connection beyond the limit without a response.
            .catch(() => undefined),
        ),
      );
      agent.destroy();
      for (const answer of answers) {
        if (!answer || answer.status === 200) continue;
        expect([429, 503]).toContain(answer.status);
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }
      const served = answers.filter((answer) => answer?.status === 200).length;
      expect(served).toBeGreaterThan(0);
      await until('it serves again', async () => {
        const answer = await daemon.call('GET', '/users').catch(() => undefined);
        return answer?.status === 200;
      });
      count('clients', CROWD);
      count('served', served);
      yield;
    }
  },
};
