/** The list of duplicates: its records, order, limit and kinds (contract §2.10, §6, §0.13). */
import fc from 'fast-check';
import { expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { failureOf, startService, type TestService } from '../../support/service.ts';
import { duplicatesOf, matchesOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

/** The kinds, in the order of the spec. */
const KINDS = words`
  ssn9 email phone_number name_dobname device_id cookie_id selfie name_ssn4 dob_ssn4 bank_routing_account
  card_number_cvc identity_document_number
`;

/** Makes a user. Two users made by this share every kind. */
async function aTwin(service: TestService): Promise<string> {
  const fp_id = await service.user(
    aUser({
      'card.a.number': '4111111111111111',
      'card.a.cvc': '123',
      'bank.a.ach_routing_number': '021000021',
      'bank.a.ach_account_number': '123456',
      'id.drivers_license_number': 'D123',
    }),
  );
  const attributes = { device_id: 'a-device', cookie_id: 'a-cookie' };
  await service.call('PATCH /_kyclone/entities/{fp_id}', { params: { fp_id }, body: attributes });
  await service.upload(fp_id, 'document.passport.selfie.image', Buffer.from('a face'));
  return fp_id;
}

test('duplicates: a record shows the other user, the kind, its label and its tags', async (service) => {
  const one = await service.user({ 'id.email': 'a@example.com' });
  const headers = { 'x-external-id': 'customer-1' };
  const other = (await service.call('POST /users', { headers })).body.id;
  const on = { params: { fp_id: other } };
  await service.call('PATCH /users/{fp_id}/vault', { ...on, body: { 'id.email': 'a@example.com' } });
  await service.call('POST /users/{fp_id}/label', { ...on, body: { kind: 'offboard_fraud' } });
  for (const tag of ['first', 'second']) {
    service.clock.advance(1);
    await service.call('POST /users/{fp_id}/tags', { ...on, body: { tag } });
  }

  expect(await duplicatesOf(service, one)).toEqual([
    {
      fp_id: other,
      external_id: 'customer-1',
      kind: 'email',
      label: 'offboard_fraud',
      tags: ['second', 'first'],
    },
  ]);
  expect(await duplicatesOf(service, other)).toEqual([
    { fp_id: one, external_id: null, kind: 'email', label: null, tags: [] },
  ]);
});

test('duplicates: each record has the label and the tags of its own user', async (service) => {
  const users = [await service.user(), await service.user(), await service.user()];
  const [one = '', ...others] = users;
  for (const fp_id of users) {
    await service.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag: fp_id } });
  }
  const [labelled = ''] = others;
  await service.call('POST /users/{fp_id}/label', { params: { fp_id: labelled }, body: { kind: 'active' } });

  for (const record of await duplicatesOf(service, one)) {
    expect(record.tags).toEqual([record.fp_id]);
    expect(record.label).toBe(record.fp_id === labelled ? 'active' : null);
  }
});

test('duplicates: users by creation, newest first, and the kinds of each in the order of the spec', async (service) => {
  const [oldest, one, newest] = [await aTwin(service), await aTwin(service), await aTwin(service)];

  expect(await matchesOf(service, one)).toEqual(
    [newest, oldest].flatMap((other) => KINDS.map((kind) => [other, kind])),
  );
});

test('duplicates: a change of data changes no place in the order', async (service) => {
  const [older, newer, one] = [await service.user(), await service.user(), await service.user()];
  service.clock.advance(1_000);
  await service.call('PATCH /users/{fp_id}/vault', {
    params: { fp_id: older },
    body: { 'id.city': 'Elsewhere' },
  });

  const order = new Set((await duplicatesOf(service, one)).map(({ fp_id }) => fp_id));

  expect([...order]).toEqual([newer, older]);
});

test('duplicates: at most 100 records by default, fewer on request', async (service) => {
  const one = await service.user({ 'id.email': 'a@example.com', 'id.phone_number': '+14155552671' });
  const expected: unknown[] = [];
  for (let number = 0; number < 130; number++) {
    const hasEmail = number < 115;
    const fp_id = await service.user({
      'id.phone_number': '+14155552671',
      ...(hasEmail && { 'id.email': 'a@example.com' }),
    });
    expected.unshift(...(hasEmail ? [[fp_id, 'email']] : []), [fp_id, 'phone_number']);
  }

  expect(await matchesOf(service, one)).toEqual(expected.slice(0, 100));
  for (const limit of [1, 2, 15, 16, 17, 99, 100]) {
    expect(await matchesOf(service, one, { limit }), String(limit)).toEqual(expected.slice(0, limit));
  }
  const ofEmail = expected.filter((match) => (match as string[])[1] === 'email');
  expect(await matchesOf(service, one, { kinds: 'email' })).toEqual(ofEmail.slice(0, 100));
});

