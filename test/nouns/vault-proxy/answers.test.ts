/** What a proxy call returns (contract §3.3, response). */
import { expect, test } from 'vitest';
import { startRawTarget } from '../../support/targets.ts';
import { aCallTo } from './a-call.ts';

const UPSTREAM = 'x-fp-proxy-upstream-status-code';

/** Makes a call to a raw server that responds with these bytes. */
async function answered(answer: Buffer) {
  const proxy = await aCallTo(await startRawTarget({ answer }));
  return { ...proxy, reply: await proxy.jit({ body: 'x' }) };
}

function answerOf(status: number, headers: readonly string[], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body as string);
  const head = [`HTTP/1.1 ${status} Of course`, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}

test('jit: status and body bytes come as the target sent them', async () => {
  const bytes = Buffer.from([0, 0xff, 0xfe, 0x0a, 0xe9]);
  await using call = await answered(answerOf(207, [], bytes));

  expect([call.reply.status, call.reply.bytes]).toEqual([207, bytes]);
  expect(call.reply.headers[UPSTREAM]).toBe('207');
});

test('jit: other headers return under the prefix only', async () => {
  await using call = await answered(
    answerOf(200, ['X-Own: yes', 'ETag: "1"', 'cache-control: max-age=60', 'x-request-id: theirs'], 'ok'),
  );

  const { headers } = call.reply;
  expect(headers['x-fp-proxy-fwd-x-own']).toBe('yes');
  expect(headers['x-fp-proxy-fwd-etag']).toBe('"1"');
  expect(headers['x-fp-proxy-fwd-cache-control']).toBe('max-age=60');
  expect(headers['x-fp-proxy-fwd-x-request-id']).toBe('theirs');
  expect([headers['cache-control'], headers['x-own'], headers['etag']]).toEqual([
    'no-store',
    undefined,
    undefined,
  ]);
  expect(headers['x-request-id']).toMatch(/^req_/);
});

test('jit: two cookies stay two', async () => {
  await using call = await answered(answerOf(200, ['set-cookie: a=1; Path=/', 'set-cookie: b=2']));

  expect(call.reply.all('x-fp-proxy-fwd-set-cookie')).toEqual(['a=1; Path=/', 'b=2']);
  expect(call.reply.all('set-cookie')).toEqual([]);
});

test('jit: bytes of a header stay the bytes they are', async () => {
  const value = Buffer.from('é漢', 'utf8').toString('latin1');
  await using call = await answered(answerOf(200, [`x-own: ${value}`]));

  expect(call.reply.headers['x-fp-proxy-fwd-x-own']).toBe(value);
});

test('jit: a header of the target that resembles one of the proxy returns under the prefix', async () => {
  await using call = await answered(answerOf(200, [`${UPSTREAM}: 500`, 'x-fp-proxy-ingress-skipped: 1']));

  expect(call.reply.headers[UPSTREAM]).toBe('200');
  expect(call.reply.headers['x-fp-proxy-ingress-skipped']).toBeUndefined();
  expect(call.reply.headers[`x-fp-proxy-fwd-${UPSTREAM}`]).toBe('500');
});

test.each([400, 401, 403, 404, 413, 500, 503])('jit: a %i of the target is passed on', async (status) => {
  await using call = await answered(
    answerOf(status, ['content-type: application/problem+json', 'www-authenticate: Own'], '{"theirs":1}'),
  );

  expect([call.reply.status, call.reply.text]).toEqual([status, '{"theirs":1}']);
  expect(call.reply.headers['content-type']).toBe('application/problem+json');
  expect(call.reply.headers['www-authenticate']).toBeUndefined();
  expect(call.reply.headers['x-fp-proxy-fwd-www-authenticate']).toBe('Own');
  expect((await call.journal(call.reply)).code).toBeNull();
});

test('jit: an answer without a content type has none', async () => {
  await using call = await answered(answerOf(200, [], 'what is it'));

  expect([call.reply.status, call.reply.text]).toEqual([200, 'what is it']);
  expect(call.reply.headers['x-fp-proxy-fwd-content-type']).toBeUndefined();
  expect(call.reply.headers['content-type']).toBeUndefined();
});

test.each(['json', 'a/b/c', 'text/plain, text/html', 'text /plain', ';', 'text/html; charset=iso-8859-1'])(
  'jit: the content type %j comes as it was sent',
  async (type) => {
    await using call = await answered(answerOf(200, [`content-type: ${type}`], '{}'));

    expect([call.reply.text, call.reply.headers['content-type']]).toEqual(['{}', type]);
  },
);

test('jit: an invalid status is reported with the status of the target', async () => {
  await using call = await answered(answerOf(999, [], 'x'));

  expect(call.reply.body).toMatchObject({ code: 'proxy_upstream_unreachable' });
  expect(call.reply.headers[UPSTREAM]).toBe('999');
});

test('jit: an answer of 5 MiB comes whole', async () => {
  const body = Buffer.alloc(5 * 1024 * 1024, 'x');
  await using call = await answered(answerOf(200, ['content-type: text/plain'], body));

  expect(call.reply.status).toBe(200);
  expect(call.reply.bytes.equals(body)).toBe(true);
});
