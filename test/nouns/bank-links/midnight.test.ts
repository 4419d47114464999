/** Work that falls due by itself: midnights, refreshes, and links that can't be read then (contract §7.2). */
import { expect, onTestFinished, vi } from 'vitest';
import { bankOf } from '../../support/bank-links.ts';
import { advance, eventsOfKind } from '../../support/runs.ts';
import { NOON, startService } from '../../support/service.ts';
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
  factsOfTransaction,
  ofMoney,
} from './a-bank.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(withEvents);

test('midnight: refreshes daily data, sends an event for each product, and delays nobody', async (service) => {
  const { bank, link } = await aLink(service);
  expect(await pending(service)).toBe(0);

  await advance(service, '12h');

  const midnight = at(NOON + DAY / 2);
  const { products, last_synced_at } = await bank.get(link.id);
  const times = { refreshed_at: midnight, last_attempted_at: midnight };
  expect(products).toEqual({ ...link.products, accounts: times, transactions: times });
  expect(last_synced_at).toBe(midnight);
  const updates = await eventsOfKind(service, LINK_UPDATED);
  expect(updates.map((event) => [event['timestamp'], event['link_product_refresh']])).toEqual([
    [midnight, { product: 'accounts', success: true }],
    [midnight, { product: 'transactions', success: true }],
  ]);
});

test('data_refresh: one that comes due at midnight is its own and the midnight is, too', async (service) => {
  const { bank, link } = await aLink(service);
  await advance(service, '43198s');
  await bank.refresh(link.id, ['identity']);

  expect(await advance(service, '2s')).toBe(1);

  const updates = await eventsOfKind(service, LINK_UPDATED);
  expect(updates.map(({ link_product_refresh }) => link_product_refresh)).toEqual(
    ['identity', 'accounts', 'transactions'].map((product) => ({ product, success: true })),
  );
});

test('data_refresh: one requested at the end of a day comes after the midnight, each at its time', async (service) => {
  const { bank, link } = await aLink(service);
  const neighbour = await bank.link(await service.user({}), { persona: 'empty' });
  await advance(service, '43199s');
  await bank.refresh(link.id, ['identity']);

  expect(await advance(service, '2s')).toBe(3);

  expect((await bank.get(neighbour.id)).last_synced_at).toBe(at(NOON + DAY / 2));
  const updates = (await eventsOfKind(service, LINK_UPDATED)).filter(({ link_id }) => link_id === link.id);
  expect(updates.map(({ timestamp, link_product_refresh: refresh }) => [timestamp, refresh])).toEqual([
    [at(NOON + DAY / 2), { product: 'accounts', success: true }],
    [at(NOON + DAY / 2), { product: 'transactions', success: true }],
    [at(NOON + DAY / 2 + SECOND), { product: 'identity', success: true }],
  ]);
});

test.each(['that is new', 'that is connected again'])(
  'clock: while it runs, midnights and refreshes of a link %s come by themselves',
  async (which) => {
    fakeTimers('setTimeout', 'clearTimeout');
    await using service = await startService();
    const bank = bankOf(service);
    const fp_id = await service.user();
    const isNew = which === 'that is new';
    const { id } = await bank.link(fp_id, { persona: isNew ? 'empty' : 'broken' });
    if (!isNew) await bank.link(fp_id, { link_id: id });
    const pass = (ms: number) => {
      service.clock.advance(ms);
      vi.advanceTimersByTime(ms);
    };
    const syncedAt = async () => (await bank.get(id)).last_synced_at;
    await syncedAt();

    pass(DAY / 2);
    await expect.poll(syncedAt).toBe(at(NOON + DAY / 2));

    await bank.refresh(id, ['identity']);
    pass(2 * SECOND);
    await expect.poll(syncedAt).toBe(at(NOON + DAY / 2 + 2 * SECOND));
  },
);

