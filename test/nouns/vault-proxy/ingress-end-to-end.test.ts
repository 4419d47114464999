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

  test('jit: values are cleaned as a PATCH cleans them', async () => {
    await using call = await aTargetThatReturns({
      ...{ ssn: '121-12-1212', phone: '+1 (415) 555-2671', mail: ' Jane@Example.COM ', zip: 94117 },
    });

    const rules = ['id.ssn9=$.ssn', 'id.phone_number=$.phone', 'id.email=$.mail', 'id.zip=$.zip'];
    await call.jit(rules);
    const other = await call.service.user({
      ...{ 'id.ssn9': '121-12-1212', 'id.phone_number': '+1 (415) 555-2671' },
      ...{ 'id.email': ' Jane@Example.COM ', 'id.zip': '94117' },
    });

    const fields = ['id.ssn9', 'id.phone_number', 'id.email', 'id.zip'];
    const stored = await call.vault.decrypt(fields);
    expect(stored).toEqual(await vaultOf(call.service, other).decrypt(fields));
    expect(stored).toMatchObject({ 'id.ssn9': '121121212', 'id.phone_number': '+14155552671' });
  });

  test('jit: custom identifiers keep the type, others take scalars as text', async () => {
    await using call = await aTargetThatReturns({ n: 424, b: true, o: { a: [1, null] }, cvc: 424 });

    await call.jit(['custom.n=$.n,custom.b=$.b', 'custom.o=$.o', 'card.main.cvc=$.cvc']);

    expect(await call.vault.decrypt(['custom.n', 'custom.b', 'custom.o', 'card.main.cvc'])).toEqual({
      ...{ 'custom.n': 424, 'custom.b': true, 'custom.o': { a: [1, null] }, 'card.main.cvc': '424' },
    });
  });

  test('jit: a list goes into an identifier that takes lists', async () => {
    await using call = await aTargetThatReturns({ names: ['Ada', 'Bo'] });

    const reply = await call.jit(['investor_profile.family_member_names=$.names']);

    const identifier = 'investor_profile.family_member_names';
    expect(reply.body).toEqual({ names: `${call.id}.${identifier}` });
    expect(await call.vault.decrypt([identifier])).toEqual({ [identifier]: ['Ada', 'Bo'] });
  });

  test('jit: an image is stored from base64, and its document shows it', async () => {
    await using call = await aTargetThatReturns({ front: aPng().toString('base64') });
    const identifier = 'document.passport.front.image';

    const reply = await call.jit([`${identifier}=$.front`]);

    expect(reply.body).toEqual({ front: `${call.id}.${identifier}` });
    expect(await call.vault.decrypt([identifier])).toEqual({ [identifier]: aPng().toString('base64') });
    const { body } = await call.service.call('GET /users/{fp_id}/documents', { params: { fp_id: call.id } });
    expect(JSON.stringify(body)).toContain(identifier);
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

  test('jit: transforms of a rule run before the value is validated', async () => {
    await using call = await aTargetThatReturns({ born: '30.12.1988', name: 'ada' });

    await call.jit(["id.dob=$.born | date_format('%d.%m.%Y','%Y-%m-%d'), id.last_name=$.name|to_uppercase"]);

    expect(await call.vault.decrypt(['id.dob', 'id.last_name'])).toEqual({
      ...{ 'id.dob': '1988-12-30', 'id.last_name': 'ADA' },
    });
  });

  test('jit: several entities are stored at once, a business among them', async () => {
    await using call = await aTargetThatReturns({ city: 'Enclave', name: 'Acme' });
    const business = await call.service.business({ 'business.country': 'us' });

    const reply = await call.jit([`id.city=$.city`, `${business}.business.name=$.name`]);

    expect(reply.body).toEqual({ city: `${call.id}.id.city`, name: `${business}.business.name` });
    expect(await call.vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
    const { body } = await call.service.call('POST /businesses/{fp_bid}/vault/decrypt', {
      params: { fp_bid: business },
      body: { fields: ['business.name'], reason: 'a test' },
    });
    expect(body).toEqual({ 'business.name': 'Acme' });
  });

  test.each([
    ['repeated header lines', ['custom.a=$.a', 'custom.b=$.b']],
    ['one line with commas', ['custom.a=$.a , custom.b=$.b']],
  ])('jit: rules come in %s', async (_, rules) => {
    await using call = await aTargetThatReturns({ a: 'one', b: 'two' });

    await call.jit(rules);

    expect(await call.vault.decrypt(['custom.a', 'custom.b'])).toEqual({
      'custom.a': 'one',
      'custom.b': 'two',
    });
  });

  test('jit: stored values are overwritten, and the version counts one for all rules', async () => {
    await using call = await aTargetThatReturns({ first: 'Ada', city: 'Enclave' });
    const before = (await call.versionOf()) ?? 0;

    await call.jit(['id.first_name=$.first', 'id.city=$.city']);

    expect(await call.versionOf()).toBe(before + 1);
    expect(await call.vault.decrypt(['id.first_name', 'id.first_name:1'])).toEqual({
      ...{ 'id.first_name': 'Ada', 'id.first_name:1': 'Wilhelmina' },
    });
  });

  test('jit: the same value once more changes no version', async () => {
    await using call = await aTargetThatReturns({ city: 'Enclave' });
    await call.jit(['id.city=$.city']);
    const version = await call.versionOf();

    const reply = await call.jit(['id.city=$.city']);

    expect([reply.status, await call.versionOf()]).toEqual([200, version]);
  });

  test('jit: an answer of status 400 and above is stored from as well', async () => {
    await using call = await aTargetThatReturns({ hint: 'Enclave' }, { status: 422 });

    const reply = await call.jit(['id.city=$.hint']);

    expect([reply.status, reply.body]).toEqual([422, { hint: `${call.id}.id.city` }]);
    expect(await call.vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
  });

  test('jit: storing makes no entry in the access log, since nothing is read', async () => {
    await using call = await aTargetThatReturns({ city: 'Enclave' });

    await call.jit(['id.city=$.city']);

    expect((await call.service.call('GET /_kyclone/access-log')).body.data).toEqual([]);
  });
});

describe('skipped rules', () => {
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

  test.each([
    ['an empty answer', 204, ''],
    ['a failure that is no JSON', 503, '<h1>Later</h1>'],
  ])('jit: %s is passed on, all rules skipped', async (_, status, body) => {
    await using call = await aTargetThatReturns(((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end(body);
    }) satisfies TargetHandler);

    const reply = await call.jit(['id.city=$.city']);

    expect([reply.status, reply.text]).toEqual([status, body]);
    expect(reply.headers['x-fp-proxy-ingress-skipped']).toBe('1');
  });

  test('jit: without rules an answer stays byte for byte', async () => {
    const text = '{ "a" : 1.0,\n "a": 2 }';
    await using call = await aTargetThatReturns(((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(text);
    }) satisfies TargetHandler);

    const reply = await call.jit([], { headers: { 'x-fp-proxy-ingress-content-type': 'application/json' } });

    expect(reply.text).toBe(text);
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

  test('jit: an invalid value of one entity keeps those of another out', async () => {
    await using call = await aTargetThatReturns({ city: 'Enclave', tin: 'none' });
    const business = await call.service.business();

    const refusal = await call.refused(['id.city=$.city', `${business}.business.tin=$.tin`]);

    expect(refusal.context).toEqual({ [`${business}.business.tin`]: expect.any(String) as string });
    expect(await call.vault.present(['id.city'])).toEqual({ 'id.city': false });
  });

  test.each([
    ['an object for a typed identifier', 'id.city=$.o'],
    ['a list for a typed identifier', 'id.city=$.l'],
    ['a transform that fails', "id.dob=$.s | date_format('%Y', '%Y')"],
    ['an image that is no base64', 'document.passport.front.image=$.s'],
  ])('jit: %s is T120', async (_, rule) => {
    await using call = await aTargetThatReturns({ o: {}, l: [], s: 'no base64!' });

    const refusal = await call.refused([rule]);

    expect([refusal.status, refusal.code]).toEqual([400, 'T120']);
    expect(refusal.headers['x-fp-proxy-upstream-status-code']).toBe('200');
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
