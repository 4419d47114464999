/** Users and businesses, apart from their vaults (contract §2.12, §2.13, §10). */
import { expect } from 'vitest';
import { test } from '../../support/test-with.ts';

test('GET /users/{fp_id}: a user that was never onboarded has status none', async (service) => {
  const { body } = await service.call('POST /users', {
    headers: { 'x-external-id': 'customer-1', 'x-sandbox-id': 'box' },
  });

  expect((await service.call('GET /users/{fp_id}', { params: { fp_id: body.id } })).body).toEqual({
    id: body.id,
    external_id: 'customer-1',
    sandbox_id: 'box',
    status: 'none',
    requires_manual_review: false,
    requires_additional_info: null,
  });
});

test('PATCH /users/{fp_id}: sets the external id, by which the user is then found', async (service) => {
  const fp_id = await service.user();
  const params = { fp_id };

  const { body } = await service.call('PATCH /users/{fp_id}', {
    params,
    body: { external_id: 'customer-1' },
  });
  const same = await service.call('PATCH /users/{fp_id}', { params, body: { external_id: 'customer-1' } });
  const none = await service.call('PATCH /users/{fp_id}', { params, body: {} });

  expect(body).toMatchObject({ id: fp_id, external_id: 'customer-1' });
  expect(same.body).toEqual(body);
  expect(none.body).toEqual(body);
  for (const external_id of [null, 'abcd']) {
    const refusal = await service.refused('PATCH /users/{fp_id}', { params, body: { external_id } });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  }
  expect((await service.call('GET /users/{fp_id}', { params })).body.external_id).toBe('customer-1');
});

test('PATCH /businesses/{fp_bid}: an external id of any other entity is 400 external_id_taken', async (service) => {
  const fp_bid = await service.business();
  await service.call('POST /users', { headers: { 'x-external-id': 'of-a-user' } });
  await service.call('POST /businesses', { headers: { 'x-external-id': 'of-a-business' } });

  for (const external_id of ['of-a-user', 'of-a-business']) {
    const refusal = await service.refused('PATCH /businesses/{fp_bid}', {
      params: { fp_bid },
      body: { external_id },
    });
    expect(refusal).toMatchObject({ status: 400, code: 'external_id_taken' });
  }
  expect(
    (await service.call('GET /businesses/{fp_bid}', { params: { fp_bid } })).body.external_id,
  ).toBeNull();
});

test('DELETE /users/{fp_id}: takes the user and its values away, the access log stays', async (service) => {
  const fp_id = await service.user();
  await service.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id },
    body: { fields: ['id.ssn9'], reason: 'before it goes' },
  });

  expect((await service.call('DELETE /users/{fp_id}', { params: { fp_id } })).body).toEqual({});

  expect((await service.refused('GET /users/{fp_id}', { params: { fp_id } })).status).toBe(404);
  expect((await service.refused('DELETE /users/{fp_id}', { params: { fp_id } })).status).toBe(404);
  expect((await service.refused('GET /users/{fp_id}/vault', { params: { fp_id } })).status).toBe(404);
  expect((await service.call('GET /_kyclone/access-log', { query: { fp_id } })).body.data).toMatchObject([
    { operation: 'delete' },
    { identifiers: ['id.ssn9'], reason: 'before it goes' },
  ]);
  const rows = service.database
    .prepare('SELECT (SELECT count(*) FROM vault_values) + (SELECT count(*) FROM fingerprints)')
    .pluck()
    .get();
  expect(rows).toBe(0);
});

test('DELETE /businesses/{fp_bid}: leaves every other entity alone', async (service) => {
  const user = await service.user();
  const [gone, kept] = [await service.business(), await service.business()];

  await service.call('DELETE /businesses/{fp_bid}', { params: { fp_bid: gone } });

  expect((await service.call('GET /businesses')).body.data.map(({ id }) => id)).toEqual([kept]);
  expect((await service.call('GET /users')).body.data.map(({ id }) => id)).toEqual([user]);
});
