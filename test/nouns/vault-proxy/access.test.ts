/** Which callers may resolve tokens, and what the access log records before a byte leaves (contract §3.3, §11). */
import { expect } from 'vitest';
import { aKeyThatMay, type TestProxy } from '../../support/proxy-calls.ts';
import { startRawTarget } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

const test = testWith(aCall);

type Proxy = Pick<TestProxy, 'service'>;

const verified = async ({ service }: Proxy) => (await service.call('GET /_kyclone/access-log/verify')).body;

/** Returns operation, outcome, entity, identifiers and reason of each entry, oldest first. */
const entries = async ({ service }: Proxy) =>
  (await accessLog(service))
    .map((entry) => [entry.operation, entry.outcome, entry.fp_id, entry.identifiers, entry.reason])
    .reverse();

test('jit: one entry for each entity, with its identifiers once, the reason and the request', async (proxy) => {
  const { id: user } = proxy;
  const business = await proxy.service.business();

  const reply = await proxy.jit({
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

test('jit: a hundred identifiers are in one entry', async () => {
  const identifiers = Array.from({ length: 100 }, (_, index) => `custom.number_${index}`);
  await using proxy = await aCall(Object.fromEntries(identifiers.map((each) => [each, 'x'])));

  await proxy.jit({ body: identifiers.map((each) => `{{ ${each} }}`).join() });

  expect(await entries(proxy)).toEqual([['proxy', 'granted', proxy.id, identifiers, '']]);
  expect(await verified(proxy)).toMatchObject({ ok: true });
});

test('jit: the entry is committed before the target sees a connection', async (proxy) => {
  const seen: unknown[] = [];
  await using door = await startRawTarget({
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    onConnection() {
      seen.push(proxy.service.database.prepare('SELECT count(*) AS n FROM access_log').get());
      seen.push(proxy.service.database.inTransaction);
    },
  });

  await proxy.jit({ target: door.url, body: '{{ id.city }}' });

  expect(seen).toEqual([{ n: 1 }, false]);
});

test('jit: a key that may not decrypt one datum reads none, and the refusal is logged', async (proxy) => {
  const as = await aKeyThatMay(proxy.service, ['proxy', 'decrypt:id.city']);

  const refusal = await proxy.refusedJit({ as, reason: 'why', body: '{{ id.city }} {{ id.ssn9 }}' });

  expect([refusal.status, refusal.code]).toEqual([403, 'permission_denied']);
  expect(refusal.message).toContain('id.ssn9');
  expect(await entries(proxy)).toEqual([['proxy', 'refused', proxy.id, ['id.city', 'id.ssn9'], 'why']]);
  expect(proxy.target.connections).toBe(0);
  expect(await verified(proxy)).toMatchObject({ ok: true });
});

test.eachWith([
  ['the permission proxy', ['decrypt:*'], ['preview:vault_proxy_jit'], 'permission_denied'],
  ['the scope of the preview', ['proxy', 'decrypt:*'], [], 'scope_missing'],
])(
  'jit: a key without %s is refused, logged and nothing sent',
  async (proxy, _, permissions, scopes, code) => {
    const as = await aKeyThatMay(proxy.service, permissions, scopes);

    const refusal = await proxy.refusedJit({ as, body: '{{ id.city }}' });

    expect([refusal.status, refusal.code]).toEqual([403, code]);
    expect(await entries(proxy)).toEqual([['proxy', 'refused', null, [], null]]);
    expect(proxy.target.connections).toBe(0);
  },
);

test.eachWith([undefined, '   ', '\t', '\u00a0'])(
  'reflect: shows no value without a reason, %j is invalid, and the refusal is logged',
  async (proxy, given) => {
    const reason = given === undefined ? {} : { reason: given };

    const refusal = await proxy.refusedReflect({ ...reason, body: '{{ id.city }}' });
    const plain = await proxy.refusedReflect({ ...reason, body: 'no token' });

    expect([refusal.status, refusal.code]).toEqual([400, 'reason_required']);
    expect(refusal.message).toContain('x-fp-access-reason');
    expect(plain.code).toBe('reason_required');
    expect(await entries(proxy)).toEqual([['reflect', 'refused', proxy.id, ['id.city'], null]]);
  },
);

test.eachWith(['reflect', 'render'] as const)(
  '%s: wants the permission to decrypt, by masks too, and its refusal is logged as reflect',
  async (proxy, operation) => {
    const as = await aKeyThatMay(proxy.service, ['proxy']);
    const [refused, reason] =
      operation === 'render' ? [proxy.refusedRender, {}] : [proxy.refusedReflect, { reason: 'a look' }];

    const refusal = await refused({ as, body: '{{ id.city }}', ...reason });

    expect(refusal.code).toBe('permission_denied');
    const shown = operation === 'render' ? null : 'a look';
    expect(await entries(proxy)).toEqual([['reflect', 'refused', proxy.id, ['id.city'], shown]]);
  },
);

test('render: masks are logged nowhere, values with a reason as reflect', async (proxy) => {
  await proxy.render({ body: '{{ id.city }}' });
  expect(await entries(proxy)).toEqual([]);
  expect(await proxy.render({ body: '{{ id.city }}', reason: 'a look' })).toMatchObject({
    body: 'Enclave',
    masked: false,
  });

  expect(await entries(proxy)).toEqual([['reflect', 'granted', proxy.id, ['id.city'], 'a look']]);
});
