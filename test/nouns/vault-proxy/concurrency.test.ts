/** Concurrent proxy calls, and what happens while one waits for its target. */
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { until } from '../../support/patience.ts';
import { proxyHeaders, startProxy, type ProxyParts, type TestProxy } from '../../support/proxy-calls.ts';
import { startRawTarget, startTarget } from '../../support/targets.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(startProxy);

const JIT = 'POST /vault_proxy/jit';

/** Starts a target that responds when the test lets it. */
async function aWaitingTarget(answer: unknown = {}) {
  let goOn: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (goOn = resolve));
  const target = await startTarget({
    handler: async (_, response) => {
      await released;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    },
  });
  const reached = () => until('the target is asked', () => target.requests.length > 0);
  return { ...target, release: goOn, reached };
}

/** Sends a call, closes the connection once `when` has settled, and waits until the service notices. */
async function hangUp(
  { port, service }: TestProxy,
  parts: ProxyParts,
  when: () => Promise<unknown>,
): Promise<void> {
  const headers = proxyHeaders(JIT, parts) as Record<string, string | string[]>;
  const call = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: JIT.slice(5),
    headers,
    agent: false,
  });
  call.on('error', () => undefined);
  call.end(Buffer.from(parts.body as string));
  await when();
  call.destroy();
  const connections = () =>
    new Promise<number>((resolve) => service.server?.getConnections((_, count) => resolve(count)));
  await until('the service knows', async () => (await connections()) === 0);
}

test('jit: fifty calls at once each get the values of their own entity', async (proxy) => {
  await using target = await startTarget({
    handler: ({ body }, response) => {
      response.end(body);
    },
  });
  const names = Array.from({ length: 50 }, (_, index) => `City of the number ${index}`);
  const users = await Promise.all(names.map((city) => proxy.service.user({ 'id.city': city })));

  const replies = await Promise.all(
    users.map((id) => proxy.jit({ target: target.url, id, body: '<{{ id.city }}>' })),
  );

  expect(replies.map(({ text }) => text)).toEqual(names.map((city) => `<${city}>`));
});

test('jit: a deletion of one of two entities keeps the other from being stored to', async (proxy) => {
  await using target = await aWaitingTarget({ city: 'Enclave' });
  const [kept, id] = [await proxy.service.user({ 'id.country': 'us' }), await proxy.service.user()];

  const rules = [`${kept}.id.city=$.city`, `${id}.id.zip=$.zip`, `${id}.custom.city=$.name`];
  const pending = proxy.jit({ target: target.url, rules, body: 'x' });
  await target.reached();
  await proxy.service.call('DELETE /users/{fp_id}', { params: { fp_id: id } });
  target.release();

  // Nothing was selected for the deleted entity, so nothing prevents storing for the other one.
  expect((await pending).status).toBe(200);
  expect(await vaultOf(proxy.service, kept).present(['id.city'])).toEqual({ 'id.city': true });
});

test('jit: a caller that goes away leaves no open connection to the target, and is marked in the journal', async () => {
  // The deadline of the call doesn't end it before the test gives up.
  await using proxy = await startProxy({ outside: { timeoutMs: 3_600_000 } });
  await using target = await startRawTarget({ then: 'silence' });

  await hangUp(proxy, { target: target.url, body: 'x' }, () =>
    until('the target is asked', () => target.received.some((bytes) => bytes.length > 0)),
  );

  await until('the connection is closed', () => target.open === 0);
  expect(target.connections).toBe(1);
  const entry = await until('it is in the journal', async () => {
    const query = { path: '/vault_proxy/*' };
    const { data } = (await proxy.service.call('GET /_kyclone/requests', { query })).body;
    expect(data.length).toBeLessThan(2);
    return data[0];
  });
  const { hints, upstream } = await proxy.explain({ requestId: entry.id });
  expect(hints.join()).toContain('The caller went away');
  expect(upstream?.status).toBeNull();
  expect(entry.proxy?.url).toBe(`${target.url}/`);
});

test('jit: a call with ingress rules completes without its caller, because its response must be stored', async (proxy) => {
  await using target = await aWaitingTarget({ city: 'Enclave' });
  const id = await proxy.service.user({ 'id.country': 'us' });

  await hangUp(proxy, { target: target.url, id, rules: ['id.city=$.city'], body: 'x' }, target.reached);
  target.release();

  const vault = vaultOf(proxy.service, id);
  await until('it is stored', async () => (await vault.present(['id.city']))['id.city'] === true);
});

test('jit: a service that is closed while it waits for a target ends in good order', async () => {
  const proxy = await startProxy({ outside: { timeoutMs: 2000 } });
  await using target = await startRawTarget({ then: 'silence' });

  const pending = proxy.jit({ target: target.url, body: 'x' });
  await until('the target is asked', () => target.connections > 0);
  const closed = proxy[Symbol.asyncDispose]();

  expect((await pending).status).toBe(504);
  await closed;
});
