/** Where a proxy call may go, and the results for targets that are slow, large or broken (contract §3.3, §0.10). */
import { describe, expect } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startProxy } from '../../support/proxy-calls.ts';
import { startRawTarget, startTarget } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(startProxy);

const MIB = 1024 * 1024;
const UPSTREAM = 'x-fp-proxy-upstream-status-code';

describe('policy', () => {
  test('jit: a policy that is set holds from the next call on', async (proxy) => {
    await using target = await startTarget();
    const set = (policy: 'strict' | 'local' | 'open') =>
      proxy.service.call('PATCH /_kyclone/settings', { body: { egress: { policy } } });
    const code = async () => {
      const reply = await proxy.jit({ target: target.url, body: 'x' });
      return reply.status === 200 ? 'sent' : (reply.body as { code: string }).code;
    };

    const codes = [await code()];
    for (const policy of ['strict', 'open', 'local'] as const) {
      await set(policy);
      codes.push(await code());
    }

    expect(codes).toEqual(['sent', 'proxy_target_refused', 'sent', 'sent']);
    expect(target.connections).toBe(3);
  });

  test.each(['strict', 'local', 'open'] as const)(
    'jit: under %s the emulator never calls itself',
    async (policy) => {
      await using proxy = await startProxy({
        settings: { egress: { policy } },
        outside: { resolve: () => Promise.resolve(['127.0.0.1']) },
      });

      for (const host of ['127.0.0.1', '[::1]', 'localhost', 'self.example', '0.0.0.0', '2130706433']) {
        const refusal = await proxy.refusedJit({ target: `http://${host}:${proxy.port}/users`, body: 'x' });
        expect([host, refusal.code]).toEqual([host, 'proxy_target_refused']);
      }
    },
  );

  test('jit: an unknown name is unreachable, before anything is read', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await using proxy = await startProxy({ outside: { resolve } });
    const id = await proxy.service.user();

    const refusal = await proxy.refusedJit({ target: 'http://nobody.example/', id, body: '{{ id.city }}' });

    expect([refusal.status, refusal.code]).toEqual([502, 'proxy_upstream_unreachable']);
    expect(refusal.message).toContain('nobody.example');
    expect(await accessLog(proxy.service)).toEqual([]);
  });
});

describe('limits', () => {
  test('jit: a body of 1 MiB is sent, one byte more is refused', async (proxy) => {
    await using target = await startTarget();

    const sent = await proxy.jit({ target: target.url, body: Buffer.alloc(MIB, 'x') });
    const refusal = await proxy.refusedJit({ target: target.url, body: Buffer.alloc(MIB + 1, 'x') });

    expect([sent.status, target.requests[0]?.body.length]).toEqual([200, MIB]);
    expect([refusal.status, refusal.code, target.connections]).toEqual([413, 'payload_too_large', 1]);
  });

  test.eachWith([
    ['announced', [`content-length: ${5 * MIB + 1}\r\n\r\n`, Buffer.alloc(5 * MIB + 1, 'x')]],
    [
      'chunked',
      [
        `transfer-encoding: chunked\r\n\r\n${(5 * MIB + 1).toString(16)}\r\n`,
        Buffer.alloc(5 * MIB + 1, 'x'),
        '\r\n0\r\n\r\n',
      ],
    ],
  ])('jit: an answer over 5 MiB, %s, is proxy_response_too_large', async (proxy, _, answer) => {
    await using target = await startRawTarget({ answer: ['HTTP/1.1 203 OK\r\n', ...answer] });

    const refusal = await proxy.refusedJit({ target: target.url, body: 'x' });

    expect([refusal.status, refusal.code]).toEqual([502, 'proxy_response_too_large']);
    expect(refusal.headers[UPSTREAM]).toBe('203');
  });

  test('jit: a target that stops in the middle of its answer is proxy_upstream_timeout, with the status it gave', async () => {
    await using proxy = await startProxy({ outside: { timeoutMs: 1500 } });
    const answer = 'HTTP/1.1 201 Made\r\ncontent-length: 10\r\n\r\nhalf';
    await using target = await startRawTarget({ answer, then: 'silence' });

    const refusal = await proxy.refusedJit({ target: target.url, body: 'x' });

    expect([refusal.status, refusal.code]).toEqual([504, 'proxy_upstream_timeout']);
    expect(refusal.headers[UPSTREAM]).toBe('201');
  });

  const image = (number: number) => `document.custom.file${number}`;

  test('jit: files that make a body of over 64 MiB are refused, nothing read or sent', async (proxy) => {
    await using target = await startTarget();
    const id = await proxy.service.user();
    const png = aPng(10 * MIB - aPng().length);
    await proxy.service.upload(id, image(1), png);

    const one = `{{ ${image(1)} }}`;
    const refusal = await proxy.refusedJit({ target: target.url, id, body: one.repeat(5) });

    expect([refusal.status, refusal.code]).toEqual([413, 'payload_too_large']);
    expect([target.connections, await accessLog(proxy.service)]).toEqual([0, []]);
    const sent = await proxy.jit({ target: target.url, id, body: one.repeat(4) });
    expect([sent.status, target.requests[0]?.body.length]).toEqual([
      200,
      4 * Buffer.from(png).toString('base64').length,
    ]);
  });

  test('jit: transforms that would make gigabytes are stopped at the budget of the request', async (proxy) => {
    await using target = await startTarget();
    const id = await proxy.service.user({ 'custom.note': 'a'.repeat(30_000) });

    const token = `{{ custom.note | replace('a', '${'x'.repeat(2000)}') }}`;
    const refusal = await proxy.refusedJit({ target: target.url, id, body: token.repeat(100) });

    expect([refusal.status, refusal.code, target.connections]).toEqual([400, 'transform_failed', 0]);
  });
});

test('jit: of an answer that cannot be read, status and headers come with the error', async (proxy) => {
  const head =
    'HTTP/1.1 201 Made\r\nx-order: 7\r\nset-cookie: a\r\nset-cookie: b\r\ncontent-encoding: gzip\r\n\r\n';
  await using target = await startRawTarget({ answer: [head, Buffer.from([0x1f, 0x8b, 8])] });

  const reply = await proxy.jit({ target: target.url, body: 'x' });

  expect(reply.status).toBe(502);
  expect(reply.headers).toMatchObject({
    ...{ 'x-fp-proxy-upstream-status-code': '201', 'x-fp-proxy-fwd-x-order': '7' },
  });
  expect(reply.all('x-fp-proxy-fwd-set-cookie')).toEqual(['a', 'b']);
  const { upstream, hints } = await proxy.explain(reply);
  expect([upstream?.status, hints.join()]).toEqual([
    201,
    expect.stringContaining('content encoding is damaged'),
  ]);
  expect(hints.join()).toContain('it may have acted');
});
