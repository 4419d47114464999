/** What ingress rules store of a response, end to end (contract §3.3, ingress). */
import { describe, expect, test } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startProxy, type ProxyParts } from '../../support/proxy-calls.ts';
import { aPlaybook, onboardingOf } from '../../support/runs.ts';
import { jsonTarget, startTarget, type TargetHandler } from '../../support/targets.ts';
import { vaultOf } from '../../support/vault-calls.ts';

/** Makes a user and a target that responds with this JSON, or by this handler. */
async function aTargetThatReturns(answer: unknown, options: { status?: number } = {}) {
  const proxy = await startProxy();
  const handler = typeof answer === 'function' ? (answer as TargetHandler) : jsonTarget(answer, options);
  const target = await startTarget({ handler });
  const id = await proxy.service.user({ 'id.first_name': 'Wilhelmina' });
  return {
    ...proxy,
    target,
    id,
    vault: vaultOf(proxy.service, id),
    jit: (rules: readonly string[], parts: ProxyParts = {}) =>
      proxy.jit({ target: target.url, id, rules, body: 'x', ...parts }),
    refused: (rules: readonly string[], parts: ProxyParts = {}) =>
      proxy.refusedJit({ target: target.url, id, rules, body: 'x', ...parts }),
    versionOf: async (fp_id = id) =>
      (await proxy.service.call('GET /users/{fp_id}/vault', { params: { fp_id } })).version,
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

describe('stored values', () => {
  test('jit: a value is stored and replaced by its name', async () => {
    await using call = await aTargetThatReturns({ person: { city: 'Enclave', age: 40 }, other: [1.0] });

    const reply = await call.jit(['id.city=$.person.city']);

    expect([reply.status, reply.text]).toEqual([
      200,
      `{"person":{"city":"${call.id}.id.city","age":40},"other":[1]}`,
    ]);
    expect(reply.headers['x-fp-proxy-ingress-skipped']).toBeUndefined();
    expect(reply.headers['content-type']).toBe('application/json');
    expect(await call.vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
  });

  test('jit: an image that comes by ingress ends a step-up', async () => {
    await using call = await aTargetThatReturns({ front: aPng().toString('base64') });
    const key = await aPlaybook(call.service, { requirements: [] });
    const onboarding = onboardingOf(call.service, call.id);
    const { onboarding_id } = await onboarding.run({ key, fixture_result: 'step_up' });

    await call.jit(['document.passport.front.image=$.front']);

    expect(await onboarding.onboarding(onboarding_id)).toMatchObject({
      ...{ status: 'fail', requires_manual_review: true },
    });
    const { body } = await call.service.call('GET /users/{fp_id}/documents', { params: { fp_id: call.id } });
    expect(body).toMatchObject([{ onboarding_id }]);
  });

  test('jit: storing makes no entry in the access log, since nothing is read', async () => {
    await using call = await aTargetThatReturns({ city: 'Enclave' });

    await call.jit(['id.city=$.city']);

    expect((await call.service.call('GET /_kyclone/access-log')).body.data).toEqual([]);
  });
});

test('jit: paths that select nothing, or null, are skipped and numbered', async () => {
  await using call = await aTargetThatReturns({ city: 'Enclave', nothing: null, list: ['x'] });

  const reply = await call.jit([
    'custom.a=$.gone, id.city=$.city',
    'custom.b=$.nothing',
    'custom.c=$.list[1]',
  ]);

  expect(reply.headers['x-fp-proxy-ingress-skipped']).toBe('1,3,4');
  expect(reply.body).toEqual({ city: `${call.id}.id.city`, nothing: null, list: ['x'] });
  expect(await call.vault.present(['custom.a', 'custom.b', 'custom.c'])).toEqual({
    ...{ 'custom.a': false, 'custom.b': false, 'custom.c': false },
  });
});

describe('refusals', () => {
  const SECRET = 'QZXJKVWPYB';

  test('jit: an invalid value is T120, stores nothing and withholds the answer', async () => {
    await using call = await aTargetThatReturns({ city: SECRET, ssn: '12', phone: SECRET });
    const before = await call.versionOf();

    const refusal = await call.refused(['id.city=$.city', 'id.ssn9=$.ssn', 'id.phone_number=$.phone']);

    expect([refusal.status, refusal.code]).toEqual([400, 'T120']);
    expect(Object.keys(refusal.context ?? {})).toEqual(['id.ssn9', 'id.phone_number']);
    expect(refusal.headers['x-fp-proxy-upstream-status-code']).toBe('200');
    expect(JSON.stringify([refusal.message, refusal.context])).not.toContain(SECRET);
    expect(await call.versionOf()).toBe(before);
    expect(await call.vault.present(['id.city'])).toEqual({ 'id.city': false });
  });

  test('jit: an answer that is no JSON is proxy_ingress_failed', async () => {
    await using call = await aTargetThatReturns(((_, response) => {
      response.end(`<p>${SECRET}</p>`);
    }) satisfies TargetHandler);

    const refusal = await call.refused(['id.city=$.city']);

    expect([refusal.status, refusal.code]).toEqual([502, 'proxy_ingress_failed']);
    expect(refusal.headers['x-fp-proxy-upstream-status-code']).toBe('200');
    expect(refusal.message).not.toContain(SECRET);
  });
});
