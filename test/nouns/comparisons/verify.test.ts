/**
 * Checks whether a caller's value matches the stored one (contract §10). The result is a response and a trace, and
 * never a value.
 */
import { expect } from 'vitest';
import { aBusiness, aUser } from '../../support/builders.ts';
import type { AnswerOf } from '../../../src/contract/registry.ts';
import type { TestService } from '../../support/service.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const VERIFY = 'POST /users/{fp_id}/verify';

async function saying(service: TestService, fp_id: string, identifier: string, value: string) {
  const body = { identifier, value, reason: 'call 4711' };
  return (await service.call(VERIFY, { params: { fp_id }, body })).body.result;
}

const PERSON = {
  'id.first_name': 'Zoë  Maria',
  'id.middle_name': '??',
  'id.last_name': "D'Angelo-Müller",
  'id.dob': '1988-12-30',
  'id.ssn9': '121-12-1212',
  'id.phone_number': '+1 (415) 555-2671',
  'id.email': 'Zoe@Desk.example',
  'id.state': 'GA',
  'id.country': 'US',
  'id.nationality': 'DE',
  'id.drivers_license_state': 'NY',
  'id.drivers_license_number': 'D 123-4567',
  'id.visa_expiration_date': '2031-04-03',
};

test.eachWith([
  ['id.first_name', 'zoë maria', 'match'],
  ['id.first_name', ' ZOË MARIA ', 'match'],
  ['id.first_name', 'Zoe Maria', 'match'],
  ['id.first_name', 'Zoe-Maria', 'match'],
  ['id.first_name', 'Zoe Mario', 'no_match'],
  ['id.middle_name', '!!', 'no_match'],
  ['id.last_name', 'D’Angelo Mueller', 'match'],
  ['id.last_name', 'dangelo muller', 'match'],
  ['id.dob', '1988-12-30', 'match'],
  ['id.dob', '12/30/1988', 'match'],
  ['id.dob', 'Dec 30th, 1988', 'match'],
  ['id.dob', 'Dec 31, 1988', 'no_match'],
  ['id.visa_expiration_date', '03/04/31', 'match'],
  ['id.visa_expiration_date', '04/03/2031', 'match'],
  ['id.visa_expiration_date', '05/03/2031', 'no_match'],
  ['business.formation_date', '30 December 1988', 'nothing_to_compare'],
  ['id.dob', 'yesterday', 'unreadable'],
  ['id.dob', '12/30/2088', 'unreadable'],
  ['id.ssn9', '121121212', 'match'],
  ['id.ssn4', '1212', 'match'],
  ['id.ssn4', '1213', 'no_match'],
  ['id.ssn4', '12 12', 'match'],
  ['id.ssn4', '***-**-1212', 'match'],
  ['id.ssn4', 'xxx-xx-1212', 'match'],
  ['id.ssn4', '123', 'unreadable'],
  ['id.ssn9', '121 12 1212', 'match'],
  ['id.ssn9', 'twelve', 'unreadable'],
  ['id.state', 'Georgia', 'match'],
  ['id.state', 'ga', 'match'],
  ['id.state', 'State of Georgia', 'match'],
  ['id.state', 'New York', 'no_match'],
  ['id.drivers_license_state', 'New York', 'match'],
  ['id.drivers_license_state', 'N.Y.', 'match'],
  ['id.drivers_license_state', 'Georgia', 'no_match'],
  ['id.drivers_license_state', 'Bavaria', 'unreadable'],
  ['id.country', 'USA', 'match'],
  ['id.country', 'the United States', 'match'],
  ['id.country', 'United States of America', 'match'],
  ['id.country', 'Estados Unidos', 'match'],
  ['id.country', 'U.S.', 'match'],
  ['id.country', 'Georgia', 'no_match'],
  ['id.country', 'Narnia', 'unreadable'],
  ['id.nationality', 'Deutschland', 'match'],
  ['id.nationality', 'DEU', 'match'],
  ['id.nationality', 'Allemagne', 'match'],
  ['id.drivers_license_number', 'd1234567', 'match'],
  ['id.phone_number', '(415) 555-2671', 'match'],
  ['id.phone_number', '1 415 555 2671', 'match'],
  ['id.phone_number', '+14155552671', 'match'],
  ['id.phone_number', '4155552672', 'no_match'],
  ['id.phone_number', '001 415 555 2671', 'match'],
  ['id.phone_number', '+1 (0) 415/555-2671', 'match'],
  ['id.phone_number', '+1 (0)415 555-2671', 'match'],
  ['id.phone_number', '+44 (0)7700 900002', 'no_match'],
  ['id.phone_number', '030 9018201', 'unreadable'],
  ['id.phone_number', 'call me', 'unreadable'],
  ['id.email', 'zoe@desk.example', 'match'],
  ['id.city', 'Enclave', 'nothing_to_compare'],
])('verify: %s said as %j: %s', async (service, identifier, value, result) => {
  const fp_id = await service.user(PERSON);
  expect(await saying(service, fp_id, identifier, value)).toBe(result);
});

