/** The API key of a call is never sent to the target (contract §3.3). */
import { expect } from 'vitest';
import { startProxy } from '../../support/proxy-calls.ts';
import { SANDBOX_KEY } from '../../support/service.ts';
import { startTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(startProxy);

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test.eachWith([
  ['a header of its own', { forward: { 'x-note': `key ${SANDBOX_KEY}` } }],
  ['Basic', { forward: { authorization: basic(`${SANDBOX_KEY}:`) } }],
  ['Basic with a password', { forward: { authorization: basic(`${SANDBOX_KEY}:x`) } }],
  ['Bearer', { forward: { authorization: `Bearer ${SANDBOX_KEY}` } }],
  ['the header that carries keys here', { forward: { 'x-service-secret-key': 'sk_test_of_somebody_else' } }],
  ['the query', { pathAndQuery: `?key=${SANDBOX_KEY}` }],
])('jit: the key of the call is not forwarded in %s, and nothing is sent', async (proxy, _, parts) => {
  await using target = await startTarget();

  const refusal = await proxy.refusedJit({ target: target.url, body: 'x', ...parts });

  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(refusal.message).toMatch(/^Header x-fp-/);
  expect(refusal.message).not.toContain(SANDBOX_KEY);
  expect(target.connections).toBe(0);
});

test('jit: a key that came by Basic is not forwarded either', async (proxy) => {
  await using target = await startTarget();

  const refusal = await proxy.refusedJit({
    ...{ target: target.url, body: 'x', as: null, forward: { 'x-note': SANDBOX_KEY } },
    headers: { authorization: basic(`${SANDBOX_KEY}:`) },
  });

  expect([refusal.code, target.connections]).toEqual(['invalid_request', 0]);
});

test("jit: another user's key passes", async (proxy) => {
  await using target = await startTarget();
  const authorization = basic('sk_test_of_a_payment_processor:');

  const reply = await proxy.jit({ target: target.url, body: 'x', forward: { authorization } });

  expect(reply.status).toBe(200);
  expect(target.requests[0]?.headers.authorization).toBe(authorization);
});
