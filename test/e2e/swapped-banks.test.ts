/**
 * An attacker edits the database and exchanges sealed rows of two bank links. Reading an exchanged row fails with the
 * named error and returns nothing of the other link. All other reads work.
 */
import type { Database } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, done, restartedAfter } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

/** What two links exchange, and which endpoints of both fail then. */
const EXCHANGES = [
  { sealed: 'accounts', failing: ['accounts'] },
  { sealed: 'transactions', failing: ['transactions'] },
  { sealed: 'worlds', failing: ['accounts', 'investments/holdings', 'investments/transactions'] },
] as const;
const ENDPOINTS = ['accounts', 'transactions', 'investments/holdings', 'investments/transactions'] as const;

const ROWS: Readonly<Record<(typeof EXCHANGES)[number]['sealed'], { table: string; find: string }>> = {
  accounts: { table: 'bank_accounts', find: 'SELECT seq, sealed AS bytes FROM bank_accounts WHERE link = ?' },
  transactions: {
    table: 'bank_transactions',
    // Pending transactions would change the available balance, and not every day has one.
    find: 'SELECT seq, sealed AS bytes FROM bank_transactions WHERE link = ? AND pending = 0 ORDER BY day LIMIT 1',
  },
  worlds: { table: 'bank_links', find: 'SELECT seq, sealed_world AS bytes FROM bank_links WHERE seq = ?' },
};

interface Linked {
  readonly id: string;
  readonly user: string;
  readonly account: string;
}

async function intentOf(daemon: Kycloned, body: object): Promise<{ intent_token: unknown }> {
  const { intent_token } = await done(daemon.control('POST', '/_kyclone/bank_link_intents', { body }));
  return { intent_token };
}

async function aLink(daemon: Kycloned): Promise<Linked> {
  const user = await aUser(daemon);
  const body = await intentOf(daemon, { fp_id: user, persona: 'thin' });
  const id = (await done(daemon.call('POST', '/bank_links', { body })))['id'] as string;
  const { accounts } = await done(daemon.call('GET', `/bank_links/${id}/accounts`));
  return { id, user, account: (accounts as { id: string }[])[0]?.id ?? '' };
}

/** Replaces sealed rows of one link by those of the other. */
function exchange(store: Database, sealed: keyof typeof ROWS, [one, other]: readonly [Linked, Linked]): void {
  const { table, find } = ROWS[sealed];
  const column = sealed === 'worlds' ? 'sealed_world' : 'sealed';
  const rowOf = store.prepare('SELECT seq FROM bank_links WHERE id = ?').pluck();
  const [ours, theirs] = [one, other].map(
    ({ id }) => store.prepare(find).all(rowOf.get(id)) as { seq: number; bytes: Buffer }[],
  ) as [{ seq: number; bytes: Buffer }[], { seq: number; bytes: Buffer }[]];
  expect(ours.length).toBeGreaterThan(0);
  expect(theirs).toHaveLength(ours.length);
  const write = store.prepare(`UPDATE ${table} SET ${column} = ? WHERE seq = ?`);
  ours.forEach(({ seq, bytes }, place) => {
    write.run(theirs[place]?.bytes, seq);
    write.run(bytes, theirs[place]?.seq);
  });
}

test('bank_links: swapped data of two links are damaged; other data and links work', async () => {
  const first = await startKycloned();
  const intact = await aLink(first);
  const pairs: ((typeof EXCHANGES)[number] & { readonly links: readonly [Linked, Linked] })[] = [];
  for (const each of EXCHANGES) pairs.push({ ...each, links: [await aLink(first), await aLink(first)] });
  const daemon = await restartedAfter(first, (store) => {
    for (const { sealed, links } of pairs) exchange(store, sealed, links);
  });

  for (const { failing, links } of pairs) {
    for (const { id, user, account } of links) {
      for (const path of ENDPOINTS) {
        const reply = await daemon.call('GET', `/bank_links/${id}/${path}`);
        if ((failing as readonly string[]).includes(path)) expect(reply, path).toMatchObject(DAMAGED);
        else expect([path, reply.status]).toEqual([path, 200]);
      }
      await done(daemon.call('GET', `/bank_links/${id}`));
      await done(daemon.call('POST', `/bank_links/${id}/data_refresh`, { body: ['transactions'] }));
      const { bank_links } = await done(daemon.control('GET', `/_kyclone/entities/${user}`));
      expect(bank_links).toMatchObject([{ id }]);
      if ((failing as readonly string[]).includes('transactions')) continue;
      const row = { account_id: account, amount: '1', date: '2026-01-01', description: 'One' };
      const { total } = await done(daemon.call('GET', `/bank_links/${id}/transactions`));
      const imported = daemon.call('POST', `/bank_links/${id}/import/transactions`, {
        body: { transactions: [row] },
      });
      if ((failing as readonly string[]).includes('investments/holdings')) await done(imported);
      else expect(await imported).toMatchObject(DAMAGED);
      const after = await done(daemon.call('GET', `/bank_links/${id}/transactions`));
      expect(after['total']).toBe((total as number) + ((await imported).status === 200 ? 1 : 0));
    }
  }

  await done(daemon.call('POST', `/bank_links/${intact.id}/data_refresh`, { body: ['transactions'] }));
  const { drained } = await done(
    daemon.control('PUT', '/_kyclone/clock', { body: { action: 'advance', by: '1d' } }),
  );
  expect(drained).toBeGreaterThanOrEqual(7);
  const { last_synced_at } = await done(daemon.call('GET', `/bank_links/${intact.id}`));
  const { now } = await done(daemon.control('GET', '/_kyclone/clock'));
  expect(Date.parse(now as string) - Date.parse(last_synced_at as string)).toBeLessThanOrEqual(86_400_000);
  for (const path of ENDPOINTS) await done(daemon.call('GET', `/bank_links/${intact.id}/${path}`));

  const [damaged] = pairs[0]?.links ?? [];
  await done(daemon.call('POST', `/bank_links/${damaged?.id}/reset`));
  const body = await intentOf(daemon, { fp_id: damaged?.user, link_id: damaged?.id });
  expect(await daemon.call('POST', '/bank_links', { body })).toMatchObject(DAMAGED);
  expect(await daemon.call('POST', '/bank_links', { body })).toMatchObject(DAMAGED);
  for (const { id } of pairs.flatMap(({ links }) => links)) {
    await done(daemon.call('DELETE', `/bank_links/${id}`));
  }
  const { data } = await done(daemon.call('GET', '/bank_links'));
  expect(data).toMatchObject([{ id: intact.id }]);
});