test('verify: a number as it is printed, with (0) after the code of the country, matches', async (service) => {
  const fp_id = await service.user({ 'id.phone_number': '+447700900002' });
  expect(await saying(service, fp_id, 'id.phone_number', '+44 (0)7700 900002')).toBe('match');
});

test('verify: what is unreadable has a hint, and an ambiguous date matches by either reading', async (service) => {
  const fp_id = await service.user({ 'id.dob': '1988-04-03' });
  const results = async (value: string) => {
    const body = { identifier: 'id.dob', value, reason: 'x' };
    return (await service.call(VERIFY, { params: { fp_id }, body })).body.results;
  };
  const matching = [{ identifier: 'id.dob', result: 'match', hint: null }];
  expect(await results('03/04/1988')).toEqual(matching);
  expect(await results('04/03/1988')).toEqual(matching);
  const [{ result, hint } = {}] = await results('whenever');
  expect([result, hint]).toEqual(['unreadable', 'Say 12/30/1988, 30.12.1988 or 30 Dec 1988']);
});

test('verify: several values have one reason, one entry and a result each; the log has operator, reason and results, never values', async (service) => {
  const fp_id = await service.user(PERSON);
  const values = [
    { identifier: 'id.dob', value: '30.12.88' },
    { identifier: 'id.first_name', value: 'Quillonda' },
    { identifier: 'id.phone_number', value: 'Quillonda' },
    { identifier: 'id.city', value: 'Quillonda' },
  ];
  const body = { values, reason: 'call 4711' };
  const headers = { 'x-kyclone-operator': 'Ada' };
  const path = `/users/${fp_id}/verify`;
  const reply = await service.send({ method: 'POST', path, headers, body });
  const verified = reply.body as AnswerOf<typeof VERIFY>;

  expect(verified.results.map(({ identifier, result }) => [identifier, result])).toEqual([
    ['id.dob', 'match'],
    ['id.first_name', 'no_match'],
    ['id.phone_number', 'unreadable'],
    ['id.city', 'nothing_to_compare'],
  ]);
  expect(verified.result).toBeUndefined();
  const [entry, ...others] = await accessLog(service);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    operation: 'verify',
    outcome: 'granted',
    fp_id,
    operator: 'Ada',
    reason: 'call 4711',
    identifiers: ['id.dob', 'id.first_name', 'id.phone_number', 'id.city'],
    results: {
      'id.dob': 'match',
      'id.first_name': 'no_match',
      'id.phone_number': 'unreadable',
      'id.city': 'nothing_to_compare',
    },
  });
  expect(JSON.stringify(service.log) + JSON.stringify(entry)).not.toContain('Quillonda');
  expect((await service.send({ method: 'GET', path: '/_kyclone/requests' })).text).not.toContain('Quillonda');
  const filtered = async (result: string) =>
    (await service.send({ method: 'GET', path: `/_kyclone/access-log?result=${result}` })).text;
  expect(await filtered('unreadable')).toContain('call 4711');
  await service.call(VERIFY, { params: { fp_id }, body: { ...body, values: values.slice(0, 1) } });
  expect((await accessLog(service)).length).toBe(2);
  expect(JSON.parse(await filtered('unreadable'))).toMatchObject({ meta: { count: 1 } });
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});

