/**
 * What happens to connections when the service stops. No answer is cut off, and each answer says that it is the last of
 * its connection.
 */
import { expect } from 'vitest';
import { until as eventually } from '../support/patience.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { SANDBOX_KEY } from '../support/service.ts';
import { headOf, openClient } from '../support/slow-clients.ts';
import { test } from '../support/test-with.ts';

const until = (isSo: () => boolean) => eventually('what the test waits for', isSo);
const IMAGE = 'document.passport.front.image';

test('a connection that is kept open is closed at once when it waits for nothing', async (service) => {
  const place = await service.listen();
  const client = await openClient(place, headOf(place, 'GET /_kyclone/health'));
  await until(() => client.received() !== '');

  service.runtime.connections.finish();

  await client.closed;
});

test('an answer to what comes during the stop says that it is the last', async (service) => {
  const place = await service.listen();
  const request = headOf(place, 'GET /_kyclone/health');
  const fresh = await openClient(place, request.slice(0, 10));
  const used = await openClient(place, request);
  await until(() => used.received() !== '');
  used.socket.write(request.slice(0, 10));
  await until(() => service.runtime.connections.halfWay === 2);
  service.runtime.connections.finish();

  for (const { socket } of [fresh, used]) socket.write(request.slice(10));
  await Promise.all([fresh.closed, used.closed]);

  for (const { received } of [fresh, used]) {
    expect(parseAnswers(received()).at(-1)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  }
});

test('an answer that is being read when the stop comes is read to its end', async (service) => {
  const place = await service.listen();
  const id = await service.user({});
  const file = Buffer.alloc(9_000_000, 'k');
  await service.upload(id, IMAGE, file);
  const body = JSON.stringify({ fields: [IMAGE], reason: 'a test' });
  const head = headOf(place, `POST /users/${id}/vault/decrypt`, {
    'x-service-secret-key': SANDBOX_KEY,
    'content-type': 'application/json',
    'content-length': body.length,
  });
  const client = await openClient(place, head + body, { reads: false });
  await until(() => client.socket.readableLength > 0);

  service.runtime.connections.finish();
  let received = '';
  client.socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  await client.closed;

  expect(JSON.parse(parseAnswers(received)[0]?.text ?? '')).toEqual({ [IMAGE]: file.toString('base64') });
});

test('a client that still sends a refused body when the stop comes is not waited for', async (service) => {
  const place = await service.listen();
  const head = headOf(place, 'POST /users', {
    'x-service-secret-key': SANDBOX_KEY,
    'content-type': 'text/plain',
    'content-length': 1_000,
    connection: 'close',
  });
  const client = await openClient(place, `${head}a part`);
  await until(() => client.received().includes('\r\n\r\n{'));
  expect(client.socket.readyState).toBe('open');

  service.runtime.connections.finish();

  expect(service.runtime.connections.isBeingRead()).toBe(false);
  client.socket.end();
  await client.closed;
});
