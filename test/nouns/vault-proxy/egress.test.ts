/** Where a proxy call may go, and the results for targets that are slow, large or broken (contract §3.3, §0.10). */
import { describe, expect } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startRawTarget } from '../../support/targets.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

const test = testWith(aCall);

const MIB = 1024 * 1024;

test('jit: a policy that is set holds from the next call on', async (proxy) => {
  const sent = async () => (await proxy.jit({ body: 'x' })).body;

  const answers = [await sent()];
  for (const policy of ['strict', 'open', 'local'] as const) {
    await proxy.service.call('PATCH /_kyclone/settings', { body: { egress: { policy } } });
    answers.push(await sent());
  }

  expect(answers).toMatchObject([{ ok: true }, { code: 'proxy_target_refused' }, { ok: true }, { ok: true }]);
  expect(proxy.target.connections).toBe(3);
});

describe('limits', () => {
  test('jit: files that make a body of over 64 MiB are refused, nothing read or sent', async (proxy) => {
    const png = aPng(10 * MIB - aPng().length);
    await proxy.service.upload(proxy.id, 'document.custom.file', png);

    const one = '{{ document.custom.file }}';
    const refusal = await proxy.refusedJit({ body: one.repeat(5) });

    expect([refusal.status, refusal.code]).toEqual([413, 'payload_too_large']);
    expect([proxy.target.connections, await accessLog(proxy.service)]).toEqual([0, []]);
    await proxy.jit({ body: one.repeat(4) });
    expect(proxy.target.requests[0]?.body).toHaveLength(4 * png.toString('base64').length);
  });

  test('jit: transforms that would make gigabytes are stopped at the budget of the request', async (proxy) => {
    await vaultOf(proxy.service, proxy.id).write({ 'custom.note': 'a'.repeat(30_000) });

    const token = `{{ custom.note | replace('a', '${'x'.repeat(2000)}') }}`;
    const refusal = await proxy.refusedJit({ body: token.repeat(100) });

    expect([refusal.status, refusal.code, proxy.target.connections]).toEqual([400, 'transform_failed', 0]);
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