test('data_refresh: a link with a damaged key fails alone, delays no other, and is tried again', async (service) => {
  const bank = bankOf(service);
  const damaged = await bank.link(await service.user(), { persona: 'default' });
  const intact = await bank.link(await service.user());
  const key = service.database.prepare('SELECT sealed_key FROM entities WHERE fp_id = ?').pluck();
  const write = service.database.prepare('UPDATE entities SET sealed_key = ? WHERE fp_id = ?');
  const sealed = key.get(damaged.fp_id);
  const warnings: string[] = [];
  const listen = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  write.run(Buffer.alloc(72), damaged.fp_id);
  for (const { id } of [damaged, intact]) await bank.refresh(id, ['transactions']);

  await advance(service, '36h');

  const [first, second] = [NOON + DAY / 2, NOON + 1.5 * DAY].map(at);
  expect((await bank.get(intact.id)).last_synced_at).toBe(second);
  expect(await bank.get(damaged.id)).toEqual({
    ...damaged,
    products: {
      ...damaged.products,
      accounts: { ...damaged.products.accounts, last_attempted_at: second },
      transactions: { ...damaged.products.transactions, last_attempted_at: second },
    },
  });
  const updates = (await eventsOfKind(service, LINK_UPDATED)).filter(({ link_id }) => link_id === damaged.id);
  expect(updates.map((event) => [event['timestamp'], event['link_product_refresh']])).toEqual([
    [at(NOON + 2 * SECOND), { product: 'transactions', success: false }],
    ...[first, second].flatMap((midnight) =>
      ['accounts', 'transactions'].map((product) => [midnight, { product, success: false }]),
    ),
  ]);
  expect(updates[0]).toMatchObject({
    link_error: null,
    error_message: 'The stored data of this link cannot be read',
  });
  await expect.poll(() => warnings).toHaveLength(3);
  expect(new Set(warnings)).toEqual(
    new Set([`Bank link ${damaged.id} could not be refreshed: vault_damaged`]),
  );

  write.run(sealed, damaged.fp_id);
  await advance(service, '1d');
  const third = at(NOON + 2.5 * DAY);
  expect((await bank.get(damaged.id)).last_synced_at).toBe(third);
  const complete = entriesOf(damaged, 'default', 2).filter(ofMoney).map(factsOf).sort();
  expect((await bank.allTransactions(damaged.id)).map(factsOfTransaction).sort()).toEqual(complete);
});

test('midnight: a link that cannot be updated stops neither the clock nor other links', async () => {
  await using service = await startService();
  const bank = bankOf(service);
  const strange = await bank.link(await service.user());
  const intact = await bank.link(await service.user());
  service.database.prepare("UPDATE bank_links SET persona = 'nobody' WHERE id = ?").run(strange.id);

  await advance(service, '3d');

  const last = at(NOON + 2.5 * DAY);
  expect((await bank.get(intact.id)).last_synced_at).toBe(last);
  const { products, last_synced_at } = await bank.get(strange.id);
  expect(last_synced_at).toBe(strange.last_synced_at);
  const accounts = { ...strange.products.accounts, last_attempted_at: last };
  expect(products).toMatchObject({ accounts });
});

test('midnight: a full disk fails no refresh: it stays due', async () => {
  await using service = await startService();
  const { bank, link } = await aLink(service, { persona: 'default' });
  // Migrations leave unused pages.
  service.database.exec('VACUUM');
  const pages = service.database.pragma('page_count', { simple: true }) as number;
  service.database.pragma(`max_page_count = ${pages}`);

  const move = { action: 'advance', by: '60d' };
  expect((await service.refused('PUT /_kyclone/clock', { body: move })).code).toBe('storage_full');

  const { accounts } = (await bank.get(link.id)).products;
  expect(accounts?.last_attempted_at).toBe(accounts?.refreshed_at);
  service.database.pragma(`max_page_count = ${pages * 10}`);
  // The clock stays where the disk became full.
  const reached = Date.parse((await service.call('GET /_kyclone/clock')).body.now);
  await advance(service, `${NOON + 60 * DAY - reached}ms`);
  expect((await bank.get(link.id)).last_synced_at).toBe(at(NOON + 59.5 * DAY));
  const complete = entriesOf(link, 'default', 59).filter(ofMoney).map(factsOf).sort();
  expect((await bank.allTransactions(link.id)).map(factsOfTransaction).sort()).toEqual(complete);
});
