/** Which users share data: the rule for each kind, and what ends a match (contract §2.10, §6). */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { aBusiness, aUser } from '../../support/builders.ts';
import { LIVE_KEY, SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { duplicatesOf, matchesOf, vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

type Data = Readonly<Record<string, string>>;
type Attributes = RequestOf<'PATCH /_kyclone/entities/{fp_id}'>['body'];

const uploadSelfie = (service: TestService, fp_id: string, kind: string, bytes: string) =>
  service.upload(fp_id, `document.${kind}.selfie.image`, Buffer.from(bytes), 'image/jpeg');

const setAttributes = (service: TestService, fp_id: string, body: Attributes) =>
  service.call('PATCH /_kyclone/entities/{fp_id}', { params: { fp_id }, body });

const NAME = { 'id.first_name': 'Wilhelmina', 'id.last_name': "O'Hara Lee" };
const SAME_NAME = { 'id.first_name': ' WILHELMINA', 'id.last_name': "o'hara\u00a0 LEE" };
const DOB = { 'id.dob': '1988-12-30' };
const VISA_CARD = '4111111111111111';
const AMEX_CARD = '378282246310005';
const ROUTING = '021000021';

/** For each kind: the data of two users that its rule takes as equal, and changes, each of which ends the match. */
const RECIPES: readonly {
  readonly kind: string;
  readonly how: string;
  readonly one: Data;
  readonly other: Data;
  readonly change: Data;
}[] = [
  {
    kind: 'ssn9',
    how: 'cleaned',
    one: { 'id.ssn9': '121-12-1212' },
    other: { 'id.ssn9': '121121212' },
    change: { 'id.ssn9': '121121213' },
  },
  {
    kind: 'phone_number',
    how: 'cleaned',
    one: { 'id.phone_number': '+1 (415) 555-2671' },
    other: { 'id.phone_number': '+14155552671' },
    change: { 'id.phone_number': '+14155552672' },
  },
  {
    kind: 'email',
    how: 'in any case',
    one: { 'id.email': 'Jane.Doe@Example.com' },
    other: { 'id.email': 'jane.doe@example.COM' },
    change: { 'id.email': 'janedoe@example.com' },
  },
  {
    kind: 'name_dobname',
    how: 'with folded names',
    one: { ...NAME, ...DOB },
    other: { ...SAME_NAME, ...DOB },
    change: { 'id.first_name': 'Wilhelm', 'id.last_name': "O'Hara-Lee", 'id.dob': '1988-12-31' },
  },
  {
    kind: 'name_ssn4',
    how: 'with folded names',
    one: { ...NAME, 'id.ssn4': '1212' },
    other: { ...SAME_NAME, 'id.ssn4': '1212' },
    change: { 'id.first_name': 'Wilhelm', 'id.last_name': 'Lee', 'id.ssn4': '1213' },
  },
  {
    kind: 'dob_ssn4',
    how: 'by both parts',
    one: { ...DOB, 'id.ssn4': '1212' },
    other: { ...DOB, 'id.ssn4': '1212' },
    change: { 'id.dob': '1988-12-31', 'id.ssn4': '1213' },
  },
  {
    kind: 'card_number_cvc',
    how: 'under any alias',
    one: { 'card.main.number': '4111 1111 1111 1111', 'card.main.cvc': '123' },
    other: { 'card.spare.number': VISA_CARD, 'card.spare.cvc': '123' },
    change: { 'card.main.number': AMEX_CARD, 'card.main.cvc': '124' },
  },
  {
    kind: 'bank_routing_account',
    how: 'under any alias',
    one: { 'bank.main.ach_routing_number': ROUTING, 'bank.main.ach_account_number': '123-456' },
    other: { 'bank.spare.ach_routing_number': ROUTING, 'bank.spare.ach_account_number': '123456' },
    change: { 'bank.main.ach_routing_number': '011401533', 'bank.main.ach_account_number': '123457' },
  },
  {
    kind: 'identity_document_number',
    how: 'of a document, without separators and in any case',
    one: { 'document.passport.document_number': 'x-12 34y', 'document.passport.issuing_country': 'de' },
    other: { 'document.passport.document_number': 'X1234Y', 'document.passport.issuing_country': 'DE' },
    change: { 'document.passport.document_number': 'X1234Z', 'document.passport.issuing_country': 'AT' },
  },
  {
    kind: 'identity_document_number',
    how: 'of a driver’s licence',
    one: { 'id.drivers_license_number': 'D123', 'id.drivers_license_state': 'tx' },
    other: { 'id.drivers_license_number': 'd-1 2-3', 'id.drivers_license_state': 'TX' },
    change: { 'id.drivers_license_number': 'D124', 'id.drivers_license_state': 'CA' },
  },
];

type Ending = [name: string, what: string, end: (vault: ReturnType<typeof vaultOf>) => Promise<unknown>];

describe.each(RECIPES)('$kind $how', ({ kind, how, one, other, change }) => {
  test(`duplicates: ${kind} ${how} matches from both sides, and nothing else does`, async (service) => {
    const [first, second] = [await service.user(one), await service.user(other)];
    await service.user({ ...one, ...change });

    expect(await matchesOf(service, first)).toEqual([[second, kind]]);
    expect(await matchesOf(service, second)).toEqual([[first, kind]]);
  });

  test.eachWith([
    ...Object.entries(change).map(([name, value]): Ending => [
      name,
      'changes',
      (vault) => vault.write({ [name]: value }),
    ]),
    ...Object.keys(one).map((name): Ending => [
      name,
      'is deleted',
      (vault) => vault.delete({ fields: [name] }),
    ]),
  ])(`duplicates: ${kind} ${how} ends when %s %s, and returns with it`, async (service, name, _, end) => {
    const [first, second] = [await service.user(one), await service.user(other)];

    await end(vaultOf(service, first));
    expect(await matchesOf(service, first)).toEqual([]);
    expect(await matchesOf(service, second)).toEqual([]);

    await vaultOf(service, first).write({ [name]: one[name] });
    expect(await matchesOf(service, second)).toEqual([[first, kind]]);
  });

  test(`duplicates: ${kind} ${how} needs every part from the same user`, async (service) => {
    const user = await service.user(one);
    const parts = Object.entries(other);
    if (parts.length > 1) for (const part of parts) await service.user(Object.fromEntries([part]));

    expect(await matchesOf(service, user)).toEqual([]);
  });
});

test('duplicates: the ssn4 that derives from an ssn9 matches one that is stored', async (service) => {
  const whole = await service.user({ ...NAME, ...DOB, 'id.ssn9': '078-05-1212' });
  const short = await service.user({ ...SAME_NAME, ...DOB, 'id.ssn4': '1212' });

  expect(await matchesOf(service, short)).toEqual([
    [whole, 'name_dobname'],
    [whole, 'name_ssn4'],
    [whole, 'dob_ssn4'],
  ]);

  await vaultOf(service, whole).delete({ fields: ['id.ssn9'] });
  expect(await matchesOf(service, short)).toEqual([[whole, 'name_dobname']]);
});

test('duplicates: an absent state or country counts as empty', async (service) => {
  const one = await service.user({ 'id.drivers_license_number': 'D123' });
  const same = await service.user({ 'id.drivers_license_number': 'D123' });
  await service.user({ 'id.drivers_license_number': 'D123', 'id.drivers_license_state': 'TX' });
  const visa = await service.user({ 'document.visa.document_number': 'V1' });
  const sameVisa = await service.user({ 'document.visa.document_number': 'v-1' });
  await service.user({ 'document.visa.document_number': 'V1', 'document.visa.issuing_country': 'DE' });

  expect(await matchesOf(service, one)).toEqual([[same, 'identity_document_number']]);
  expect(await matchesOf(service, visa)).toEqual([[sameVisa, 'identity_document_number']]);
});

test('duplicates: a document number counts for its kind of document only', async (service) => {
  const one = await service.user({ 'document.visa.document_number': 'V1' });
  await service.user({ 'document.passport.document_number': 'V1' });
  await service.user({ 'id.drivers_license_number': 'V1' });

  expect(await matchesOf(service, one)).toEqual([]);
});

test('duplicates: an ITIN is for search only', async (service) => {
  const [one] = [
    await service.user({ 'id.itin': '912701234' }),
    await service.user({ 'id.itin': '912701234' }),
  ];

  expect(await matchesOf(service, one)).toEqual([]);
});

test('duplicates: equal selfies match whatever document they belong to, until one is deleted or replaced', async (service) => {
  const [one, other] = [await service.user({}), await service.user({})];
  await uploadSelfie(service, one, 'passport', 'a face');
  await uploadSelfie(service, other, 'id_card', 'another face');
  expect(await matchesOf(service, one)).toEqual([]);

  await uploadSelfie(service, other, 'visa', 'a face');
  expect(await matchesOf(service, one)).toEqual([[other, 'selfie']]);
  expect(await matchesOf(service, other)).toEqual([[one, 'selfie']]);

  await vaultOf(service, one).delete({ fields: ['document.passport.selfie.image'] });
  expect(await matchesOf(service, other)).toEqual([]);
  await uploadSelfie(service, one, 'passport', 'a face');
  expect(await matchesOf(service, other)).toEqual([[one, 'selfie']]);
  await uploadSelfie(service, one, 'passport', 'a newer face');
  expect(await matchesOf(service, other)).toEqual([]);
});

test('duplicates: only selfies count among images', async (service) => {
  const [one, other] = [await service.user({}), await service.user({})];
  for (const user of [one, other]) {
    await service.upload(user, 'document.passport.front.image', Buffer.from('a page'));
  }

  expect(await matchesOf(service, one)).toEqual([]);
});

test.eachWith(['device_id', 'cookie_id'] as const)(
  'duplicates: %s matches while both have it, and survives vault writes',
  async (service, name) => {
    const [one, other] = [await service.user({}), await service.user({})];
    await setAttributes(service, one, { [name]: 'abc-1' });
    await setAttributes(service, other, { [name]: 'abc-2' });
    expect(await matchesOf(service, one)).toEqual([]);

    await setAttributes(service, other, { [name]: 'abc-1' });
    await vaultOf(service, one).write({ 'id.city': 'Enclave' });
    await vaultOf(service, one).delete({ delete_all: true });
    expect(await matchesOf(service, one)).toEqual([[other, name]]);

    await setAttributes(service, one, { [name]: null });
    expect(await matchesOf(service, other)).toEqual([]);
  },
);

test('duplicates: a device and a cookie of the same id are not the same', async (service) => {
  const [one, other] = [await service.user({}), await service.user({})];
  await setAttributes(service, one, { device_id: 'abc-1' });
  await setAttributes(service, other, { cookie_id: 'abc-1', ip_address: '192.0.2.1' });

  expect(await matchesOf(service, one)).toEqual([]);
});

test('duplicates: any one of several aliases matches, each user once', async (service) => {
  const visa = (alias: string) => ({ [`card.${alias}.number`]: VISA_CARD, [`card.${alias}.cvc`]: '123' });
  const amex = (alias: string) => ({ [`card.${alias}.number`]: AMEX_CARD, [`card.${alias}.cvc`]: '1234' });
  const both = await service.user({ ...visa('a'), ...amex('b'), ...visa('again') });
  const onlyAmex = await service.user(amex('x'));
  const swapped = await service.user({ ...amex('a'), ...visa('b') });
  const kind = 'card_number_cvc';

  expect(await matchesOf(service, both)).toEqual([
    [swapped, kind],
    [onlyAmex, kind],
  ]);

  // The number of one alias and the security code of another are not one card.
  const mixed = await service.user({
    'card.a.number': VISA_CARD,
    'card.a.cvc': '999',
    'card.b.number': AMEX_CARD,
    'card.b.cvc': '123',
  });
  expect(await matchesOf(service, mixed)).toEqual([]);

  // The user still has the same card under another alias.
  await vaultOf(service, both).delete({ fields: ['card.a.number', 'card.b.number'] });
  expect(await matchesOf(service, both)).toEqual([[swapped, kind]]);
});

test.eachWith([{ delete_all: true }, { delete_all: true, purge: true }])(
  'DELETE /users/{fp_id}/vault: %j ends every match',
  async (service, body) => {
    const [one, other] = [await service.user(), await service.user()];
    expect(await matchesOf(service, one)).not.toEqual([]);

    await vaultOf(service, other).delete(body);

    expect(await matchesOf(service, one)).toEqual([]);
    expect(await matchesOf(service, other)).toEqual([]);
  },
);

test('DELETE /users/{fp_id}: a deleted user is no duplicate', async (service) => {
  const [one, gone, kept] = [await service.user(), await service.user(), await service.user()];

  await service.call('DELETE /users/{fp_id}', { params: { fp_id: gone } });

  expect(new Set((await duplicatesOf(service, one)).map(({ fp_id }) => fp_id))).toEqual(new Set([kept]));
});

test('duplicates: another environment and another tenant share nothing', async (service) => {
  const tenant = await service.key({ tenant: 'elsewhere' });
  const homes = [SANDBOX_KEY, LIVE_KEY, tenant];
  const users = await Promise.all(homes.map((as) => service.user(aUser(), as)));

  for (const [index, as] of homes.entries()) {
    expect(await matchesOf(service, users[index] ?? '', {}, as), as).toEqual([]);
    const twin = await service.user({ 'id.ssn9': '121121212' }, as);
    expect(await matchesOf(service, users[index] ?? '', {}, as), as).toEqual([[twin, 'ssn9']]);
  }
});

test('duplicates: a business is not found', async (service) => {
  const user = await service.user({});
  const businesses = [await service.business(aBusiness()), await service.business(aBusiness())];
  for (const id of [user, ...businesses]) await setAttributes(service, id, { device_id: 'abc-1' });

  expect(await matchesOf(service, user)).toEqual([]);
});

test('duplicates: a refusal is in the access log', async (service) => {
  const params = { fp_id: await service.user() };
  await service.refused('GET /users/{fp_id}/duplicates', {
    params,
    as: await service.key({ permissions: [] }),
  });

  const { data } = (await service.call('GET /_kyclone/access-log')).body;
  expect(data).toMatchObject([{ operation: 'compare', outcome: 'refused' }]);
});