test('duplicates: are the first of all matches of every kind', async () => {
  const pools: Record<string, readonly string[]> = {
    'id.email': ['a@example.com', 'b@example.com'],
    'id.phone_number': ['+14155552671', '+14155552672'],
    'id.ssn9': ['121121212', '121121213'],
  };
  const kindOf: Record<string, string> = {
    'id.ssn9': 'ssn9',
    'id.email': 'email',
    'id.phone_number': 'phone_number',
  };
  const aPerson = fc.record(
    Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, fc.constantFrom(...pool)])),
    { requiredKeys: [] },
  );
  await using service = await startService();

  await fc.assert(
    fc.asyncProperty(
      fc.array(aPerson, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 30 }),
      async (people, limit) => {
        await service.call('POST /_kyclone/reset');
        const users: { fp_id: string; data: Record<string, string | undefined> }[] = [];
        for (const data of people) users.push({ fp_id: await service.user(data), data });
        const one = users[Math.floor(people.length / 2)] ?? { fp_id: '', data: {} };

        const expected = users
          .toReversed()
          .filter((other) => other !== one)
          .flatMap(({ fp_id, data }) =>
            Object.keys(kindOf)
              .filter((name) => data[name] !== undefined && data[name] === one.data[name])
              .map((name) => [fp_id, kindOf[name]]),
          );

        expect(await matchesOf(service, one.fp_id, { limit })).toEqual(expected.slice(0, limit));
      },
    ),
    { numRuns: 40 },
  );
});

test('duplicates: kinds narrows the list and changes no order', async (service) => {
  const [one, other] = [await aTwin(service), await aTwin(service)];
  const kindsFor = async (kinds: string) =>
    (await matchesOf(service, one, { kinds })).map(([, kind]) => kind);

  for (const kind of KINDS) expect(await matchesOf(service, one, { kinds: kind })).toEqual([[other, kind]]);
  expect(await kindsFor('selfie,ssn9')).toEqual(['ssn9', 'selfie']);
  expect(await kindsFor(' email , ,email,')).toEqual(['email']);
  expect(await kindsFor(KINDS.join(','))).toEqual(KINDS);
  expect(await kindsFor(' , ')).toEqual([]);
  expect(await kindsFor('')).toEqual(KINDS);
});

test.eachWith(['itin', 'drivers_license_number', 'SSN9', 'ssn9;email', 'card_number_cvc/a', '__proto__'])(
  'duplicates: the kind %s is 400, and not repeated',
  async (service, kind) => {
    const fp_id = await service.user();

    const refusal = await service.refused('GET /users/{fp_id}/duplicates', {
      params: { fp_id },
      query: { kinds: `email,${kind}` },
    });

    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'kinds'));
    expect(refusal.message).not.toContain(kind);
    expect(refusal.context).toBeUndefined();
  },
);

test('vocabulary.duplicate_name_dob: the answer uses the word; name_dob and name_dobname are accepted too', async (service) => {
  const [one, other] = [await service.user(), await service.user()];
  const settings = { vocabulary: { duplicate_name_dob: 'name_and_birth' } };
  const ask = (kinds: string) => matchesOf(service, one, { kinds });
  expect(await ask('name_dob')).toEqual([[other, 'name_dobname']]);
  const refusal = await service.refused('GET /users/{fp_id}/duplicates', {
    params: { fp_id: one },
    query: { kinds: 'name_and_birth' },
  });
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });

  await service.call('PATCH /_kyclone/settings', { body: settings });

  for (const word of ['name_and_birth', 'name_dob', 'name_dobname', 'name_dob,name_dobname,name_and_birth']) {
    expect(await ask(word), word).toEqual([[other, 'name_and_birth']]);
  }
  expect((await matchesOf(service, one)).map(([, kind]) => kind)).toContain('name_and_birth');
});
