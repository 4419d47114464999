/**
 * Requests whose answer waits for an earlier answer on the same connection. Node doesn't notify them when the client
 * disconnects.
 */
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { Call, createInFlightRequests } from '../../src/http/call.ts';
import { type TestService } from '../support/service.ts';
import { test } from '../support/test-with.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Sends all requests at once on one connection, and disconnects when `until` returns true. */
async function sendTogether(service: TestService, starts: readonly string[], until: () => Promise<boolean>) {
  const place = await service.listen();
  const bytes = starts.map((start) => `${start} HTTP/1.1\r\nhost: 127.0.0.1:${place.port}\r\n\r\n`).join('');
  const socket = connect(place, () => socket.write(bytes));
  while (!(await until())) await turn();
  socket.destroy();
}

const hits = async (service: TestService, id: string) =>
  (await service.call('GET /_kyclone/faults/{id}', { params: { id } })).body.hits;
const journal = async (service: TestService, path: string) =>
  (await service.call('GET /_kyclone/requests', { query: { path } })).body.data;

test('latency: a client that leaves ends the waits of all that it has sent on one connection', async (service) => {
  const match = { path: '/users/**' };
  const { id } = (await service.call('POST /_kyclone/faults', { body: { match, latency_ms: 60_000 } })).body;
  const many = Array.from({ length: 15 }, () => 'GET /users');
  await sendTogether(service, many, async () => (await hits(service, id)) === many.length);
  let entries = await journal(service, '/users');
  for (; entries.length < many.length; entries = await journal(service, '/users')) await turn();
  expect(new Set(entries.map(({ status }) => status))).toEqual(new Set([0]));
  expect(entries).toHaveLength(many.length);
});

test('journal: records the request of a client that disconnected before its turn', async (service) => {
  const match = { path: '/users' };
  await service.call('POST /_kyclone/faults', { body: { match, latency_ms: 60_000, times: 1 } });
  // The answer to the second request is ready at once, but waits for the first answer.
  const second = 'GET /_kyclone/health';
  await sendTogether(service, ['GET /users', second], async () => {
    return (await service.call('GET /_kyclone/faults')).body.data[0]?.hits === 1;
  });
  let entries = await journal(service, '/_kyclone/health');
  for (; entries.length === 0; entries = await journal(service, '/_kyclone/health')) await turn();
  expect(entries.map(({ status }) => status)).toEqual([200]);
});

test('in flight: a request ends when its client disconnects before its turn', async () => {
  const inFlight = createInFlightRequests();
  let begun = 0;
  // The server never answers, so the second request waits for the first as long as the connection lasts.
  const server = createServer((request, response) => {
    inFlight.begin(new Call(request, response, { id: `req_${++begun}`, startedAt: 0, at: 0 }));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const start = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  const socket = connect({ host: '127.0.0.1', port }, () => socket.write(start('/never') + start('/soon')));
  while (begun < 2) await turn();
  socket.destroy();
  await inFlight.settled(undefined, 600_000);
  await new Promise((resolve) => server.close(resolve));
});
