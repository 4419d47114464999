/** DELETE of vault data (contract §2.17), and of the data derived from it (§1.3, §1.7). */
import { describe, expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';

const CARD = {
  'card.one.number': '4111 1111 1111 1111',
  'card.one.expiration': '1/30',
  'card.one.cvc': '123',
};

async function aVault(data: Record<string, unknown>) {
  const service = await startService();
  const vault = vaultOf(service, await service.user(data));
  return { ...vault, service, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test('DELETE vault: answers for each asked identifier whether it was there; delete_all: false counts as absent', async () => {
  await using vault = await aVault({ 'id.email': 'a@b.example', 'custom.kept': 1 });

  const { values, version } = await vault.delete({
    fields: ['id.city', 'id.email', 'id.city'],
    delete_all: false,
  });

  expect(values).toEqual({ 'id.city': false, 'id.email': true });
  expect(version).toBe(2);
  expect(await vault.present()).toEqual({ 'custom.kept': true });
  expect(await vault.decrypt(['id.email'])).toEqual({ 'id.email': null });
});

test('DELETE vault: deleting absent data adds no version', async () => {
  await using vault = await aVault({ 'custom.kept': 1 });

  expect(await vault.delete({ fields: ['id.email'] })).toEqual({ values: { 'id.email': false }, version: 1 });
  await vault.delete({ delete_all: true });
  expect(await vault.delete({ delete_all: true })).toEqual({ values: {}, version: 2 });
});

test('DELETE vault: delete_all lists all that was present, derived included', async () => {
  await using vault = await aVault({ 'id.ssn9': '121121212', 'custom.one': 1, ...CARD });
  const before = await vault.present();

  const { values, version } = await vault.delete({ delete_all: true });

  expect(values).toEqual(before);
  expect(Object.keys(values)).toEqual(expect.arrayContaining(['id.ssn4', 'id.us_tax_id', 'card.one.issuer']));
  expect(version).toBe(2);
  expect(await vault.present()).toEqual({});
});

test('DELETE vault: what derives from a source is T120 alone, and nothing is deleted', async () => {
  await using vault = await aVault({ 'custom.kept': 1, ...CARD });
  const fields = ['custom.kept', 'card.one.issuer'];

  expect(await vault.refusedDelete({ fields })).toMatchObject({
    status: 400,
    code: 'T120',
    context: { 'card.one.issuer': 'derived automatically and cannot be written' },
  });
  expect(await vault.present(fields)).toEqual({ 'custom.kept': true, 'card.one.issuer': true });
});

test('DELETE vault: ssn4 that was written alone can be deleted', async () => {
  await using vault = await aVault({ 'id.ssn4': '1212' });

  expect((await vault.delete({ fields: ['id.ssn4'] })).values).toEqual({ 'id.ssn4': true });
});

describe('purge', () => {
  test.each([{}, { purge: false }])(
    'DELETE vault: with %j the versions before stay readable',
    async (more) => {
      await using vault = await aVault({ 'id.city': 'Enclave' });
      await vault.delete({ fields: ['id.city'], ...more });

      expect(await vault.decrypt(['id.city:1', 'id.city'])).toEqual({
        'id.city:1': 'Enclave',
        'id.city': null,
      });
    },
  );

  test('DELETE vault: with purge no version of the deleted data stays', async () => {
    await using vault = await aVault({ 'id.city': 'Enclave', 'custom.kept': 1 });
    await vault.write({ 'id.city': 'Springfield', 'custom.kept': 2 });

    const { values, version } = await vault.delete({ fields: ['id.city'], purge: true });

    expect(values).toEqual({ 'id.city': true });
    expect(version).toBe(3);
    expect(
      await vault.decrypt(['id.city:1', 'id.city:2', 'id.city:3', 'custom.kept:1', 'custom.kept']),
    ).toEqual({
      'id.city:1': null,
      'id.city:2': null,
      'id.city:3': null,
      'custom.kept:1': 1,
      'custom.kept': 2,
    });
    expect(stored(vault, 'id.city')).toBe(0);
  });

  test('DELETE vault: delete_all with purge leaves no value of any version', async () => {
    await using vault = await aVault({ 'id.ssn9': '121121212', 'id.city': 'Enclave' });
    await vault.write({ 'id.ssn9': '343343434' });

    await vault.delete({ delete_all: true, purge: true });

    expect(await vault.decrypt(['id.ssn9:1', 'id.ssn4:2', 'id.city:1'])).toEqual({
      'id.ssn9:1': null,
      'id.ssn4:2': null,
      'id.city:1': null,
    });
    const rows = vault.service.database.prepare('SELECT count(*) FROM vault_values WHERE sealed IS NOT NULL');
    expect(rows.pluck().get()).toBe(0);
  });

  test('DELETE vault: a version after a purge is read by time and number as before', async () => {
    await using vault = await aVault({ 'id.city': 'Enclave' });
    await vault.delete({ fields: ['id.city'], purge: true });
    await vault.write({ 'custom.later': 1 });

    expect((await vault.decryptAsOf(2, ['custom.later', 'id.city'])).body).toEqual({
      'custom.later': null,
      'id.city': null,
    });
    expect(await vault.write({ 'custom.later': 2 })).toBe(4);
  });

  function stored({ service }: Awaited<ReturnType<typeof aVault>>, identifier: string): unknown {
    return service.database
      .prepare('SELECT count(*) FROM vault_values WHERE identifier = ?')
      .pluck()
      .get(identifier);
  }
});

test.each([
  ['neither', {}],
  ['both', { fields: ['id.email'], delete_all: true }],
  ['delete_all: false alone', { delete_all: false }],
  ['an empty list', { fields: [] }],
  ['purge alone', { purge: true }],
  ['an unknown identifier', { fields: ['id.shoe_size'] }],
  ['a version', { fields: ['id.email:1'] }],
])('DELETE vault: %s is 400', async (_what, body) => {
  await using vault = await aVault({ 'id.email': 'a@b.example' });

  expect(await vault.refusedDelete(body)).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(await vault.present()).toEqual({ 'id.email': true });
});
