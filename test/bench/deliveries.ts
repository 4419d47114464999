/** Measures how long an event takes to reach a local receiver, triggered in our daemon or simply sent. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from './processes.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  let arrived: (at: number) => void = () => undefined;
  const server = createServer((incoming, answer) => {
    incoming.resume().on('end', () => {
      arrived(performance.now());
      answer.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** Resolves with the time by the process clock at which the next request has arrived completely. */
    next: () => new Promise<number>((resolve) => (arrived = resolve)),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** Returns the milliseconds from the call of `send` until the receiver has its request. */
export async function timeReceipt(receiver: Receiver, send: () => Promise<void>): Promise<number> {
  const received = receiver.next();
  const start = performance.now();
  const [at] = await Promise.all([received, send()]);
  return at - start;
}

/** Sends a POST over a new connection, as a delivery does. */
export function post(url: string, headers: Record<string, string>, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().on('end', () => {
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${url} answered ${statusCode}`));
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Returns the headers that the control plane of a measured daemon requires. */
export function controlHeaders(home: string): Record<string, string> {
  const locator = JSON.parse(readFileSync(join(home, 'state/default/daemon.json'), 'utf8')) as {
    control_token: string;
  };
  return { 'content-type': 'application/json', authorization: `Bearer ${locator.control_token}` };
}

/** Registers the receiver. Returns a function that triggers an event. */
export async function triggering(
  server: Server,
  home: string,
  receiver: Receiver,
): Promise<() => Promise<void>> {
  const headers = controlHeaders(home);
  await post(`${server.url}/_kyclone/webhooks`, headers, JSON.stringify({ url: receiver.url }));
  const body = JSON.stringify({ kind: 'onboarding.completed' });
  return () => post(`${server.url}/_kyclone/events/trigger`, headers, body);
}
