/**
 * Bad input to the vault proxy gets its own code and a message that holds no value, and nothing is sent (contract
 * §3.3).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { aKeyThatMay, startProxy, type ProxyParts, type TestProxy } from '../../support/proxy-calls.ts';
import { LIVE_KEY } from '../../support/service.ts';
import { startTarget, type Target } from '../../support/targets.ts';
import { accessLog } from '../../support/vault-calls.ts';

/** A value that occurs in no name, message or id. */
const VALUE = 'QZXJKVWPYB';
const SECRET_ARGUMENT = 'deadbeefcafe0123';

let proxy: TestProxy;
let plain: Target;
let secure: Target;
let user: string;
let gone: string;
let live: string;
let elsewhere: string;
let reader: string;

beforeAll(async () => {
  const authority = await createAuthority('an authority', Date.now());
  proxy = await startProxy();
  const { service } = proxy;
  plain = await startTarget();
  secure = await startTarget({
    tls: await authority.issue({ subject: 'target', names: ['127.0.0.1'], usage: 'server' }),
  });
  user = await service.user({ 'custom.note': VALUE, 'id.city': 'Enclave' });

  gone = await service.user({ 'custom.note': VALUE });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: gone } });
  live = await service.user({ 'custom.note': VALUE }, LIVE_KEY);
  elsewhere = await service.user({ 'custom.note': VALUE }, await service.key({ tenant: 'another' }));
  reader = await aKeyThatMay(service, ['proxy', 'decrypt:*']);
});

afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await secure[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

type Case = readonly [what: string, parts: () => ProxyParts, code: string, named: RegExp];
/** The statuses of codes that are not a 400. */
const STATUSES: Readonly<Record<string, number>> = { permission_denied: 403, not_found: 404 };

/**
 * Checks the code of a refusal, that its message names what is wrong and holds no value, and that no target got a
 * connection.
 */
async function expectRefused([, parts, code, named]: Case): Promise<void> {
  const before = [plain.connections, secure.connections];
  const refusal = await proxy.refusedJit({ target: plain.url, ...parts() });

  expect([refusal.status, refusal.code]).toEqual([STATUSES[code] ?? 400, code]);
  const { message, context } = refusal;
  expect(message).toMatch(named);
  const shown = JSON.stringify([
    message,
    context,
    await proxy.explain(refusal),
    await proxy.journal(refusal),
  ]);
  expect(shown).not.toContain(VALUE);
  expect(shown).not.toContain(SECRET_ARGUMENT);
  expect([plain.connections, secure.connections]).toEqual(before);
}

const INVALID = 'proxy_token_invalid';
const UNRESOLVED = 'proxy_token_unresolved';
const TRANSFORM = 'transform_invalid';

describe('tokens', () => {
  const body = (text: () => string) => () => ({ id: user, body: text() });
  const tokens: readonly Case[] = [
    ['an absent datum', body(() => '{{ id.ssn9 }}'), UNRESOLVED, /\.id\.ssn9/],
    ['an absent version', body(() => '{{ id.city:9 }}'), UNRESOLVED, /id\.city:9/],
    [
      'an identifier of another family',
      body(() => `{{ ${user}.business.name }}`),
      ...([UNRESOLVED, /business\.name/] as const),
    ],
    [
      'an open quote',
      body(() => `{{ id.city | replace('${SECRET_ARGUMENT}, 'x') }}`),
      ...([INVALID, /id\.city/] as const),
    ],
    [
      'a wrong argument',
      body(() => `{{ id.city | prefix('${SECRET_ARGUMENT}') }}`),
      ...([TRANSFORM, /id\.city.*prefix/] as const),
    ],
    [
      'a transform that fails',
      body(() => "{{ custom.note | date_format('%Y', '%y') }}"),
      ...(['transform_failed', /custom\.note/] as const),
    ],
  ];

  test.each(tokens)('jit: %s is refused and nothing sent', async (...refused) => {
    await expectRefused(refused);
  });

  test('jit: a deleted entity, a live one and that of another tenant are unknown, as token and as x-fp-id', async () => {
    for (const id of ['fp_id_0000000000000000000000', gone, live, elsewhere]) {
      const token = () => ({ body: `{{ ${id}.custom.note }}` });
      await expectRefused(['a token', token, UNRESOLVED, new RegExp(`${id}\\.custom\\.note`)]);
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
      ...{ target: plain.url, id: user, body: '{{ id.ssn9 }}{{ id.city }}{{ id.email }}' },
    });

    expect(context).toEqual({ [`${user}.id.ssn9`]: 'absent', [`${user}.id.email`]: 'absent' });
  });
});

