/** The data with which a hosted flow begins, and the countries in which its users may live (contract §4.2, §10). */
import { describe, expect } from 'vitest';
import { aReadyBusiness, aReadyUser, aUser, KYB, KYC } from '../../support/builders.ts';
import { asRefusal, failureOf, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const begin = (service: TestService, body: Record<string, unknown>) =>
  service.send({ method: 'POST', path: '/onboarding/session', body });

async function completed(service: TestService, body: Record<string, unknown>, data: Record<string, unknown>) {
  const begun = await begin(service, body);
  expect(begun.status, begun.text).toBe(200);
  const { token } = begun.body as { token: string };
  return (await service.call('POST /_kyclone/sessions/complete', { body: { token, ...data } })).body;
}

describe('countries', () => {
  const abroad = {
    'id.first_name': 'Ada',
    'id.last_name': 'Tremblay',
    'id.dob': '1988-12-30',
    'id.address_line1': '1 Rue Sherbrooke',
    'id.city': 'Montreal',
    'id.zip': 'H2X 1X4',
    'id.country': 'CA',
  };

  test.eachWith<[Record<string, unknown>, string[]]>([
    [{ 'id.dob': null }, ['id.dob']],
    [{ 'id.country': 'US', 'id.zip': '94117' }, ['id.state', 'id.ssn9']],
  ])('hosted: an address abroad with %j lacks %j', async (service, change, missing) => {
    const { token } = (await begin(service, { key: KYC })).body as { token: string };
    const refusal = await service.refused('POST /_kyclone/sessions/complete', {
      body: { token, data: { ...abroad, ...change } },
    });
    expect(refusal.code).toBe('T121');
    expect(Object.keys(refusal.context ?? {})).toEqual(missing);
  });

  test('hosted: an address abroad needs neither tax number nor state', async (service) => {
    expect((await completed(service, { key: KYC }, { data: abroad })).user?.status).toBe('pass');
  });
});

test('bootstrap_data: a custom number stays as it was written', async (service) => {
  const written = '"custom.big":12345678901234567890,"custom.price":1.10';
  const { body: begun } = await service.send({
    method: 'POST',
    path: '/onboarding/session',
    body: Buffer.from(`{"key":"${KYC}","bootstrap_data":{${written}}}`),
    headers: { 'content-type': 'application/json' },
  });
  const { token } = begun as { token: string };
  const { user } = (
    await service.call('POST /_kyclone/sessions/complete', { body: { token, data: aReadyUser() } })
  ).body;
  const decrypted = await service.send({
    method: 'POST',
    path: `/users/${user?.fp_id ?? ''}/vault/decrypt`,
    body: { fields: ['custom.big', 'custom.price'], reason: 'a test' },
  });
  expect(decrypted.text).toBe(`{${written}}`);
});

describe('dates', () => {
  test('bootstrap_data: dates may be MM/DD/YYYY, and are stored in ISO form', async (service) => {
    const bootstrap_data = {
      'id.dob': '12/30/1988',
      'id.visa_expiration_date': ' 01/31/2030 ',
      'business.formation_date': '02/29/2016',
    };
    const { user, business } = await completed(
      service,
      { key: KYB, bootstrap_data },
      { data: aUser({ 'id.dob': undefined }), business_data: aReadyBusiness() },
    );
    expect(await vaultOf(service, user?.fp_id ?? '').decrypt(['id.dob', 'id.visa_expiration_date'])).toEqual({
      'id.dob': '1988-12-30',
      'id.visa_expiration_date': '2030-01-31',
    });
    const { body } = await service.call('POST /businesses/{fp_bid}/vault/decrypt', {
      params: { fp_bid: business?.fp_id ?? '' },
      body: { fields: ['business.formation_date'], reason: 'a test' },
    });
    expect(body).toEqual({ 'business.formation_date': '2016-02-29' });
  });

  test.eachWith(['02/30/1988', '30/12/1988', '1/2/1988', '12-30-1988'])(
    'bootstrap_data: %s is T120',
    async (service, dob) => {
      const reply = await begin(service, { key: KYC, bootstrap_data: { 'id.dob': dob } });
      expect(asRefusal(reply, dob)).toMatchObject({
        code: 'T120',
        context: { 'id.dob': expect.any(String) as string },
      });
    },
  );
});

const owners = {
  'business.primary_owner_stake': 50,
  'business.secondary_beneficial_owners': [
    { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', ownership_stake: 30 },
    { phone_number: '+14155550132', ownership_stake: 20 },
  ],
};

test('bootstrap_data: owners are taken by a kyb session, null for absent, and stored in no vault', async (service) => {
  const absent = Object.fromEntries(Object.keys(owners).map((name) => [name, null]));
  expect((await begin(service, { key: KYB, bootstrap_data: absent })).status).toBe(200);
  const { business } = await completed(
    service,
    { key: KYB, bootstrap_data: { ...owners, 'business.name': 'Acme' } },
    { data: aUser(), business_data: aReadyBusiness({ 'business.name': undefined }) },
  );
  const { body } = await service.call('GET /businesses/{fp_bid}/vault', {
    params: { fp_bid: business?.fp_id ?? '' },
  });
  expect(body['business.name']).toBe(true);
  expect(Object.keys(body).filter((name) => /owner/.test(name))).toEqual([]);
  const params = { fp_bid: business?.fp_id ?? '' };
  expect((await service.call('GET /businesses/{fp_bid}/owners', { params })).body.data).toEqual([]);
});

test.eachWith<[string, Record<string, unknown>, string, string?]>([
  ['a stake over the whole', { 'business.primary_owner_stake': 101 }, 'business.primary_owner_stake'],
  ['a stake in parts', { 'business.primary_owner_stake': 0.5 }, 'business.primary_owner_stake'],
  ['a stake of text', { 'business.primary_owner_stake': 'half' }, 'business.primary_owner_stake'],
  ['a text over the whole', { 'business.primary_owner_stake': '101' }, 'business.primary_owner_stake'],
  [
    'two lists',
    { ...owners, 'business.secondary_owners': [] },
    'give only one of business.secondary_owners, ',
  ],
  [
    'no list',
    { 'business.secondary_beneficial_owners': {} },
    'business.secondary_beneficial_owners must be a list',
  ],
  [
    'an unknown member',
    { 'business.secondary_beneficial_owners': [{ ownership_stake: 1, ssn9: '121121212' }] },
    'business.secondary_beneficial_owners[0].ssn9',
  ],
  ['more than the whole', { ...owners, 'business.primary_owner_stake': 51 }, '100 per cent'],
  ['owners for kyc', owners, 'business.primary_owner_stake', KYC],
])('bootstrap_data: %s is 400 naming it', async (service, _what, bootstrap_data, named, key = KYB) => {
  const refusal = asRefusal(await begin(service, { key, bootstrap_data }), named);
  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
  expect(refusal.message).not.toContain('121121212');
});
