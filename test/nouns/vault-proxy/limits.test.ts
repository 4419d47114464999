/** Limits that no request can bypass (contract §0.10, §3.3). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { MIB } from '../../../src/kernel/numbers/units.ts';
import { startProxy } from '../../support/proxy-calls.ts';
import { startRawTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

const test = testWith(aCall);

test('jit: a target that says nothing is proxy_upstream_timeout, whatever garbage is collected meanwhile', async () => {
  await using proxy = await startProxy({ outside: { timeoutMs: 1_000 } });
  await using target = await startRawTarget({ then: 'silence' });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const collecting = setInterval(collect, 100);

  try {
    const refusal = await proxy.refusedJit({ target: target.url, body: 'x' });
    expect([refusal.status, refusal.code]).toEqual([504, 'proxy_upstream_timeout']);
    expect(refusal.headers['x-fp-proxy-upstream-status-code']).toBeUndefined();
  } finally {
    clearInterval(collecting);
  }
});

test.eachWith([
  ['a method', { 'x-fp-proxy-method': 'TRACE' }],
  ['a pin', { 'x-fp-proxy-pin-cert': 'garbage' }],
  ['a name that may not be forwarded', { 'x-fp-proxy-fwd-host': 'elsewhere' }],
])('jit: %s is judged behind two thousand other headers', async (proxy, _, header) => {
  const filler = Array.from({ length: 2_100 }, () => 'b');
  const headers = { host: `127.0.0.1:${proxy.port}`, a: filler, ...header };
  const refusal = await proxy.refusedJit({ body: 'x', headers });

  expect([refusal.code, proxy.target.connections]).toEqual(['invalid_request', 0]);
  expect(refusal.message).toContain(Object.keys(header)[0]);
});

test('jit: what transforms are to work on counts, however short they make it', async (proxy) => {
  await proxy.service.upload(proxy.id, 'document.custom.large', Buffer.alloc(10 * MIB), 'application/pdf');
  const body = "{{ document.custom.large | hmac_sha256('aa') }}".repeat(7);

  const refusal = await proxy.refusedJit({ body });

  expect([refusal.status, refusal.code, proxy.target.connections]).toEqual([413, 'payload_too_large', 0]);
});

test('jit: a private key that would take long to sign is refused', async (proxy) => {
  const { certificate } = await createAuthority('anyone', Date.now());
  const base64 = Buffer.alloc(6_000).toString('base64');
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${base64}\n-----END RSA PRIVATE KEY-----\n`;

  const refusal = await proxy.refusedJit({
    target: 'https://127.0.0.1:1/',
    body: 'x',
    headers: {
      'x-fp-proxy-client-cert': Buffer.from(certificate).toString('base64'),
      'x-fp-proxy-client-key': Buffer.from(key).toString('base64'),
    },
  });

  expect(refusal.message).toBe('Header x-fp-proxy-client-key holds a private key of more than 8192 bits');
});

test('journal: content types are shown when they are common', async (proxy) => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-type: text/Secretnote\r\ncontent-length: 1\r\n\r\nx';
  await using target = await startRawTarget({ answer });

  const reply = await proxy.jit({
    target: target.url,
    body: 'x',
    headers: { 'content-type': 'application/zzz-secret' },
  });

  expect(await proxy.journal(reply)).toMatchObject({ request: '<*** 1 bytes>', response: '<*** 1 bytes>' });
});

test('render: without a reason not even what staff may see is shown as it is', async (proxy) => {
  const rendering = await proxy.render({ body: '{{ id.zip }} {{ id.city }}' });

  expect(rendering.body).toBe('*** ***');
  expect(rendering.tokens.map(({ input_masked }) => input_masked)).toEqual(['***', '***']);
});
