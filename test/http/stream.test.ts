/**
 * GET /_kyclone/stream over HTTP. It begins at once, doesn't end by itself, and leaves nothing behind (contract §11).
 */
import { request, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import { aUser } from '../support/builders.ts';
import { CONTROL_TOKEN, startService, type TestService } from '../support/service.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { test } from '../support/test-with.ts';

const HELLO = ': kyclone\n\n';
const AUTHORIZED = { authorization: `Bearer ${CONTROL_TOKEN}` };

interface Message {
  readonly id: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

function messagesIn(text: string): Message[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, id, type, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.+)$/.exec(block) ?? [];
      return { id: Number(id), type: String(type), data: JSON.parse(String(data)) as Message['data'] };
    });
}

/** Opens a stream over a socket. Resolves when the first bytes have arrived. */
async function listening(
  { host, port }: { host: string; port: number },
  query = '',
  headers: Record<string, string> = {},
) {
  const outgoing = request({
    host,
    port,
    path: `/_kyclone/stream${query}`,
    headers: { ...AUTHORIZED, ...headers },
  });
  onTestFinished(() => void outgoing.destroy());
  outgoing.end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  let text = '';
  let hasEnded = false;
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => (text += chunk));
  answer.on('error', () => undefined);
  answer.on('end', () => (hasEnded = true));
  await expect.poll(() => text).not.toBe('');
  return {
    answer,
    text: () => text,
    messages: () => messagesIn(text),
    hasEnded: () => hasEnded,
    leave: () => outgoing.destroy(),
  };
}

/** Returns all messages that the service keeps. */
async function kept(service: TestService, types?: string): Promise<Message[]> {
  const reply = await service.request('GET /_kyclone/stream', {
    query: { follow: false, ...(types !== undefined && { types }) },
  });
  expect(reply.status).toBe(200);
  return messagesIn(reply.text);
}

test('stream: begins at once with a comment, as server-sent events that are not stored or kept alive', async (service) => {
  const stream = await listening(await service.listen());
  expect(stream.answer.statusCode).toBe(200);
  expect(stream.answer.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  expect(stream.answer.headers['content-length']).toBeUndefined();
  expect(stream.text()).toBe(HELLO);
});

test('stream: shows requests, the access log and the clock as they happen', async (service) => {
  const stream = await listening(await service.listen());
  const user = await service.user();
  const { requestId } = await service.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id: user },
    body: { fields: ['id.first_name'], reason: 'a test' },
  });
  await service.call('PUT /_kyclone/clock', { body: { action: 'freeze', at: '2030-01-01T00:00:00Z' } });
  await expect.poll(() => stream.messages().length).toBeGreaterThanOrEqual(5);

  const messages = stream.messages();
  const of = (type: string) => messages.filter((message) => message.type === type).map(({ data }) => data);
  const entry = await service.call('GET /_kyclone/requests/{id}', { params: { id: requestId } });
  expect(of('request')).toContainEqual(entry.body);
  const [access] = (await service.call('GET /_kyclone/access-log')).body.data;
  expect(of('access').map((entry) => ({ ...entry, hash: access?.hash }))).toEqual([access]);
  expect(of('clock')).toEqual([
    { now: '2030-01-01T00:00:00.000Z', mode: 'frozen', offset_ms: expect.any(Number) as number, drained: 0 },
  ]);
  const ids = messages.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
  expect(new Set(ids).size).toBe(ids.length);
});

test('stream: a refused change is shown as a request only', async (service) => {
  await service.refused('PUT /_kyclone/clock', { body: { action: 'set' } });
  expect((await kept(service)).map(({ type }) => type)).toEqual(['request']);
});

test('stream: Last-Event-ID replays missed events', async (service) => {
  const place = await service.listen();
  const first = await listening(place, '?types=clock');
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 1 } });
  await expect.poll(() => first.messages()).toHaveLength(1);
  first.leave();
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 2 } });
  const [seen] = first.messages();

  const second = await listening(place, '?types=clock', { 'last-event-id': String(seen?.id) });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 3 } });

  await expect.poll(() => second.messages()).toHaveLength(2);
  expect(second.messages().map(({ data }) => data['offset_ms'])).toEqual([3, 6]);
});

test('stream: is in the journal when it has ended, by type and size', async (service) => {
  const reply = await service.request('GET /_kyclone/stream', { query: { follow: false, types: 'fault' } });
  expect(reply.text).toBe(HELLO);
  const { body } = await service.call('GET /_kyclone/requests/{id}', {
    params: { id: reply.headers['x-request-id'] ?? '' },
  });
  expect(body).toMatchObject({
    route: '/_kyclone/stream',
    path: '/_kyclone/stream?follow=***&types=***',
    status: 200,
    response: `<text/event-stream ${HELLO.length} bytes>`,
  });
});

test('HEAD stream: the headers of GET, and an end', async (service) => {
  const reply = await service.send({ method: 'HEAD', path: '/_kyclone/stream' });
  expect(reply.status).toBe(200);
  expect(reply.text).toBe('');
  expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

test('stream: a client that goes away leaves no timer and no connection', async () => {
  fakeTimers('setInterval', 'clearInterval');
  await using service = await startService();
  const place = await service.listen();
  const before = vi.getTimerCount();
  const streams = [await listening(place), await listening(place, '?types=clock')];
  expect(vi.getTimerCount()).toBe(before + 2);
  for (const stream of streams) stream.leave();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(before), { timeout: PATIENCE_MS });
});

test('stream: a service that stops ends it whole, and its connection', async () => {
  const service = await startService();
  const stream = await listening(await service.listen(), '?types=clock');
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 1 } });
  const closed = new Promise<void>((resolve) => stream.answer.socket.once('close', () => resolve()));
  await service[Symbol.asyncDispose]();
  await closed;
  expect(stream.hasEnded()).toBe(true);
  expect(stream.answer.complete).toBe(true);
  expect(stream.messages()).toHaveLength(1);
});

test('stream: no message holds a vault value, a credential or a query value', async (service) => {
  const WORD = 'Zyxwvcanary';
  const user = await service.user({ ...aUser(), 'id.first_name': WORD, 'custom.note': { [WORD]: WORD } });
  const params = { fp_id: user };
  const fields = ['id.first_name', 'custom.note'];
  await service.call('POST /users/{fp_id}/vault/decrypt', { params, body: { fields, reason: 'a test' } });
  const token = await service.token(user, { scope: 'vault_and_decrypt', fields, decrypt_reason: 'a test' });
  await service.request('POST /users/vault/decrypt', { as: token, body: { fields } });
  await service.request('PATCH /users/vault', { as: token, body: { 'id.first_name': `${WORD}2` } });
  await service.refused('PATCH /users/vault', { as: token, body: { 'id.first_name': [WORD] } });
  await service.request('GET /_kyclone/entities', { query: { q: WORD } });
  await service.send({ method: 'GET', path: `/users/${WORD}?${WORD}=${WORD}` });

  const text = JSON.stringify(await kept(service));
  expect(await kept(service, 'access')).toHaveLength(3);
  expect((await kept(service, 'request')).length).toBeGreaterThanOrEqual(8);
  for (const secret of [WORD, WORD.toLowerCase(), token, CONTROL_TOKEN]) expect(text).not.toContain(secret);
});
