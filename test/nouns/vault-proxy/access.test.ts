/** Which callers may resolve tokens, and what the access log records before a byte leaves (contract §3.3, §11). */
import { expect } from 'vitest';
import { aKeyThatMay, startProxy, type TestProxy } from '../../support/proxy-calls.ts';
import { startRawTarget, startTarget } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(startProxy);

const verified = async ({ service }: TestProxy) =>
  (await service.call('GET /_kyclone/access-log/verify')).body;

/** Returns operation, outcome, entity, identifiers and reason of each entry, oldest first. */
async function entries({ service }: TestProxy) {
  const log = await accessLog(service);
  return log
    .map(({ operation, outcome, fp_id, identifiers, reason }) => [
      operation,
      outcome,
      fp_id,
      identifiers,
      reason,
    ])
    .reverse();
}

test('jit: one entry for each entity, with its identifiers once, the reason and the request', async (proxy) => {
  await using target = await startTarget();
  const [user, business] = [await proxy.service.user(), await proxy.service.business()];

  const reply = await proxy.jit({
    target: target.url,
    reason: 'a background check',
    body:
      `{{ ${user}.id.ssn9 | suffix(4) }} {{ ${business}.business.tin }} {{ ${user}.id.ssn9 }} ` +
      `{{ ${user}.id.city:1 }}`,
  });

  expect(await entries(proxy)).toEqual([
    ['proxy', 'granted', user, ['id.ssn9', 'id.city:1'], 'a background check'],
    ['proxy', 'granted', business, ['business.tin'], 'a background check'],
  ]);
  const [entry] = await accessLog(proxy.service);
  expect([entry?.request_id, entry?.actor.kind]).toEqual([reply.requestId, 'api_key']);
  expect(await verified(proxy)).toMatchObject({ ok: true });
});

test('jit: a hundred identifiers are in one entry', async (proxy) => {
  await using target = await startTarget();
  const identifiers = Array.from({ length: 100 }, (_, index) => `custom.number_${index}`);
  const id = await proxy.service.user(Object.fromEntries(identifiers.map((each) => [each, 'x'])));

  await proxy.jit({ target: target.url, id, body: identifiers.map((each) => `{{ ${each} }}`).join() });

  expect(await entries(proxy)).toEqual([['proxy', 'granted', id, identifiers, '']]);
  expect(await verified(proxy)).toMatchObject({ ok: true });
});

test('jit: the entry is committed before the target sees a connection', async (proxy) => {
  const id = await proxy.service.user();
  const seen: unknown[] = [];
  await using door = await startRawTarget({
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    onConnection() {
      seen.push(proxy.service.database.prepare('SELECT count(*) AS n FROM access_log').get());
      seen.push(proxy.service.database.inTransaction);
    },
  });

  await proxy.jit({ target: door.url, id, body: '{{ id.city }}' });

  expect(seen).toEqual([{ n: 1 }, false]);
});

test('jit: a key that may not decrypt one datum reads none, and the refusal is logged', async (proxy) => {
  await using target = await startTarget();
  const id = await proxy.service.user();
  const as = await aKeyThatMay(proxy.service, ['proxy', 'decrypt:id.city']);

  const body = '{{ id.city }} {{ id.ssn9 }}';
  const refusal = await proxy.refusedJit({ target: target.url, id, as, reason: 'why', body });

  expect([refusal.status, refusal.code]).toEqual([403, 'permission_denied']);
  expect(refusal.message).toContain('id.ssn9');
  expect(await entries(proxy)).toEqual([['proxy', 'refused', id, ['id.city', 'id.ssn9'], 'why']]);
  expect(target.connections).toBe(0);
  expect(await verified(proxy)).toMatchObject({ ok: true });
});

test.eachWith([
  ['the permission proxy', ['decrypt:*'], ['preview:vault_proxy_jit'], 'permission_denied'],
  ['the scope of the preview', ['proxy', 'decrypt:*'], [], 'scope_missing'],
])(
  'jit: a key without %s is refused, logged and nothing sent',
  async (proxy, _, permissions, scopes, code) => {
    await using target = await startTarget();
    const id = await proxy.service.user();
    const as = await aKeyThatMay(proxy.service, permissions, scopes);

    const refusal = await proxy.refusedJit({ target: target.url, id, as, body: '{{ id.city }}' });

    expect([refusal.status, refusal.code]).toEqual([403, code]);
    expect(await entries(proxy)).toEqual([['proxy', 'refused', null, [], null]]);
    expect(target.connections).toBe(0);
  },
);

test.eachWith([undefined, '   ', '\t', '%C2%A0'])(
  'reflect: shows no value without a reason, %j is invalid, and the refusal is logged',
  async (proxy, given) => {
    const id = await proxy.service.user();
    const reason = given === undefined ? {} : { reason: given === '%C2%A0' ? '\u00a0' : given };

    const refusal = await proxy.refusedReflect({ id, ...reason, body: '{{ id.city }}' });
    const plain = await proxy.refusedReflect({ id, ...reason, body: 'no token' });

    expect([refusal.status, refusal.code]).toEqual([400, 'reason_required']);
    expect(refusal.message).toContain('x-fp-access-reason');
    expect(plain.code).toBe('reason_required');
    expect(await entries(proxy)).toEqual([['reflect', 'refused', id, ['id.city'], null]]);
  },
);

test('reflect: a refusal is logged as reflect', async (proxy) => {
  const id = await proxy.service.user();
  const as = await aKeyThatMay(proxy.service, ['proxy']);

  const refusal = await proxy.refusedReflect({ id, as, reason: 'a look', body: '{{ id.city }}' });

  expect(refusal.code).toBe('permission_denied');
  expect(await entries(proxy)).toEqual([['reflect', 'refused', id, ['id.city'], 'a look']]);
});

test('render: masks are logged nowhere, values with a reason as reflect', async (proxy) => {
  await using target = await startTarget();
  const id = await proxy.service.user();
  const parts = { target: target.url, id, body: '{{ id.city }}' };

  await proxy.render(parts);
  expect(await entries(proxy)).toEqual([]);
  expect(await proxy.render({ ...parts, reason: 'a look' })).toMatchObject({
    body: 'Enclave',
    masked: false,
  });

  expect(await entries(proxy)).toEqual([['reflect', 'granted', id, ['id.city'], 'a look']]);
});

test('render: by masks wants the permission to decrypt all the same, and logs the refusal', async (proxy) => {
  await using target = await startTarget();
  const id = await proxy.service.user();
  const as = await aKeyThatMay(proxy.service, ['proxy']);

  const refusal = await proxy.refusedRender({ target: target.url, id, as, body: '{{ id.city }}' });

  expect(refusal.code).toBe('permission_denied');
  expect(await entries(proxy)).toEqual([['reflect', 'refused', id, ['id.city'], null]]);
});
