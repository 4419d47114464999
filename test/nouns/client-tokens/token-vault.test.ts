/**
 * What a client token permits on a vault: write, validate, and the fields that it covers (contract §2.3, §2.4, §2.15).
 */
import { describe, expect, test } from 'vitest';
import { aPng, aUser } from '../../support/builders.ts';
import { startService } from '../../support/service.ts';
import { aTokenOf, tokensOf, tokenVault } from '../../support/vault-calls.ts';

const DENIED = 'not permitted for this credential';
const CARD = { 'card.a.number': '4111111111111111', 'card.a.expiration': '1/30', 'card.a.cvc': '123' };

describe('PATCH /users/vault', () => {
  test('write: stores the sent values and their derived ones, and leaves the rest unchanged', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.ssn9', 'id.city', 'id.zip'] });

    expect(await user.write({ 'id.ssn9': '343-43-4343', 'id.city': null })).toBe(2);

    expect(await user.own.decrypt(['id.ssn9', 'id.ssn4', 'id.us_tax_id', 'id.city', 'id.zip'])).toEqual({
      'id.ssn9': '343434343',
      'id.ssn4': '4343',
      'id.us_tax_id': '343434343',
      'id.city': null,
      'id.zip': '94117',
    });
  });

  test('write: a token that may not decrypt learns from no version whether a value was there already', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city'] });

    expect([await user.write({}), await user.write({ 'id.city': 'Enclave' })]).toEqual([1, 2]);
    expect(await user.write({ 'id.city': 'Springfield' })).toBe(3);
  });

  test('write: the data of the business that the token is for', async () => {
    await using service = await startService();
    const fp_bid = await service.business();
    const fields = ['business.name', 'business.dba'];
    const vault = tokenVault(service, await service.token(fp_bid, { scope: 'vault_and_decrypt', fields }));

    expect(await vault.write({ 'business.dba': 'Acme' })).toBe(2);
    expect((await vault.decrypt({})).body).toEqual({
      'business.name': 'Acme Incorporated',
      'business.dba': 'Acme',
    });
  });

  test('write: a vault_card token writes its card, and the checksum may be skipped', async () => {
    await using user = await aTokenOf({}, { scope: 'vault_card' });
    const [{ fields } = { fields: [] as string[] }] = await tokensOf(user.service, user.fp_id).list();
    const [number = '', expiration = '', cvc = '', name = '', zip = '', country = ''] = fields;
    const card = { [expiration]: '1/30', [cvc]: '123', [name]: 'Jane Doe', [zip]: '94117', [country]: 'us' };

    expect((await user.refusedWrite({ ...card, [number]: '4111111111111112' })).context).toEqual({
      [number]: 'invalid checksum',
    });
    await user.service.call('PATCH /users/vault', {
      as: user.as,
      headers: { 'x-fp-ignore-luhn-validation': 'true' },
      body: { ...card, [number]: '4111111111111112' },
    });

    expect(await user.own.decrypt([number, `${number}_last4`, expiration, country])).toEqual({
      [number]: '4111111111111112',
      [`${number}_last4`]: '1112',
      [expiration]: '01/2030',
      [country]: 'US',
    });
  });

  test('write: one identifier outside the token is 403 and nothing is stored', async () => {
    await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city'] });

    const answer = await user.refusedWrite({ 'id.city': 'Springfield', 'id.zip': '1', 'custom.x': null });

    expect(answer).toMatchObject({
      status: 403,
      code: 'permission_denied',
      message: 'This token does not cover write<id.zip>, write<custom.x>',
      context: { 'id.zip': DENIED, 'custom.x': DENIED },
    });
    expect(await user.own.decrypt(['id.city', 'id.city:2'])).toEqual({
      'id.city': 'Enclave',
      'id.city:2': null,
    });
  });
});

test('validate: returns nothing about valid values, stores nothing and returns no version', async () => {
  await using user = await aTokenOf(aUser(), { scope: 'vault', fields: ['id.city', 'id.zip'] });

  const { body, version } = await user.validate({ 'id.city': 'Springfield', 'id.zip': '94117' });

  expect([body, version]).toEqual([{}, undefined]);
  expect(await user.own.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
  expect((await user.own.decryptAsOf(1, [])).version).toBe(1);
});

test('validate: checks against the stored values, and refuses as a write does', async () => {
  await using user = await aTokenOf(aUser(), { scope: 'vault_and_decrypt', fields: ['id.itin'] });
  const bodies = [{ 'id.itin': '912701234' }, { 'id.city': 'Springfield' }, { 'id.shoe_size': 1 }];

  for (const body of bodies) {
    const [validated, written] = [await user.refusedValidate(body), await user.refusedWrite(body)];
    expect({ ...validated, headers: {} }).toEqual({ ...written, headers: {} });
  }
  expect((await user.refusedValidate({ 'id.itin': '912701234' })).context).toEqual({
    'id.itin': 'cannot be set while id.ssn9 or id.ssn4 is present',
  });
});

test.each([
  ['id.ssn9', ['id.ssn4', 'id.us_tax_id']],
  ['id.ssn4', ['id.ssn9']],
  ['id.us_tax_id', ['id.ssn9', 'id.itin']],
  ['card.a.number', ['card.a.number_last4', 'card.a.issuer', 'card.a.fingerprint', 'card.b.number']],
  ['card.a.number_last4', ['card.a.number']],
  ['card.a.expiration', ['card.a.expiration_month', 'card.a.expiration_year']],
  ['document.visa.front.image', ['document.visa.front.mime_type', 'document.visa.back.image']],
  ['document.ssn_card.image', ['document.ssn_card.front.mime_type', 'document.proof_of_address.image']],
  ['custom.a', ['custom.a.b', 'custom.A', 'custom.a-']],
  ['custom.a.b', ['custom.a']],
])('coverage: %s does not cover %j', async (field, others) => {
  await using user = await aTokenOf({ ...aUser(), ...CARD }, { scope: 'vault_and_decrypt', fields: [field] });

  for (const other of others) {
    expect((await user.refusedDecrypt({ fields: [other] })).context, other).toEqual({ [other]: DENIED });
    expect((await user.refusedWrite({ [other]: 'x' })).context, other).toEqual({ [other]: DENIED });
  }
});

test('coverage: a derived identifier that is named may be read', async () => {
  await using user = await aTokenOf(
    { ...aUser(), ...CARD },
    { scope: 'decrypt', fields: ['id.ssn4', 'card.a.issuer'] },
  );

  expect((await user.decrypt({})).body).toEqual({ 'id.ssn4': '1212', 'card.a.issuer': 'visa' });
});

test.each([
  ['document.ssn_card.image', 'document.ssn_card.front.image'],
  ['document.ssn_card.front.image', 'document.ssn_card.image'],
])('coverage: %s covers %s, which is the same datum', async (field, other) => {
  await using user = await aTokenOf({}, { scope: 'vault_and_decrypt', fields: [field] });
  await user.service.upload(user.fp_id, field, aPng());

  const { body } = await user.decrypt({ fields: [other, field] });

  expect(body).toEqual({ [other]: aPng().toString('base64'), [field]: aPng().toString('base64') });
  expect(await user.write({ [other]: null })).toBe(2);
  expect((await user.decrypt({})).body).toEqual({ [field]: null });
});
