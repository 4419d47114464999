/**
 * Bad input to the vault proxy gets its own code and a message that holds no value, and nothing is sent (contract
 * §3.3).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aKeyThatMay, startProxy, type ProxyParts, type TestProxy } from '../../support/proxy-calls.ts';
import { LIVE_KEY } from '../../support/service.ts';
import { startTarget, type Target } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';

/** A value that occurs in no name, message or id. */
const VALUE = 'QZXJKVWPYB';
const SECRET_ARGUMENT = 'deadbeefcafe0123';

let proxy: TestProxy;
let plain: Target;
let user: string;
let gone: string;
let live: string;
let elsewhere: string;
let reader: string;

beforeAll(async () => {
  proxy = await startProxy();
  const { service } = proxy;
  plain = await startTarget();
  user = await service.user({ 'custom.note': VALUE, 'id.city': 'Enclave' });

  gone = await service.user({ 'custom.note': VALUE });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: gone } });
  live = await service.user({ 'custom.note': VALUE }, LIVE_KEY);
  elsewhere = await service.user({ 'custom.note': VALUE }, await service.key({ tenant: 'another' }));
  reader = await aKeyThatMay(service, ['proxy', 'decrypt:*']);
});

afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

type Case = readonly [what: string, parts: () => ProxyParts, code: string, named: RegExp];
/** The statuses of codes that are not a 400. */
const STATUSES: Readonly<Record<string, number>> = { permission_denied: 403, not_found: 404 };

/**
 * Checks the code of a refusal, that its message names what is wrong and holds no value, and that the target got no
 * connection.
 */
async function expectRefused([, parts, code, named]: Case): Promise<void> {
  const refusal = await proxy.refusedJit({ target: plain.url, id: user, ...parts() });

  expect([refusal.status, refusal.code]).toEqual([STATUSES[code] ?? 400, code]);
  const { message, context } = refusal;
  expect(message).toMatch(named);
  const records = [message, context, await proxy.explain(refusal), await proxy.journal(refusal)];
  expect(JSON.stringify(records)).not.toMatch(new RegExp(`${VALUE}|${SECRET_ARGUMENT}`));
  expect(plain.connections).toBe(0);
}

const body = (text: string) => () => ({ body: text });
const rules = (entity: string) => ({ rules: [`${entity}custom.a=$.a`], body: '{{ custom.note }}' });
const CASES: readonly Case[] = [
  ['an absent datum', body('{{ id.ssn9 }}'), 'proxy_token_unresolved', /\.id\.ssn9/],
  ['an absent version', body('{{ id.city:9 }}'), 'proxy_token_unresolved', /id\.city:9/],
  ['an identifier of businesses', body('{{ business.name }}'), 'proxy_token_unresolved', /business\.name/],
  [
    'an open quote',
    body(`{{ id.city | replace('${SECRET_ARGUMENT}, 'x') }}`),
    ...(['proxy_token_invalid', /id\.city/] as const),
  ],
  [
    'a wrong argument',
    body(`{{ id.city | prefix('${SECRET_ARGUMENT}') }}`),
    ...(['transform_invalid', /id\.city.*prefix/] as const),
  ],
  [
    'a transform that fails',
    body("{{ custom.note | date_format('%Y', '%y') }}"),
    ...(['transform_failed', /custom\.note/] as const),
  ],
  [
    'user info in the target',
    () => ({ target: plain.url.replace('//', `//name:${VALUE}@`), body: 'x' }),
    ...(['invalid_request', /x-fp-proxy-target-url holds user info/] as const),
  ],
  [
    'a pin that is no certificate',
    () => ({
      target: 'https://127.0.0.1:1/',
      body: '{{ custom.note }}',
      headers: { 'x-fp-proxy-pin-cert': Buffer.from(VALUE).toString('base64') },
    }),
    ...(['invalid_request', /x-fp-proxy-pin-cert/] as const),
  ],
  [
    "a rule for another tenant's entity",
    () => rules(`${elsewhere}.`),
    ...(['invalid_request', /x-fp-proxy-ingress-rule: entity of rule 1 is unknown/] as const),
  ],
  [
    'a rule of a key without vault.write',
    () => ({ ...rules(''), as: reader }),
    ...(['permission_denied', /lacks the permission write<custom\.a>/] as const),
  ],
];

test.each(CASES)('jit: %s is refused and nothing sent', async (...refused) => {
  await expectRefused(refused);
});

test('jit: a deleted entity, a live one and that of another tenant are unknown, as token and as x-fp-id', async () => {
  for (const id of ['fp_id_0000000000000000000000', gone, live, elsewhere]) {
    const token = body(`{{ ${id}.custom.note }}`);
    await expectRefused([
      ...(['a token', token, 'proxy_token_unresolved', new RegExp(`${id}\\.custom\\.note`)] as const),
    ]);
    await expectRefused(['x-fp-id', () => ({ id, body: 'x' }), 'not_found', /x-fp-id/]);
  }
});

test('jit: a refusal before any read adds no entry to the access log', async () => {
  const before = (await accessLog(proxy.service)).length;

  await proxy.refusedJit({ target: plain.url, id: user, body: '{{ custom.note }}{{ id.ssn9 }}' });
  await proxy.refusedJit({ target: plain.url, id: user, body: '{{ custom.note }}{{ id.city | }}' });
  await proxy.refusedJit({ target: 'http://10.0.0.1/', id: user, body: '{{ custom.note }}' });

  expect(await accessLog(proxy.service)).toHaveLength(before);
});

test('jit: every absent datum is named at once', async () => {
  const { context } = await proxy.refusedJit({
    target: plain.url,
    id: user,
    body: '{{ id.ssn9 }}{{ id.city }}{{ id.email }}',
  });

  expect(context).toEqual({ [`${user}.id.ssn9`]: 'absent', [`${user}.id.email`]: 'absent' });
});

test('render: refuses what jit would, transforms that fail only when it reads', async () => {
  const parts = { target: plain.url, id: user };
  const failing = { ...parts, body: "{{ custom.note | date_format('%Y', '%y') }}" };

  expect((await proxy.refusedRender({ ...parts, rules: ['id.nothing=$.a'] })).code).toBe('invalid_request');
  expect((await proxy.render(failing)).body).toBe('***');
  expect((await proxy.refusedRender({ ...failing, reason: 'a look' })).code).toBe('transform_failed');
});
