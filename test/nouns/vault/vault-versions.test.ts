/** One version counter for each vault, and the states that it reads back (contract §0.11). */
import { describe, expect } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { NOON, failureOf, startService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const at = (ms: number) => new Date(NOON + ms).toISOString();

/** Makes four versions, one a second from noon on: 1 Jane, 2 Joan, 3 deleted, 4 June. */
async function aHistory() {
  const service = await startService();
  const fp_id = await service.user({ 'id.first_name': 'Jane', 'custom.kept': 'always' });
  const vault = vaultOf(service, fp_id);
  for (const name of ['Joan', null, 'June']) {
    service.clock.advance(1000);
    await vault.write({ 'id.first_name': name });
  }
  service.clock.advance(1000);
  return { service, fp_id, vault, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test('PATCH vault: adds one for each request that changes something', async (service) => {
  const vault = vaultOf(service, await service.user({}));

  expect(await vault.write({ 'id.first_name': 'Jane', 'id.last_name': 'Doe' })).toBe(1);
  expect(await vault.write({ 'id.first_name': 'Joan' })).toBe(2);
  expect(await vault.write({ 'id.first_name': null, 'custom.new': 1 })).toBe(3);
  expect((await vault.delete({ fields: ['id.last_name'] })).version).toBe(4);
});

test.eachWith([
  ['nothing', {}],
  ['what is stored', { 'id.first_name': 'Wilhelmina' }],
  ['what is stored, before it is cleaned', { 'id.first_name': '  Wilhelmina ', 'id.country': 'us' }],
  ['null for what is absent', { 'id.middle_name': null, 'custom.absent': null }],
  ['the same JSON', { 'custom.json': { a: [1, { b: null }] } }],
  ['the tax identifier that is stored', { 'id.us_tax_id': '121121212' }],
])('PATCH vault: %s adds nothing', async (service, _what, body) => {
  const vault = vaultOf(service, await service.user(aUser({ 'custom.json': { a: [1, { b: null }] } })));

  expect(await vault.write(body)).toBe(1);
});

test('PATCH vault: another order of members is a change', async (service) => {
  const vault = vaultOf(service, await service.user({ 'custom.ordered': { a: 1, b: 1 } }));

  expect(await vault.write({ 'custom.ordered': { b: 1, a: 1 } })).toBe(2);
});

test('PATCH vault: a refused request leaves the version and every value', async (service) => {
  const vault = vaultOf(service, await service.user({ 'id.first_name': 'Jane' }));

  expect((await vault.refusedWrite({ 'id.first_name': 'Joan', 'id.dob': 'yesterday' })).code).toBe('T120');
  expect(await vault.decrypt(['id.first_name'])).toEqual({ 'id.first_name': 'Jane' });
  expect(await vault.write({})).toBe(1);
});

test('PATCH vault: writes at the same moment each get a version of their own', async (service) => {
  const vault = vaultOf(service, await service.user({}));

  const versions = await Promise.all(
    Array.from({ length: 20 }, (_, n) => vault.write({ [`custom.n${n}`]: n })),
  );

  expect([...versions].sort((one, other) => Number(one) - Number(other))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  expect(Object.keys(await vault.present())).toHaveLength(20);
});

test.each([
  [0, null, null],
  [1, 'Jane', 'always'],
  [2, 'Joan', 'always'],
  [3, null, 'always'],
  [4, 'June', 'always'],
])('decrypt, presence: as of version %d', async (version, name, kept) => {
  await using history = await aHistory();

  const answer = await history.vault.decryptAsOf(version, ['id.first_name', 'custom.kept']);
  const presence = await history.service.call('GET /users/{fp_id}/vault', {
    params: { fp_id: history.fp_id },
    headers: { 'x-fp-vault-version': String(version) },
  });

  expect(answer.body).toEqual({ 'id.first_name': name, 'custom.kept': kept });
  expect(answer.version).toBe(4);
  expect(presence.body).toEqual({
    ...(name !== null && { 'id.first_name': true }),
    ...(kept !== null && { 'custom.kept': true }),
  });
});

test.each(['5', '-1', '1.0', 'latest', '', '0x1', '99999999999999999999'])(
  'version: %j is unknown in this vault and 400',
  async (version) => {
    await using history = await aHistory();
    const headers = { 'x-fp-vault-version': version };

    const presence = await history.service.refused('GET /users/{fp_id}/vault', {
      params: { fp_id: history.fp_id },
      headers,
    });
    const decryption = await history.vault.refusedDecrypt({ fields: ['custom.kept'] }, headers);

    for (const refusal of [presence, decryption]) {
      expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'x-fp-vault-version'));
    }
  },
);

test('decrypt: reads one datum as of a version, null for one above any, and keeps the suffix in the answer', async () => {
  await using history = await aHistory();
  const expected = [
    ['id.first_name:2', 'Joan'],
    ['id.first_name:1', 'Jane'],
    ['id.first_name', 'June'],
    ['id.first_name:3', null],
    ['id.first_name:0', null],
    ['custom.kept:5', null],
    ['custom.kept:99999999999999999999', null],
  ] as const;

  const values = await history.vault.decrypt(expected.map(([field]) => field));

  expect(Object.entries(values)).toEqual(expected);
});

test('decrypt: derived data are read as of a version, too', async (service) => {
  const vault = vaultOf(service, await service.user({ 'id.ssn9': '121121212' }));
  await vault.write({ 'id.ssn9': '343343434' });

  expect(await vault.decrypt(['id.ssn4:1', 'id.ssn4', 'id.us_tax_id:1'])).toEqual({
    'id.ssn4:1': '1212',
    'id.ssn4': '3434',
    'id.us_tax_id:1': '121121212',
  });
});

describe('version_at', () => {
  test.each([
    [at(-1), null],
    [at(0), 'Jane'],
    [at(999), 'Jane'],
    [at(1000), 'Joan'],
    ['2026-03-01T14:00:01.500+02:00', 'Joan'],
    [at(2500), null],
    [at(3000), 'June'],
    [at(60_000), 'June'],
  ])('decrypt: as of %s', async (version_at, expected) => {
    await using history = await aHistory();

    const values = await history.vault.decrypt(['id.first_name'], { version_at });

    expect(values).toEqual({ 'id.first_name': expected });
  });

  test.each(['yesterday', '2026-03-01', '2026-13-01T00:00:00Z', 1_772_366_400_000])(
    'decrypt: %j is no time and 400',
    async (version_at) => {
      await using history = await aHistory();

      const refusal = await history.vault.refusedDecrypt({ fields: ['custom.kept'], version_at });

      expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'version_at'));
    },
  );
});

describe('two version selectors', () => {
  const header = { 'x-fp-vault-version': '1' };
  test.each([
    ['header and suffix', { fields: ['custom.kept:1'] }, header],
    ['header and time', { fields: ['custom.kept'], version_at: at(0) }, header],
    ['suffix and time', { fields: ['custom.kept:1'], version_at: at(0) }, {}],
    ['all three', { fields: ['custom.kept', 'custom.kept:1'], version_at: at(0) }, header],
  ])('decrypt: %s are 400', async (_what, body, headers) => {
    await using history = await aHistory();

    expect(await history.vault.refusedDecrypt(body, headers)).toMatchObject(
      failureOf(400, 'invalid_request'),
    );
  });
});