describe('headers', () => {
  const https = (headers: () => Record<string, string>) => () => ({
    ...{ target: secure.url, id: user, body: '{{ custom.note }}', headers: headers() },
  });
  const target = (url: string | undefined) => () => ({ target: url, id: user, body: '{{ custom.note }}' });
  const headers: readonly Case[] = [
    ['no target', target(undefined), 'invalid_request', /x-fp-proxy-target-url/],
    [
      'user info in the target',
      () => ({ target: plain.url.replace('//', `//name:${VALUE}@`), body: 'x' }),
      'invalid_request',
      /x-fp-proxy-target-url holds user info/,
    ],
    ['another scheme', target('ftp://127.0.0.1/'), 'proxy_target_refused', /http and https/],
    [
      'a pin that is no certificate',
      https(() => ({ 'x-fp-proxy-pin-cert': Buffer.from(VALUE).toString('base64') })),
      'invalid_request',
      /x-fp-proxy-pin-cert/,
    ],
  ];

  test.each(headers)('jit: %s is refused and nothing sent', async (...refused) => {
    await expectRefused(refused);
  });

  test.each(['http://169.254.169.254/latest/meta-data', 'http://１６９.２５４.１６９.２５４/'])(
    'jit: the target %s is refused',
    async (url) => {
      const sent = Buffer.from(url, 'utf8').toString('latin1');
      const refusal = await proxy.refusedJit({ target: sent, id: user, body: '{{ custom.note }}' });

      expect([refusal.status, refusal.code]).toEqual([400, 'proxy_target_refused']);
      expect(refusal.message).toContain('egress policy local');
    },
  );
});

describe('ingress rules', () => {
  const RULE = /x-fp-proxy-ingress-rule/;
  const rules = (...lines: string[]) => ({ id: user, rules: lines, body: '{{ custom.note }}' });
  const cases: readonly Case[] = [
    ["another tenant's entity", () => rules(`${elsewhere}.custom.a=$.a`), 'invalid_request', RULE],
    [
      'a key without vault.write',
      () => ({ ...rules('custom.a=$.a'), as: reader }),
      'permission_denied',
      /custom\.a/,
    ],
  ];

  test.each(cases)('jit: %s is refused and nothing sent', async (...refused) => {
    await expectRefused(refused);
  });
});

test('reflect: refuses tokens as jit does', async () => {
  for (const [body, code] of [
    ['{{ id.ssn9 }}', UNRESOLVED],
    ['{{ id.city | }}', INVALID],
    ['{{ id.city | reverse }}', TRANSFORM],
    ["{{ custom.note | date_format('%Y', '%y') }}", 'transform_failed'],
  ] as const) {
    expect((await proxy.refusedReflect({ id: user, reason: 'a look', body })).code).toBe(code);
  }
});

test('render: refuses what jit would, transforms that fail only when it reads', async () => {
  const parts = { target: plain.url, id: user };
  const failing = { ...parts, body: "{{ custom.note | date_format('%Y', '%y') }}" };

  expect((await proxy.refusedRender({ ...parts, target: 'http://10.0.0.1/' })).code).toBe(
    'proxy_target_refused',
  );
  expect((await proxy.refusedRender({ ...parts, body: '{{ id.ssn9 }}' })).code).toBe(UNRESOLVED);
  expect((await proxy.refusedRender({ ...parts, rules: ['id.nothing=$.a'] })).code).toBe('invalid_request');
  expect((await proxy.render(failing)).body).toBe('***');
  expect((await proxy.refusedRender({ ...failing, reason: 'a look' })).code).toBe('transform_failed');
});
