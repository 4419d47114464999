/**
 * The memory that many clients together can occupy. Bytes are counted, and answers are made while their client reads.
 */
import { describe, expect, test } from 'vitest';
import { MIB } from '../../src/kernel/numbers/units.ts';
import { until as eventually } from '../support/patience.ts';
import { parseAnswers } from '../support/raw-socket.ts';
import { SANDBOX_KEY, startService, type TestService } from '../support/service.ts';
import { headOf, hoard, openClient, type SlowClient } from '../support/slow-clients.ts';
import { startTarget } from '../support/targets.ts';
import '../support/tier-all.ts';

const IMAGE = 'document.passport.front.image';
const KEY = { 'x-service-secret-key': SANDBOX_KEY };
const FILE = Buffer.alloc(3 * MIB + 1, 'a file whose base64 text has pluses, slashes >>>??? and an end ');

const until = (isSo: () => boolean) => eventually('what the test waits for', isSo);

async function aServiceWithAFile(limits = {}) {
  const service = await startService({ limits });
  const id = await service.user({});
  await service.upload(id, IMAGE, FILE);
  const place = await service.listen();
  return { service, id, place, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function decryptRequest(place: { host: string; port: number }, id: string, body: object = {}): string {
  const text = JSON.stringify({ fields: [IMAGE], reason: 'a test', ...body });
  const head = headOf(place, `POST /users/${id}/vault/decrypt`, {
    ...KEY,
    'content-type': 'application/json',
    'content-length': text.length,
    connection: 'close',
  });
  return head + text;
}

/** Returns a request with a body of one MiB without its last byte. The server holds the body and waits. */
function unfinishedBody(place: { host: string; port: number }): Buffer {
  const head = headOf(place, 'POST /vault_proxy/reflect', {
    ...KEY,
    'content-length': MIB,
    connection: 'close',
  });
  return Buffer.concat([Buffer.from(head), Buffer.alloc(MIB - 1, ' ')]);
}

async function answerTo(place: { host: string; port: number }, request: string | Buffer) {
  const client = await openClient(place, request);
  await client.closed;
  return parseAnswers(client.received())[0];
}

const leave = (clients: readonly SlowClient[]) => {
  for (const client of clients) client.leave();
};

describe('answers', () => {
  test('ten that decrypt a file and never read it hold next to nothing, and others are served', async () => {
    await using given = await aServiceWithAFile();
    const { service, id, place } = given;

    const crowd = await hoard(place, 10, decryptRequest(place, id));
    await until(() => service.runtime.connections.size === 10);
    const reader = await openClient(place, decryptRequest(place, id));
    await reader.closed;

    const [answer] = parseAnswers(reader.received());
    expect(answer?.status).toBe(200);
    expect(answer?.headers['content-length']).toBe(String(Buffer.byteLength(answer?.text ?? '')));
    expect(JSON.parse(answer?.text ?? '')).toEqual({ [IMAGE]: FILE.toString('base64') });
    expect(service.runtime.budget.peak).toBeLessThan(MIB);
    leave(crowd);
  });

  test('files in transforms count as held memory: beyond the budget is 503 with retry-after', async () => {
    await using given = await aServiceWithAFile({ heldBytes: 14 * MIB, waitMs: 50 });
    const { service, id, place } = given;
    const request = decryptRequest(place, id, {
      transforms: ['hmac_sha256("00112233445566778899aabbccddeeff")'],
    });

    const others = await Promise.all(
      Array.from({ length: 13 }, () => openClient(place, unfinishedBody(place))),
    );
    await until(() => service.runtime.budget.held > 12 * MIB);
    const refused = await answerTo(place, request);
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({ code: 'overloaded' });

    leave(others);
    await until(() => service.runtime.budget.held === 0);
    expect((await answerTo(place, request))?.status).toBe(200);
    expect(service.runtime.budget.peak).toBeLessThanOrEqual(14 * MIB);
    await until(() => service.runtime.budget.held === 0);
  });

  test('values count as they are opened, before an answer is made of them', async () => {
    await using service = await startService({ limits: { heldBytes: 8 * MIB } });
    const values = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`custom.text_${index}`, 'x'.repeat(30_000)]),
    );
    const id = await service.user({});
    for (const [name, value] of Object.entries(values)) {
      await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id: id }, body: { [name]: value } });
    }

    const body = { fields: Object.keys(values), reason: 'a test' };
    const reply = await service.call('POST /users/{fp_id}/vault/decrypt', { params: { fp_id: id }, body });

    expect(reply.body).toEqual(values);
    expect(service.runtime.budget.peak).toBeGreaterThan(3 * 40 * 30_000);
    expect(service.runtime.budget.held).toBe(0);
  });

  test('large unread answers count, small ones are sent all the same', async () => {
    await using service = await startService({ limits: { heldBytes: 4 * MIB } });
    const place = await service.listen();
    const text = 'x'.repeat(30_000);
    for (let one = 0; one < 40; one++) await service.user({ 'custom.text': text });
    await service.call('POST /_kyclone/recording');
    const ids = (await service.call('GET /_kyclone/entities', { query: { page_size: 100 } })).body.data;
    const fields = { fields: ['custom.text'], reason: 'a test' };
    for (const { id } of ids) {
      await service.call('POST /users/{fp_id}/vault/decrypt', { params: { fp_id: id }, body: fields });
    }
    expect((await service.call('DELETE /_kyclone/recording')).body.recorded).toHaveLength(40);
    expect(service.runtime.budget.peak).toBeGreaterThan(MIB);
    const small = await openClient(place, headOf(place, 'GET /_kyclone/health', { connection: 'close' }));
    await small.closed;
    expect(parseAnswers(small.received())[0]?.status).toBe(200);
    await until(() => service.runtime.budget.held === 0);
  });

  test('what an answer holds is counted no longer once its client is gone', async () => {
    await using given = await aServiceWithAFile({ heldBytes: 64 * MIB });
    const { service, id, place } = given;
    const crowd = await hoard(place, 3, decryptRequest(place, id));
    await until(() => service.runtime.connections.size === 3);

    leave(crowd);

    await until(() => service.runtime.connections.size === 0 && service.runtime.budget.held === 0);
  });
});

