/** POST …/data_refresh: the new data arrives two seconds later (contract §7.2). */
import { expect } from 'vitest';
import { bankOf } from '../../support/bank-links.ts';
import { advance, eventsOfKind } from '../../support/runs.ts';
import { NOON, startService, type TestService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';
import {
  aLink,
  at,
  LINK_UPDATED,
  pending,
  SECOND,
  withEvents,
  DAY,
  entriesOf,
  factsOf,
  factsOfLink,
  ofMoney,
} from './a-bank.ts';

const test = testWith(withEvents);

const setClock = (service: TestService, time: number) =>
  service.call('PUT /_kyclone/clock', { body: { action: 'set', at: at(time) } });

/** Makes a link and finds a day on which the bank has something new at two times, at least ten seconds apart. */
async function aLivelyDay(service: TestService) {
  const { bank, link } = await aLink(service, { persona: 'default' });
  const entries = entriesOf(link, 'default', 40).filter(ofMoney);
  const on = (day: number) => entries.filter((entry) => entry.at >= day && entry.at < day + DAY);
  for (let day = NOON + DAY / 2; day < NOON + 30 * DAY; day += DAY) {
    const moments = [...new Set(on(day).map((entry) => entry.at))].filter(
      (moment) => moment > day && moment < day + DAY - 10 * SECOND,
    );
    const [first, second] = moments;
    if (first === undefined || second === undefined || second - first < 10 * SECOND) continue;
    const soFar = (time: number) =>
      on(day)
        .filter((entry) => entry.at <= time)
        .map(factsOf)
        .sort();
    return { bank, link, day, first, second, soFar };
  }
  throw new Error('This persona has no day with two moments');
}

test('data_refresh: takes two seconds of the clock, then shows what today has brought so far', async (service) => {
  const { bank, link, day, first, soFar } = await aLivelyDay(service);
  const before = await setClock(service, first + SECOND).then(() => bank.get(link.id));
  expect(await factsOfLink(bank, link.id, day)).toEqual([]);

  expect((await bank.refresh(link.id, { products: ['transactions'] })).body).toEqual({});
  await advance(service, '1999ms');

  expect(await bank.get(link.id)).toEqual(before);
  expect(await factsOfLink(bank, link.id, day)).toEqual([]);
  await advance(service, '1ms');
  const now = at(first + 3 * SECOND);
  expect(await factsOfLink(bank, link.id, day)).toEqual(soFar(first + 3 * SECOND));
  expect(await bank.get(link.id)).toEqual({
    ...before,
    products: { ...before.products, transactions: { refreshed_at: now, last_attempted_at: now } },
    last_synced_at: now,
  });
  expect((await bank.accounts(link.id)).map(({ balances }) => balances?.balance_date)).toContain(now);
});

test('data_refresh: one that waits in the future of the clock takes two seconds after a return to real time', async (service) => {
  const { bank, link } = await aLink(service, { persona: 'default' });
  await advance(service, '3d');
  await bank.refresh(link.id, ['transactions']);
  await service.call('PUT /_kyclone/clock', { body: { action: 'resume' } });
  const due = () => service.database.prepare('SELECT due_at FROM bank_links').pluck().get();
  expect(due()).toBe(NOON + 2 * SECOND);
  expect(await advance(service, '2s')).toBe(1);
  expect(due()).toBe(NOON + DAY / 2);
});

test('data_refresh: a later one adds newer entries, and midnight the rest; nothing is added twice', async (service) => {
  const { bank, link, day, first, second, soFar } = await aLivelyDay(service);
  for (const moment of [first, second]) {
    await setClock(service, moment);
    await bank.refresh(link.id, ['identity', 'accounts']);
    await advance(service, '2s');
    expect(await factsOfLink(bank, link.id, day)).toEqual(soFar(moment + 2 * SECOND));
  }
  expect(soFar(second).length).toBeGreaterThan(soFar(first).length);

  await setClock(service, day + DAY);

  expect(await factsOfLink(bank, link.id, day)).toEqual(soFar(day + DAY));
});

test('data_refresh: a list does as well as an object; repeats count once, and each call for itself', async (service) => {
  const { bank, link } = await aLink(service);

  const repeated = Array.from({ length: 1_000 }, () => 'transactions' as const);
  await bank.refresh(link.id, [...repeated, 'accounts', 'transactions']);
  await bank.refresh(link.id, { products: ['identity', 'accounts', 'identity'] });
  expect(await pending(service)).toBe(2);
  expect(await advance(service, '2s')).toBe(1);

  expect(await pending(service)).toBe(0);
  const updates = await eventsOfKind(service, LINK_UPDATED);
  expect(updates).toMatchObject(
    ['transactions', 'accounts', 'identity', 'accounts'].map((product) => ({
      link_event_kind: 'link_product_refreshed',
      link_product_refresh: { product, success: true },
    })),
  );
});

test('data_refresh: nothing is sent unless events are extended', async () => {
  await using service = await startService();
  const { bank, link } = await aLink(service);
  await bank.refresh(link.id, ['accounts', 'transactions']);
  await advance(service, '2d');
  expect(await eventsOfKind(service, LINK_UPDATED)).toEqual([]);
});

test('data_refresh: one of the identity changes its own times, and adds nothing', async (service) => {
  const { bank, link, day, first } = await aLivelyDay(service);
  await setClock(service, first);
  const [before, accounts] = [await bank.get(link.id), await bank.accounts(link.id)];

  await bank.refresh(link.id, ['identity']);
  await advance(service, '2s');

  const now = at(first + 2 * SECOND);
  expect(await bank.get(link.id)).toEqual({
    ...before,
    products: { ...before.products, identity: { refreshed_at: now, last_attempted_at: now } },
    last_synced_at: now,
  });
  expect(await factsOfLink(bank, link.id, day)).toEqual([]);
  expect(await bank.accounts(link.id)).toEqual(accounts);
});

test('data_refresh: investments of a link without any succeed with none', async (service) => {
  const { bank, link } = await aLink(service);
  expect(link.products).not.toHaveProperty('investments');

  await bank.refresh(link.id, ['investments']);
  await advance(service, '2s');

  const now = at(NOON + 2 * SECOND);
  expect((await bank.get(link.id)).products).toMatchObject({
    investments: { refreshed_at: now, last_attempted_at: now },
  });
  const holdings = await bank.request('GET /bank_links/{link_id}/investments/holdings', link.id);
  expect(holdings.body).toEqual({ holdings: [], securities: [] });
  expect(await eventsOfKind(service, LINK_UPDATED)).toHaveLength(1);
});

test('data_refresh: a link that is reset before it is due fails each product and keeps its data', async (service) => {
  const { bank, link, day, first } = await aLivelyDay(service);
  await setClock(service, first);
  const before = await bank.get(link.id);
  const sent = (await eventsOfKind(service, LINK_UPDATED)).length;
  await bank.refresh(link.id, ['transactions', 'accounts']);
  await bank.reset(link.id);

  await advance(service, '2s');

  const now = at(first + 2 * SECOND);
  const { products } = before;
  expect(await bank.get(link.id)).toEqual({
    ...before,
    state: 'error',
    error_code: 'auth_expired',
    products: {
      ...products,
      transactions: { ...products.transactions, last_attempted_at: now },
      accounts: { ...products.accounts, last_attempted_at: now },
    },
  });
  expect(await factsOfLink(bank, link.id, day)).toEqual([]);
  expect((await eventsOfKind(service, LINK_UPDATED)).slice(sent)).toMatchObject([
    { link_event_kind: 'link_state_changed', link_error: 'auth_expired' },
    {
      link_product_refresh: { product: 'transactions', success: false },
      link_error: 'auth_expired',
      error_message: 'The login at the bank has expired: connect the link again',
    },
    { link_product_refresh: { product: 'accounts', success: false }, link_state: 'error' },
  ]);
  expect(await pending(service)).toBe(0);
  expect(await advance(service, '3d')).toBe(0);
});

test('data_refresh: a link that is connected again before it is due succeeds', async (service) => {
  const { bank, link, day, first, soFar } = await aLivelyDay(service);
  await setClock(service, first);
  await bank.refresh(link.id, ['transactions']);
  await bank.reset(link.id);
  await bank.link(link.fp_id, { link_id: link.id });

  await advance(service, '2s');

  expect(await factsOfLink(bank, link.id, day)).toEqual(soFar(first + 2 * SECOND));
});

test('data_refresh: goes with its link, with its user and with a reset of the instance', async (service) => {
  const bank = bankOf(service);
  const one = await bank.link(await service.user());
  const other = await bank.link(await service.user());
  for (const { id } of [one, other]) await bank.refresh(id, ['accounts']);
  await bank.request('DELETE /bank_links/{link_id}', one.id);
  expect(await pending(service)).toBe(1);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: other.fp_id } });
  expect(await pending(service)).toBe(0);
  const third = await bank.link(await service.user());
  await bank.refresh(third.id, ['accounts']);

  await service.call('POST /_kyclone/reset', { body: {} });

  expect(await pending(service)).toBe(0);
  expect(await advance(service, '3d')).toBe(0);
  expect(await eventsOfKind(service, LINK_UPDATED)).toEqual([]);
});

test('data_refresh: with the clock moved back before it is due, it waits for its time', async (service) => {
  const { bank, link } = await aLink(service);
  await bank.refresh(link.id, ['accounts']);

  await service.call('PUT /_kyclone/clock', { body: { action: 'offset', by: '-1h' } });
  await advance(service, '1h');
  expect(await pending(service)).toBe(1);
  await advance(service, '2s');

  expect(await pending(service)).toBe(0);
  expect((await bank.get(link.id)).last_synced_at).toBe(at(NOON + 2 * SECOND));
});
