/** Where a proxy call may go, and the results for targets that are slow, large or broken (contract §3.3, §0.10). */
import { describe, expect } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startProxy } from '../../support/proxy-calls.ts';
import { startRawTarget, startTarget } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(startProxy);

const MIB = 1024 * 1024;

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
});

describe('limits', () => {
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
    'x-fp-proxy-upstream-status-code': '201',
    'x-fp-proxy-fwd-x-order': '7',
  });
  expect(reply.all('x-fp-proxy-fwd-set-cookie')).toEqual(['a', 'b']);
  const { upstream, hints } = await proxy.explain(reply);
  expect([upstream?.status, hints.join()]).toEqual([
    201,
    expect.stringContaining('content encoding is damaged'),
  ]);
  expect(hints.join()).toContain('it may have acted');
});
