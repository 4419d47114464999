/** What ingress rules store of a response, end to end (contract §3.3, ingress). */
import { expect } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { aPlaybook, onboardingOf } from '../../support/runs.ts';
import { jsonTarget, startTarget } from '../../support/targets.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

const test = testWith(() => aCall({ 'id.first_name': 'Wilhelmina' }));

test('jit: a value is stored and replaced by its name, rules without one are numbered, and nothing is read', async (proxy) => {
  const body = { person: { city: 'Enclave', age: 40 }, other: [1.0] };
  await using target = await startTarget({ handler: jsonTarget(body) });
  const { id } = proxy;
  const rules = ['custom.a=$.gone, id.city=$.person.city', 'custom.b=$.other[1]'];

  const reply = await proxy.jit({ target: target.url, rules, body: 'x' });

  expect([reply.status, reply.text]).toEqual([
    200,
    `{"person":{"city":"${id}.id.city","age":40},"other":[1]}`,
  ]);
  expect(reply.headers).toMatchObject({
    'x-fp-proxy-ingress-skipped': '1,3',
    'content-type': 'application/json',
  });
  expect(await accessLog(proxy.service)).toEqual([]);
  expect(await vaultOf(proxy.service, id).decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
});

test('jit: an image that comes by ingress ends a step-up', async (proxy) => {
  const { service, id: fp_id } = proxy;
  await using target = await startTarget({ handler: jsonTarget({ front: aPng().toString('base64') }) });
  const key = await aPlaybook(service, { requirements: [] });
  const onboarding = onboardingOf(service, fp_id);
  const { onboarding_id } = await onboarding.run({ key, fixture_result: 'step_up' });
  const rules = ['document.passport.front.image=$.front'];

  await proxy.jit({ target: target.url, rules, body: 'x' });

  expect(await onboarding.onboarding(onboarding_id)).toMatchObject({
    status: 'fail',
    requires_manual_review: true,
  });
  const { body } = await service.call('GET /users/{fp_id}/documents', { params: { fp_id } });
  expect(body).toMatchObject([{ onboarding_id }]);
});
