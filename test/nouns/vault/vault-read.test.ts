/** Decrypt, presence and integrity (contract §2.5, §2.8, §2.16, §10), and which callers may use them (§0.3). */
import { createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { failureOf, type TestService } from '../../support/service.ts';
import { accessLog, vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const DECRYPT = 'POST /users/{fp_id}/vault/decrypt';
const INTEGRITY = 'POST /users/{fp_id}/vault/integrity';

test('decrypt: returns cleaned values in request order, repeats merged, absent null', async (service) => {
  const vault = vaultOf(service, await service.user(aUser({ 'custom.json': { a: [1, null] } })));

  const values = await vault.decrypt(
    words`
      id.phone_number custom.json id.middle_name id.ssn9 id.phone_number id.country id.ssn4 business.name
    `,
  );

  expect(Object.entries(values)).toEqual([
    ['id.phone_number', '+14155552671'],
    ['custom.json', { a: [1, null] }],
    ['id.middle_name', null],
    ['id.ssn9', '121121212'],
    ['id.country', 'US'],
    ['id.ssn4', '1212'],
    ['business.name', null],
  ]);
});

test('decrypt: applies every transform to every value, null stays null; no transforms are like none', async (service) => {
  const vault = vaultOf(service, await service.user({ 'id.first_name': 'Jane', 'custom.list': ['b', 'a'] }));

  const values = await vault.decrypt(['id.first_name', 'custom.list', 'id.city'], {
    transforms: ["to_uppercase | replace('A','4')", 'suffix(4)'],
  });

  expect(values).toEqual({ 'id.first_name': 'J4NE', 'custom.list': `"4"]`, 'id.city': null });
  expect(await vault.decrypt(['custom.list'], { transforms: [] })).toEqual({ 'custom.list': ['b', 'a'] });
});

test('decrypt: values that do not fit a transform are all named, none is shown', async (service) => {
  const vault = vaultOf(
    service,
    await service.user({ 'id.city': 'Enclave', 'id.dob': '1988-12-30', 'custom.n': 7 }),
  );

  const refusal = await vault.refusedDecrypt({
    fields: ['id.city', 'id.dob', 'custom.n'],
    transforms: ["date_format('%Y-%m-%d','%d.%m.%Y')"],
  });

  expect(refusal).toMatchObject({
    status: 400,
    code: 'transform_failed',
    context: { 'id.city': 'transform date_format failed', 'custom.n': 'transform date_format failed' },
  });
  expect(JSON.stringify(refusal)).not.toContain('Enclave');
});

test('decrypt: an invalid transform is refused before anything is read or logged', async (service) => {
  const vault = vaultOf(service, await service.user());

  for (const transform of ['nope', 'prefix', "prefix('3')", 'replace(1,2)', '']) {
    expect(
      (await vault.refusedDecrypt({ fields: ['id.city'], transforms: [transform] })).code,
      transform,
    ).toBe('transform_invalid');
  }
  expect((await vault.refusedDecrypt({ fields: [], transforms: Array(17).fill('to_ascii') })).code).toBe(
    'transform_invalid',
  );
  expect(await accessLog(service)).toEqual([]);
});

test('decrypt: logs key, identifiers and reason under the id of the request', async (service) => {
  const fp_id = await service.user();

  const { requestId } = await service.call(DECRYPT, {
    params: { fp_id },
    body: { fields: ['id.ssn9', 'id.city:1', 'id.ssn9'], reason: 'x'.repeat(1000) },
  });

  expect(await accessLog(service)).toMatchObject([
    {
      seq: 1,
      operation: 'decrypt',
      tenant: 'default',
      environment: 'sandbox',
      fp_id,
      outcome: 'granted',
      identifiers: ['id.ssn9', 'id.city:1'],
      reason: 'x'.repeat(1000),
      request_id: requestId,
      actor: { kind: 'api_key', id: expect.stringMatching(/^key_/) as string },
    },
  ]);
});

describe('permissions', () => {
  const denied = 'not permitted for this credential';

  test.eachWith<[pattern: string, allowed: string[], refused: string[]]>([
    ['decrypt:*', ['id.ssn9', 'custom.x', 'card.one.cvc'], []],
    ['decrypt:id.*', ['id.ssn9', 'id.city'], ['custom.x', 'investor_profile.occupation']],
    ['decrypt:custom.x', ['custom.x'], ['custom.xy', 'custom.x.y', 'id.city']],
    ['decrypt:card.*', ['card.one.cvc', 'card.two.number'], ['id.city']],
    ['decrypt:id.ssn4', ['id.ssn4'], ['id.ssn9']],
  ])('decrypt: a key of %s', async (service, pattern, allowed, refused) => {
    const fp_id = await service.user();
    const vault = vaultOf(service, fp_id, await service.key({ permissions: [pattern] }));

    if (allowed.length > 0) expect(Object.keys(await vault.decrypt(allowed))).toEqual(allowed);
    for (const field of refused) {
      expect((await vault.refusedDecrypt({ fields: [field] })).context).toEqual({ [field]: denied });
    }
  });

  test('decrypt: names every identifier that is denied, reads none, and logs the refusal', async (service) => {
    const fp_id = await service.user();
    const vault = vaultOf(service, fp_id, await service.key({ permissions: ['decrypt:id.city'] }));

    const refusal = await vault.refusedDecrypt({ fields: ['id.city', 'id.ssn9', 'custom.x:3'] });

    expect(refusal).toMatchObject({
      status: 403,
      code: 'permission_denied',
      context: { 'id.ssn9': denied, 'custom.x': denied },
    });
    expect(refusal.message).toContain('decrypt<id.ssn9>');
    expect(await accessLog(service)).toMatchObject([
      { outcome: 'refused', identifiers: ['id.city', 'id.ssn9', 'custom.x:3'], reason: 'a test' },
    ]);
  });

  test('decrypt: a key without any decrypt permission reads nothing, and presence all the same', async (service) => {
    const fp_id = await service.user();
    const vault = vaultOf(
      service,
      fp_id,
      await service.key({ permissions: ['vault.write', 'entities.write'] }),
    );

    expect((await vault.refusedDecrypt({ fields: ['id.city'] })).status).toBe(403);
    expect(await vault.present(['id.city'])).toEqual({ 'id.city': true });
    expect(await vault.write({ 'id.city': 'Springfield' })).toBe(2);
  });

  test('integrity: needs the permission to decrypt each field', async (service) => {
    const fp_id = await service.user();
    const as = await service.key({ permissions: ['decrypt:id.city'] });
    const body = { fields: ['id.city', 'id.ssn9'], signing_key: 'ab' };

    const refusal = await service.refused(INTEGRITY, { params: { fp_id }, as, body });

    expect(refusal).toMatchObject({ status: 403, context: { 'id.ssn9': denied } });
    expect(await accessLog(service)).toMatchObject([{ operation: 'integrity', outcome: 'refused' }]);
  });
});

test('presence: without fields lists present identifiers, derived included, sorted by name; is not logged', async (service) => {
  const vault = vaultOf(
    service,
    await service.user({ 'id.ssn9': '121121212', 'custom.z': false, 'card.one.number': '4111111111111111' }),
  );

  expect(Object.entries(await vault.present())).toEqual(
    words`
      card.one.fingerprint card.one.issuer card.one.number card.one.number_last4 custom.z id.ssn4 id.ssn9
      id.us_tax_id
    `.map((name) => [name, true]),
  );
  expect(await accessLog(service)).toEqual([]);
});

test('presence: with fields every asked identifier, true or false', async (service) => {
  const vault = vaultOf(service, await service.user({ 'id.city': 'Enclave' }));

  const { body } = await service.call('GET /users/{fp_id}/vault', {
    params: { fp_id: (await service.call('GET /users')).body.data[0]?.id ?? '' },
    query: { fields: ' id.email , id.city,,id.email, business.name' },
  });

  expect(body).toEqual({ 'id.email': false, 'id.city': true, 'business.name': false });
  expect(await vault.present([' '])).toEqual({});
  expect(await vault.present([])).toEqual({ 'id.city': true });
});

test('presence: 101 fields are 400', async (service) => {
  const fields = Array.from({ length: 101 }, (_, number) => `custom.n${number}`).join(',');

  const refusal = await service.refused('GET /users/{fp_id}/vault', {
    params: { fp_id: await service.user({}) },
    query: { fields },
  });

  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('presence: an unknown identifier is 400 naming it', async (service) => {
  const fp_id = await service.user({});

  for (const fields of ['id.nope', 'id.city,constructor', 'id.city:1', 'custom.']) {
    const refusal = await service.refused('GET /users/{fp_id}/vault', {
      params: { fp_id },
      query: { fields },
    });
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', fields.split(',').at(-1)));
  }
});

const KEY = '0b'.repeat(20);
const hmac = (text: string, key = KEY) =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(text, 'utf8').digest('hex');

async function hashesOf(service: TestService, fp_id: string, fields: string[], signing_key = KEY) {
  return (await service.call(INTEGRITY, { params: { fp_id }, body: { fields, signing_key } })).body;
}

test('integrity: is the HMAC-SHA256 of the stored text, or of compact JSON, and is logged as such', async (service) => {
  const fp_id = await service.user(aUser({ 'custom.json': { b: [1, 'ä'], a: null }, 'custom.n': 1.5 }));

  const fields = ['id.ssn9', 'id.ssn4', 'id.country', 'custom.json', 'custom.n', 'id.middle_name'];

  expect(await hashesOf(service, fp_id, fields)).toEqual({
    'id.ssn9': hmac('121121212'),
    'id.ssn4': hmac('1212'),
    'id.country': hmac('US'),
    'custom.json': hmac('{"b":[1,"ä"],"a":null}'),
    'custom.n': hmac('1.5'),
    'id.middle_name': null,
  });
  expect(await accessLog(service)).toMatchObject([
    { operation: 'integrity', outcome: 'granted', identifiers: fields, fp_id },
  ]);
});

test('integrity: takes keys of either case and any even length, and versions', async (service) => {
  const fp_id = await service.user({ 'id.city': 'Enclave' });
  await vaultOf(service, fp_id).write({ 'id.city': 'Springfield' });

  for (const key of ['ab', 'AbCd', 'f0'.repeat(256)]) {
    expect(await hashesOf(service, fp_id, ['id.city', 'id.city:1', 'id.city:9'], key)).toEqual({
      'id.city': hmac('Springfield', key),
      'id.city:1': hmac('Enclave', key),
      'id.city:9': null,
    });
  }
});

test('validate: returns the result of a write, and stores nothing', async (service) => {
  const fp_id = await service.user({ 'id.itin': '912701234' });
  const params = { fp_id };
  const validate = 'POST /users/{fp_id}/vault/validate';

  const good = await service.call(validate, { params, body: { 'id.city': 'Enclave', 'id.itin': null } });
  const swap = await service.call(validate, { params, body: { 'id.ssn9': '121121212', 'id.itin': null } });
  const bad = await service.refused(validate, { params, body: { 'id.ssn9': '121121212' } });

  expect([good.body, swap.body]).toEqual([{}, {}]);
  expect(bad).toMatchObject({
    code: 'T120',
    context: { 'id.ssn9': 'cannot be set while id.itin is present' },
  });
  expect(await vaultOf(service, fp_id).write({})).toBe(1);
  expect(await vaultOf(service, fp_id).present(['id.city', 'id.itin'])).toEqual({
    'id.city': false,
    'id.itin': true,
  });
});
