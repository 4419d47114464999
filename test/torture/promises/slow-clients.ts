/** R17: clients that send slowly or not at all make no other client wait, and are cut off. */
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { whenFinished } from '../../support/finishing.ts';
import { startKycloned, until, type Kycloned } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';

const SOCKETS = 60;
const CALLS = 60;

/** What slow clients have sent before they stop sending. */
const BEGINNINGS = [
  '',
  'G',
  'GET /users HTTP/1.1\r\nhost: 127.0.0.1',
  'POST /users HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nx-service-secret-key: KEY\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
];

async function silentSocket(daemon: Kycloned, beginning: string): Promise<Socket> {
  const { port } = new URL(daemon.url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(beginning.replace('PORT', port).replace('KEY', daemon.keys.sandbox));
  whenFinished(() => void socket.destroy());
  return socket;
}

export const slowClients: TorturePromise = {
  id: 'R17',
  name: 'slow-clients',
  says: 'clients that fall silent: everybody else is served, and they are cut off',
  async *rounds({ random, count }: Run) {
    const daemon = await startKycloned({ options: ['--ephemeral'] });
    for (;;) {
      const sockets = await Promise.all(
        Array.from({ length: SOCKETS }, () => silentSocket(daemon, random.pick(BEGINNINGS))),
      );
      for (let call = 0; call < CALLS; call++) {
        expect((await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } })).status).toBe(200);
      }
      // All deadlines of the daemon end within this time.
      await until('all are cut off', () => sockets.every((socket) => socket.closed), 240_000);
      count('silent clients', SOCKETS);
      count('served calls', CALLS);
      yield;
    }
  },
};
