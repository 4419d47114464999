/** The daemon is stopped while a proxy call waits for its target. */
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startKycloned, until } from '../support/kycloned.ts';

/** Starts a target that accepts connections and sends nothing. */
async function aSilentTarget() {
  const counts = { connections: 0, open: 0 };
  const server = createServer((socket) => {
    counts.connections++;
    counts.open++;
    socket.on('error', () => undefined);
    socket.on('close', () => counts.open--);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, counts };
}

test('jit: a daemon that is stopped ends in good order though a target is silent', async () => {
  const { url, counts } = await aSilentTarget();
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const headers = { 'x-fp-proxy-target-url': url };
  const pending = daemon
    .call('POST', '/vault_proxy/jit', { headers, body: 'x' })
    .catch((error: unknown) => error);
  await until('the target is asked', () => counts.connections > 0);

  const { code } = await daemon.stop();

  expect(code).toBe(0);
  expect(await pending).toBeInstanceOf(Error);
  await until('the connection is closed', () => counts.open === 0);
});
