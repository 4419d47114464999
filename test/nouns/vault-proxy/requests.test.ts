/** What the target of a proxy call receives, byte for byte (contract §3.3, headers and content type sent). */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { partsOf, type ProxyParts } from '../../support/proxy-calls.ts';
import { SANDBOX_KEY } from '../../support/service.ts';
import { startRawTarget } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aCallTo } from './a-call.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/plain\r\n\r\nok';

/** Makes a user and a raw TCP server that records what it receives. */
async function aRawCall() {
  const call = await aCallTo(await startRawTarget({ answer: OK }), aUser({ 'custom.note': 'a "b"' }));
  return {
    ...call,
    async sent(parts: ProxyParts) {
      const reply = await call.jit(parts);
      expect([reply.status, reply.text]).toEqual([200, 'ok']);
      return partsOf(call.target.received.at(-1));
    },
  };
}

const test = testWith(aRawCall);

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('jit: the target gets this head and this body, and not a byte else', async (call) => {
  const { head, body } = await call.sent({
    pathAndQuery: '/customers?of=1',
    forward: { 'x-own': 'yes', 'content-type': 'application/json; v=2' },
    reason: 'a reason that stays here',
    headers: {
      'content-type': 'text/x-callers',
      'user-agent': 'callers/1',
      accept: 'text/x-callers',
      'accept-encoding': 'br',
      cookie: 'callers=1',
      'x-callers': 'stays',
      'x-forwarded-for': '192.0.2.1',
      'x-fp-proxy-ingress-content-type': 'json',
    },
    body: '{"name":"{{ id.first_name }}"}',
  });

  expect(head.split('\r\n')).toEqual([
    'POST /customers?of=1 HTTP/1.1',
    `host: 127.0.0.1:${call.target.port}`,
    'accept: */*',
    'accept-encoding: identity',
    'user-agent: service-vault-proxy/1',
    'x-own: yes',
    'content-type: application/json; v=2',
    'content-length: 21',
    'connection: close',
  ]);
  expect(body.toString()).toBe('{"name":"Wilhelmina"}');
});

test('jit: a key given as user name of Basic stays here, too', async (call) => {
  const authorization = basic(`${SANDBOX_KEY}:`);

  const { head } = await call.sent({ as: null, headers: { authorization }, body: 'x' });

  expect(head.toLowerCase()).not.toContain('authorization');
  expect(call.target.received.join('')).not.toContain(authorization);
});

test.eachWith(['GET', 'HEAD'])('jit: %s sends no body and reads no token', async (call, method) => {
  const reply = await call.jit({ method, body: '{{ id.ssn9 }}' });

  const { head, body } = partsOf(call.target.received[0]);
  expect([reply.status, head.split(' ')[0], body.length]).toEqual([200, method, 0]);
  expect(head).not.toMatch(/content-(length|type)/);
  expect(await accessLog(call.service)).toEqual([]);
});

test('jit: tokens are replaced in the body only: elsewhere they are text, and nothing is read', async (call) => {
  const { head } = await call.sent({
    pathAndQuery: '?of={{id.ssn9}}',
    forward: { 'x-own': '{{ id.ssn9 }}' },
    body: 'x',
  });

  expect(head.split('\r\n')).toContain('x-own: {{ id.ssn9 }}');
  expect(head).toContain('?of={{id.ssn9}} HTTP/1.1');
  expect(await accessLog(call.service)).toEqual([]);
});

test('jit: bytes of a forwarded header stay the bytes they are', async (call) => {
  const value = Buffer.from('é漢', 'utf8').toString('latin1');

  const { head } = await call.sent({ forward: { 'x-own': value }, body: 'x' });

  expect(head.split('\r\n')).toContain(`x-own: ${value}`);
});

test('jit, reflect, render: a body with a content encoding is 415, and nothing is sent', async (call) => {
  const headers = (encoding: string) => ({ 'content-encoding': encoding });
  const body = gzipSync('{{ id.first_name }}');

  for (const encoding of ['gzip', 'br', 'x-unknown', 'identity, gzip']) {
    for (const refused of [call.refusedJit, call.refusedReflect, call.refusedRender]) {
      expect(await refused({ body, headers: headers(encoding) })).toMatchObject({
        status: 415,
        message: 'The body must be sent without a content encoding',
      });
    }
  }
  expect(call.target.connections).toBe(0);
  const sent = await call.sent({ body: '{{ id.first_name }}', headers: headers('Identity') });
  expect(sent.body.toString()).toBe('Wilhelmina');
});

test('jit: a template behind a byte order mark is JSON, and the mark stays', async (call) => {
  const headers = { 'content-type': 'text/x-callers' };
  const { head, body } = await call.sent({ headers, body: '\ufeff{"a":"{{ custom.note }}"}' });

  expect(head).toContain('content-type: application/json');
  expect(body.toString()).toBe(String.raw`${'\ufeff'}{"a":"a \"b\""}`);
});

// The API key of a call is never sent to the target (contract §3.3).
test.eachWith([
  ['a header of its own', { forward: { 'x-note': `key ${SANDBOX_KEY}` } }],
  ['Basic', { forward: { authorization: basic(`${SANDBOX_KEY}:`) } }],
  ['Basic with a password', { forward: { authorization: basic(`${SANDBOX_KEY}:x`) } }],
  ['Bearer', { forward: { authorization: `Bearer ${SANDBOX_KEY}` } }],
  ['the header that carries keys here', { forward: { 'x-service-secret-key': 'sk_test_of_somebody_else' } }],
  ['the query', { pathAndQuery: `?key=${SANDBOX_KEY}` }],
])('jit: the key of the call is not forwarded in %s, and nothing is sent', async (call, _, parts) => {
  const refusal = await call.refusedJit({ body: 'x', ...parts });

  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(refusal.message).toMatch(/^Header x-fp-/);
  expect(refusal.message).not.toContain(SANDBOX_KEY);
  expect(call.target.connections).toBe(0);
});

test('jit: a key that came by Basic is not forwarded either', async (call) => {
  const refusal = await call.refusedJit({
    body: 'x',
    as: null,
    forward: { 'x-note': SANDBOX_KEY },
    headers: { authorization: basic(`${SANDBOX_KEY}:`) },
  });

  expect([refusal.code, call.target.connections]).toEqual(['invalid_request', 0]);
});

test("jit: another user's key passes", async (call) => {
  const authorization = basic('sk_test_of_a_payment_processor:');

  const { head } = await call.sent({ body: 'x', forward: { authorization } });

  expect(head.split('\r\n')).toContain(`authorization: ${authorization}`);
});
