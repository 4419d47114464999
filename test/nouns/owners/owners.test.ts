/** Beneficial owners (contract §10). */
import { expect } from 'vitest';
import { LIVE_KEY, failureOf, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const ADD = 'POST /businesses/{fp_bid}/owners';
const LIST = 'GET /businesses/{fp_bid}/owners';
const REMOVE = 'DELETE /businesses/{fp_bid}/owners/{fp_id}';

const add = (service: TestService, fp_bid: string, fp_id: string, ownership_stake: number) =>
  service.call(ADD, { params: { fp_bid }, body: { fp_id, ownership_stake } });
const owners = async (
  service: TestService,
  fp_bid: string,
  query: { page?: number; page_size?: number } = {},
) => (await service.call(LIST, { params: { fp_bid }, query })).body;
const refusedAdd = (service: TestService, fp_bid: string, body: unknown) =>
  service.refused(ADD, { params: { fp_bid }, body });

test('owners: a business begins with none; added owners are listed, newest first', async (service) => {
  const [business, one, two] = [await service.business(), await service.user(), await service.user()];
  expect(await owners(service, business)).toEqual({ data: [], meta: { next_page: null } });

  expect((await add(service, business, one, 60)).body).toEqual({});
  await add(service, business, two, 40);

  expect(await owners(service, business)).toEqual({
    data: [
      { fp_id: two, ownership_stake: 40 },
      { fp_id: one, ownership_stake: 60 },
    ],
    meta: { next_page: null },
  });
  expect((await owners(service, business, { page_size: 1 })).meta).toEqual({ next_page: 1 });
  expect(await owners(service, business, { page: 1, page_size: 1 })).toMatchObject({
    data: [{ fp_id: one }],
    meta: { next_page: null },
  });
});

test('owners: stakes add up to 100 at most, in each business of a user', async (service) => {
  const business = await service.business();
  const [big, small, nobody] = [await service.user(), await service.user(), await service.user()];
  await add(service, business, big, 70);

  const over = await refusedAdd(service, business, { fp_id: small, ownership_stake: 31 });

  expect(over).toMatchObject(failureOf(400, 'invalid_request', 'ownership_stake'));
  await add(service, business, small, 30);
  await add(service, business, nobody, 0);
  const other = await service.business();
  await add(service, other, big, 100);
  expect((await owners(service, other)).data).toEqual([{ fp_id: big, ownership_stake: 100 }]);
  expect((await owners(service, business)).data.map((owner) => owner.ownership_stake)).toEqual([0, 30, 70]);
});

test('owners: two at once do not add up to more than 100', async (service) => {
  const [business, one, two] = [await service.business(), await service.user(), await service.user()];

  const replies = await Promise.all(
    [one, two].map((fp_id) =>
      service.request(ADD, { params: { fp_bid: business }, body: { fp_id, ownership_stake: 60 } }),
    ),
  );

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect((await owners(service, business)).data).toHaveLength(1);
});

test('owners: a linked, unknown or foreign user is 400, and nothing changes', async (service) => {
  const [business, other, user] = [await service.business(), await service.business(), await service.user()];
  const [live, elsewhere] = [
    await service.user({}, LIVE_KEY),
    await service.user({}, await service.key({ tenant: 'elsewhere' })),
  ];
  await add(service, business, user, 10);

  for (const fp_id of [user, other, business, live, elsewhere, 'fp_id_0000000000000000000000', '', 7]) {
    const refusal = await refusedAdd(service, business, { fp_id, ownership_stake: 5 });
    expect(refusal, String(fp_id)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refusal.message).toContain('fp_id');
  }
  expect((await owners(service, business)).data).toEqual([{ fp_id: user, ownership_stake: 10 }]);
});

test('owners: the link goes with the user, and with the business; the stake is free again', async (service) => {
  const [business, gone, kept] = [await service.business(), await service.user(), await service.user()];
  await add(service, business, gone, 100);

  await service.call('DELETE /users/{fp_id}', { params: { fp_id: gone } });
  expect((await owners(service, business)).data).toEqual([]);
  await add(service, business, kept, 100);

  await service.call('DELETE /businesses/{fp_bid}', { params: { fp_bid: business } });
  expect(service.database.prepare('SELECT count(*) FROM owners').pluck().get()).toBe(0);
  expect((await service.call('GET /users/{fp_id}', { params: { fp_id: kept } })).body.id).toBe(kept);
});

test('owners: a removed user is no owner, and stays a user; the stake is free again', async (service) => {
  const [business, one, two] = [await service.business(), await service.user(), await service.user()];
  await add(service, business, one, 60);
  await add(service, business, two, 40);
  const remove = (fp_id: string) => ({ params: { fp_bid: business, fp_id } });

  expect((await service.call(REMOVE, remove(one))).body).toEqual({});

  expect((await owners(service, business)).data).toEqual([{ fp_id: two, ownership_stake: 40 }]);
  expect((await service.call('GET /users/{fp_id}', { params: { fp_id: one } })).body.id).toBe(one);
  await add(service, business, one, 60);
  expect((await owners(service, business)).data.map(({ fp_id }) => fp_id)).toEqual([one, two]);
});

test('owners: an unknown owner, or one of another business, is 404', async (service) => {
  const [business, other, user] = [await service.business(), await service.business(), await service.user()];
  await add(service, other, user, 40);
  for (const fp_id of [user, 'fp_id_0000000000000000000000']) {
    const refusal = await service.refused(REMOVE, { params: { fp_bid: business, fp_id } });
    expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
  }
  expect((await owners(service, other)).data).toHaveLength(1);
});