test.eachWith([
  {},
  { identifier: 'id.dob' },
  { identifier: 'id.nick', value: 'Zo' },
  { identifier: 'id.dob', value: 'x', values: [{ identifier: 'id.dob', value: 'x' }] },
  {
    values: [
      { identifier: 'id.dob', value: 'x' },
      { identifier: 'id.dob', value: 'y' },
    ],
  },
])('verify: %j is refused, and no entry is made', async (service, given) => {
  const fp_id = await service.user(PERSON);
  const body = { ...given, reason: 'x' };
  expect((await service.refused(VERIFY, { params: { fp_id }, body })).code).toBe('invalid_request');
  expect(await accessLog(service)).toEqual([]);
});

test('verify: without a reason or the permission nothing is compared, and the log knows', async (service) => {
  const fp_id = await service.user(PERSON);
  const body = { identifier: 'id.dob', value: '1988-12-30' };
  const as = await service.key({ permissions: ['decrypt:id.email'] });

  const noReason = await service.refused(VERIFY, { params: { fp_id }, body });
  const blank = await service.refused(VERIFY, { params: { fp_id }, body: { ...body, reason: ' ' } });
  const notAllowed = await service.refused(VERIFY, { params: { fp_id }, body: { ...body, reason: 'x' }, as });

  expect([noReason, blank, notAllowed].map(({ code }) => code)).toEqual([
    'reason_required',
    'reason_required',
    'permission_denied',
  ]);
  expect((await accessLog(service)).map(({ operation, outcome }) => [operation, outcome])).toEqual(
    Array.from({ length: 3 }, () => ['verify', 'refused']),
  );
});

test('compare: same, different and unknown, field by field, in the log of both, without a value', async (service) => {
  const one = await service.user({ ...PERSON, 'id.city': 'Enclave' });
  const other = await service.user({ ...PERSON, 'id.first_name': 'zoë maria', 'id.dob': '1990-01-01' });

  const { body } = await service.call('POST /users/{fp_id}/compare', {
    params: { fp_id: one },
    body: { with: other, reason: 'case 12' },
  });

  const results = body.fields.map(({ result }) => result);
  expect(results).toEqual(
    ['same', 'different', 'unknown'].flatMap((kind) => results.filter((result) => result === kind)),
  );
  expect(Object.fromEntries(body.fields.map(({ identifier, result }) => [identifier, result]))).toMatchObject(
    {
      'id.first_name': 'same',
      'id.dob': 'different',
      'id.ssn9': 'same',
      'id.ssn4': 'same',
      'id.city': 'unknown',
    },
  );
  expect(JSON.stringify(body)).not.toMatch(/1988|1990|Enclave|zoë/i);
  expect(await accessLog(service)).toMatchObject([
    { operation: 'compare', fp_id: other, reason: 'case 12' },
    { operation: 'compare', fp_id: one, reason: 'case 12' },
  ]);
});

test('compare: files are the same by their content', async (service) => {
  const users = [await service.user(aUser()), await service.user(aUser())];
  for (const fp_id of users) {
    await service.upload(fp_id, 'document.passport.front.image', Buffer.from('the same'));
    await service.upload(fp_id, 'document.passport.back.image', Buffer.from(fp_id));
  }
  const [fp_id = '', other = ''] = users;
  const { body } = await service.call('POST /users/{fp_id}/compare', {
    params: { fp_id },
    body: { with: other },
  });
  const resultOf = (identifier: string) =>
    body.fields.find((field) => field.identifier === identifier)?.result;
  expect(resultOf('document.passport.front.image')).toBe('same');
  expect(resultOf('document.passport.back.image')).toBe('different');
});

test('compare: the entity itself, one of another kind, or an unknown one is refused before anything is read', async (service) => {
  const fp_id = await service.user(aUser());
  const refusal = async (other: string) =>
    (await service.refused('POST /users/{fp_id}/compare', { params: { fp_id }, body: { with: other } })).code;

  expect(await refusal(fp_id)).toBe('invalid_request');
  expect(await refusal(await service.business(aBusiness()))).toBe('not_found');
  expect(await refusal('fp_id_0000000000000000000000')).toBe('not_found');
  expect(await accessLog(service)).toEqual([]);
});

test('compare: a key that may not decrypt all of it learns nothing', async (service) => {
  const [fp_id, other] = [await service.user(PERSON), await service.user(PERSON)];
  const as = await service.key({ permissions: ['decrypt:id.email'] });
  const refused = await service.refused('POST /users/{fp_id}/compare', {
    params: { fp_id },
    body: { with: other },
    as,
  });
  expect(refused.code).toBe('permission_denied');
  expect((await accessLog(service)).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
});
