/** Rows that were just read are cached for a moment (src/storage/statement.ts), and never after a change. */
import { expect } from 'vitest';
import type { TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const CITY = { fields: ['id.city'] };

/** Makes a user whose city was just read. */
async function aUserJustRead(service: TestService, city = 'Enclave') {
  const fp_id = await service.user({ 'id.city': city });
  const vault = vaultOf(service, fp_id);
  expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': city });
  return { fp_id, vault };
}

test('read again: a value that was written since is the new one, and the old one as of its version', async (service) => {
  const { vault } = await aUserJustRead(service);
  await vault.write({ 'id.city': 'Springfield' });
  expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Springfield' });
  expect((await vault.decryptAsOf(1, ['id.city'])).body).toEqual({ 'id.city': 'Enclave' });
});

test('read again: a value with a purged history is absent at every version', async (service) => {
  const { vault } = await aUserJustRead(service);
  await vault.write({ 'id.city': 'Springfield' });
  expect((await vault.decryptAsOf(1, ['id.city'])).body).toEqual({ 'id.city': 'Enclave' });
  await vault.delete({ ...CITY, purge: true });
  expect((await vault.decryptAsOf(1, ['id.city'])).body).toEqual({ 'id.city': null });
});

test('read again: a deleted user is not found, and the next entity in its row gets none of its data', async (service) => {
  const { fp_id, vault } = await aUserJustRead(service);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  const refused = await vault.refusedDecrypt(CITY);
  expect([refused.status, refused.code]).toEqual([404, 'not_found']);
  await aUserJustRead(service, 'Springfield');
});

test('read again: ids that come again after a reset are those of new users', async (service) => {
  const before = await aUserJustRead(service);
  await service.call('POST /_kyclone/reset', { body: { seed: 'again' } });
  const one = await aUserJustRead(service, 'Springfield');
  await service.call('POST /_kyclone/reset', { body: { seed: 'again' } });
  expect((await one.vault.refusedDecrypt(CITY)).status).toBe(404);
  expect((await aUserJustRead(service, 'Shelbyville')).fp_id).toBe(one.fp_id);
  expect((await before.vault.refusedDecrypt(CITY)).status).toBe(404);
});

test('read again: after a load, a user is as in the snapshot', async (service) => {
  const { vault } = await aUserJustRead(service);
  const params = { name: 'before' };
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await vault.write({ 'id.city': 'Springfield' });
  expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Springfield' });
  await service.call('POST /_kyclone/snapshots/{name}/load', { params });
  expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
});

test('read again: a user opens under the root key of now', async (service) => {
  const { vault, fp_id } = await aUserJustRead(service);
  await service.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
  await service.call('PATCH /users/{fp_id}', { params: { fp_id }, body: { external_id: 'mine-1' } });
  expect((await service.call('GET /users/{fp_id}', { params: { fp_id } })).body.external_id).toBe('mine-1');
});
