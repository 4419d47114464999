/** POST /users and POST /businesses (contract §2.1, §2.11). */
import { describe, expect } from 'vitest';
import { aBusiness, aUser } from '../../support/builders.ts';
import { LIVE_KEY, SANDBOX_KEY } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const byExternal = (id: string) => ({ 'x-external-id': id });
const byIdempotency = (id: string) => ({ 'x-idempotency-id': id });

describe.each([
  { create: 'POST /users', other: 'POST /businesses', prefix: 'fp_id_', data: aUser() },
  { create: 'POST /businesses', other: 'POST /users', prefix: 'fp_bid_', data: aBusiness() },
] as const)('$create', ({ create, other, prefix, data }) => {
  const path = create.slice('POST '.length);

  test(`${create}: without a body makes an empty vault of version 0`, async (service) => {
    for (const parts of [{}, { body: {} }, { body: null }]) {
      const { body, version } = await service.call(create, parts);
      expect(body).toEqual({
        id: expect.stringMatching(`^${prefix}[0-9A-Za-z]{22}$`) as string,
        external_id: null,
        sandbox_id: expect.stringMatching(/^[0-9A-Za-z]{12}$/) as string,
      });
      expect(version).toBe(0);
    }
  });

  test(`${create}: with data makes a vault of version 1; nulls are no data`, async (service) => {
    const nulls = Object.fromEntries(Object.keys(data).map((name) => [name, null]));

    expect((await service.call(create, { body: data })).version).toBe(1);
    expect((await service.call(create, { body: nulls })).version).toBe(0);
    expect((await service.call(create, { body: { ...data, 'custom.absent': null } })).version).toBe(1);
  });

  test(`${create}: keeps the sandbox id that is sent; with a live key it has none and refuses one`, async (service) => {
    const headers = { 'x-sandbox-id': 'fail.one-2_3' };
    expect((await service.call(create, { headers })).body.sandbox_id).toBe('fail.one-2_3');
    const { body } = await service.call(create, { as: LIVE_KEY });
    const refusal = await service.refused(create, { as: LIVE_KEY, headers });

    expect(body).toEqual({ id: body.id, external_id: null });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test.eachWith([byExternal, byIdempotency])(
    `${create}: a known id header returns the same entity at its current version, an unknown one with data is 400 (%s)`,
    async (service, header) => {
      const refusal = await service.refused(create, { headers: header('order-4711'), body: data });
      const first = await service.call(create, { headers: header('order-4711') });
      await service.send({
        method: 'PATCH',
        path: `${path}/${first.body.id}/vault`,
        body: { 'custom.a': 1 },
      });

      const second = await service.call(create, { headers: header('order-4711') });

      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(first.version).toBe(0);
      expect(second.body).toEqual(first.body);
      expect(second.version).toBe(1);
    },
  );

  test(`${create}: the external id is returned, the idempotency id is not; those of two entities are 409 together`, async (service) => {
    const external = await service.call(create, { headers: byExternal('order-4711') });
    const idempotency = await service.call(create, { headers: byIdempotency('order-4711') });

    expect(external.body.external_id).toBe('order-4711');
    expect(idempotency.body.external_id).toBeNull();
    expect(idempotency.body.id).not.toBe(external.body.id);
    const headers = { ...byExternal('order-4711'), ...byIdempotency('order-4711') };
    expect(await service.refused(create, { headers })).toMatchObject({ status: 409, code: 'conflict' });
  });

  test(`${create}: both headers name one entity from then on, and so does a later idempotency id beside one`, async (service) => {
    const both = { ...byExternal('order-4711'), ...byIdempotency('attempt-1') };
    const { body } = await service.call(create, { headers: both });

    const later = { ...byExternal('order-4711'), ...byIdempotency('attempt-2') };
    for (const headers of [both, byExternal('order-4711'), byIdempotency('attempt-1'), later]) {
      expect((await service.call(create, { headers })).body).toEqual(body);
    }
    expect((await service.call(create, { headers: byIdempotency('attempt-2') })).body).toEqual(body);
  });

  test.eachWith([byExternal, byIdempotency])(
    `${create}: an id of the other kind of entity is 409 (%s)`,
    async (service, header) => {
      await service.call(other, { headers: header('order-4711') });

      const refusal = await service.refused(create, { headers: header('order-4711') });

      expect(refusal).toMatchObject({ status: 409, code: 'conflict' });
    },
  );

  test(`${create}: after a deletion the idempotency id is 400, the external id a new vault`, async (service) => {
    const headers = { ...byExternal('order-4711'), ...byIdempotency('attempt-1') };
    const first = await service.call(create, { headers });
    await service.send({ method: 'DELETE', path: `${path}/${first.body.id}` });

    const again = await service.refused(create, { headers: byIdempotency('attempt-1') });
    const fresh = await service.call(create, { headers: byExternal('order-4711') });

    expect(again).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(fresh.body.id).not.toBe(first.body.id);
    expect(fresh.body.external_id).toBe('order-4711');
  });

  test(`${create}: ids are unique within a tenant and environment only, for calls at the same moment, too`, async (service) => {
    const elsewhere = await service.key({ tenant: 'elsewhere' });
    const headers = { ...byExternal('order-4711'), ...byIdempotency('attempt-1') };

    const ids = new Set<string>();
    for (const as of [SANDBOX_KEY, LIVE_KEY, elsewhere]) {
      const calls = Array.from({ length: 20 }, () => service.call(create, { headers, as }));
      for (const { body } of await Promise.all(calls)) ids.add(body.id);
    }

    expect(ids.size).toBe(3);
  });
});

test('POST /users: every wrong value is reported at once, and no vault is made', async (service) => {
  const refusal = await service.refused('POST /users', {
    body: aUser({ 'id.dob': '1988-02-30', 'id.email': 'nobody', 'business.name': 'Acme' }),
  });
  const { body } = await service.call('GET /users');

  expect(refusal).toMatchObject({
    status: 400,
    code: 'T120',
    message: 'Vault data is not valid: id.dob, id.email, business.name',
    context: {
      'id.dob': 'must be a real date in ISO 8601 form, YYYY-MM-DD: the calendar has no such day',
      'id.email': 'not a valid e-mail address',
      'business.name': 'cannot be added to this type of vault',
    },
  });
  expect(body.meta.count).toBe(0);
});

test('POST /users: x-fp-ignore-luhn-validation skips the card checksum in that request only', async (service) => {
  const body = { 'card.one.number': '4111111111111112' };
  const headers = { 'x-fp-ignore-luhn-validation': 'true' };

  expect(await service.refused('POST /users', { body })).toMatchObject({
    context: { 'card.one.number': 'invalid checksum' },
  });
  expect((await service.call('POST /users', { body, headers })).version).toBe(1);
  expect(
    (await service.refused('POST /users', { body, headers: { 'x-fp-ignore-luhn-validation': 'false' } }))
      .code,
  ).toBe('T120');
});