test('bodies that wait for their rest count, and one that finds no room is 503', async () => {
  await using service = await startService({ limits: { heldBytes: MIB } });
  const place = await service.listen();
  const first = await openClient(place, unfinishedBody(place));
  // Waits until the server holds what the first client sends. Otherwise the first request could be the one that finds
  // no room.
  await until(() => service.runtime.budget.held >= MIB - 65 * 1_024);

  const answer = await answerTo(place, Buffer.concat([unfinishedBody(place), Buffer.from(' ')]));
  expect([answer?.status, answer?.headers['retry-after']]).toEqual([503, '1']);
  first.leave();
  await until(() => service.runtime.budget.held === 0);
});

describe('the vault proxy', () => {
  test.each([
    ['json', '{"file":"{{ TOKEN }}"}', (body: string) => JSON.parse(body) as object],
    [
      'x-www-form-urlencoded',
      'file={{ TOKEN }}',
      (body: string) => Object.fromEntries(new URLSearchParams(body)),
    ],
  ])('three proxied files in %s are sent whole, and not held', async (type, template, read) => {
    await using given = await aServiceWithAFile();
    const { service, id } = given;
    await using target = await startTarget();

    const calls = Array.from({ length: 3 }, () => proxied(service, id, { url: target.url, type, template }));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const file = FILE.toString('base64');
    for (const { body } of target.requests) expect(read(body.toString())).toEqual({ file });
    expect(service.runtime.budget.peak).toBeLessThan(MIB);
  });
});

function proxied(
  service: TestService,
  id: string,
  { url, type, template }: { url: string; type: string; template: string },
) {
  return service.send({
    method: 'POST',
    path: '/vault_proxy/jit',
    headers: {
      'x-fp-proxy-target-url': url,
      'x-fp-proxy-access-reason': 'a test',
      'x-fp-proxy-fwd-content-type': `application/${type}`,
      'x-fp-id': id,
    },
    body: Buffer.from(template.replaceAll('TOKEN', IMAGE)),
  });
}
