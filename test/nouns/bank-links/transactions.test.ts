/** Transactions of a link: filters, pages, and members (contract §0.9, §7.1, §7.2). */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  countTransactions,
  insertAccount,
  insertTransaction,
  listTransactions,
  type TransactionRow,
} from '../../../src/nouns/bank-links/service/ledger-repository.ts';
import { deleteLink, insertLink } from '../../../src/nouns/bank-links/service/links-repository.ts';
import type { Database } from '../../../src/storage/database.ts';
import { bankOf } from '../../support/bank-links.ts';
import { NOON, failureOf, startService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';

const LISTS = [
  'GET /bank_links/{link_id}/transactions',
  'GET /bank_links/{link_id}/investments/transactions',
] as const;
const DAY = 86_400_000;

/** Makes a link with known rows of 2019 beside those of its persona. */
async function anImport() {
  const service = await startService();
  const bank = bankOf(service);
  const { id } = await bank.link(await service.user({}), { persona: 'thin' });
  const [account] = await bank.accounts(id);
  const account_id = account?.id ?? '';
  const row = (transaction_id: string, date: string, more: Record<string, unknown> = {}) => ({
    account_id,
    transaction_id,
    date,
    amount: '-1.00',
    description: `Row ${transaction_id}`,
    ...more,
  });
  await bank.import(id, [
    row('a', '2019-01-01'),
    row('c', '2019-01-02'),
    row('b', '2019-01-02'),
    row('d', '2019-01-31', { amount: '10.5001', currency: 'EUR' }),
    row('e', '2019-02-01', { pending: true }),
  ]);
  /** Returns the ids of the matching rows up to the end of 2019. */
  const idsOf = async (query: Parameters<typeof bank.transactions>[1] = {}) =>
    (await bank.transactions(id, { end_date: '2019-12-31', ...query })).transactions.map(
      ({ transaction_id }) => transaction_id,
    );
  return {
    service,
    bank,
    id,
    account_id,
    idsOf,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(anImport);

describe('filters', () => {
  test.eachWith([
    [{ start_date: '2019-01-02', end_date: '2019-01-31' }, ['d', 'c', 'b']],
    [{ start_date: '2019-01-02', end_date: '2019-01-02' }, ['c', 'b']],
    [{ start_date: '2019-01-03', end_date: '2019-01-30' }, []],
    [{ end_date: '2019-01-01' }, ['a']],
    [{ end_date: '2018-12-31' }, []],
    [{ start_date: '0001-01-01' }, ['e', 'd', 'c', 'b', 'a']],
    [{ start_date: '2019-02-01' }, ['e']],
  ])('transactions: of the days %j are %j, both ends included', async (link, query, ids) => {
    expect(await link.idsOf(query)).toEqual(ids);
    expect((await link.bank.transactions(link.id, { end_date: '2019-12-31', ...query })).total).toBe(
      ids.length,
    );
  });

  test('transactions: unknown accounts and those of other links match nothing', async (link) => {
    const other = await link.bank.link(await link.service.user({}), { persona: 'thin' });
    const theirs = (await link.bank.accounts(other.id)).map(({ id }) => id);
    const none = { page: 1, size: 50, total: 0, transactions: [] };

    expect(await link.bank.transactions(link.id, { account_ids: 'acct_unknown' })).toEqual(none);
    expect(await link.bank.transactions(link.id, { account_ids: theirs.join(',') })).toEqual(none);
    expect(
      await link.idsOf({ account_ids: `acct_unknown, ${link.account_id} ,,${theirs.join(',')}` }),
    ).toEqual(await link.idsOf());
    expect(await link.idsOf({ account_ids: ' , ' })).toEqual(await link.idsOf());
  });

  test.eachWith(LISTS)(
    '%s: a day that is none and a start after the end are refused by name',
    async (link, key) => {
      const refused = (query: Record<string, string>) =>
        link.service.refused(key, { params: { link_id: link.id }, query });
      for (const name of ['start_date', 'end_date']) {
        for (const date of [' 2025-01-01', '2023-02-29', '2025-1-1', 'today', '2025-01-01T00:00:00Z']) {
          const refusal = await refused({ [name]: date });
          expect(refusal, date).toMatchObject(failureOf(400, 'invalid_request', name));
          expect(refusal.message).not.toContain(date);
        }
      }
      const query = { start_date: '2025-01-02', end_date: '2025-01-01' };
      expect(await refused(query)).toMatchObject(failureOf(400, 'invalid_request', 'start_date'));
    },
  );
});

test('transactions: pages past the end are empty, and show the total', async (link) => {
  const query = { end_date: '2019-12-31', size: 2 };

  expect(await link.idsOf({ size: 2, page: 3 })).toEqual(['a']);
  for (const page of [4, 5, 1_000_000, 2_000_000_000, Number.MAX_SAFE_INTEGER]) {
    expect(await link.bank.transactions(link.id, { ...query, page })).toEqual({
      page,
      size: 2,
      total: 5,
      transactions: [],
    });
  }
});

test('transactions: those of a persona keep the forms of the contract', async () => {
  await using service = await startService();
  const bank = bankOf(service);
  const { id } = await bank.link(await service.user());

  for (const transaction of await bank.allTransactions(id)) {
    expect(transaction).toMatchObject({
      transaction_id: expect.stringMatching(/^txn_[0-9A-Za-z]{22}$/) as string,
      amount: expect.stringMatching(/^\d+\.\d{2}$/) as string,
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) as string,
      category: transaction.enrichment?.category?.value ?? null,
    });
    expect(Date.parse(transaction.date)).toBeLessThan(NOON - DAY / 2);
  }
});

const ACCOUNTS = 3;
const aRow = fc.record({
  account: fc.nat(ACCOUNTS - 1),
  ledger: fc.constantFrom('bank' as const, 'bank' as const, 'investment' as const),
  id: fc.stringMatching(/^[A-Za-z0-9_.-]{1,4}$/),
  day: fc.integer({ min: -3, max: 6 }),
});
const rows = fc.uniqueArray(aRow, { maxLength: 40, selector: ({ id }) => id });
const aDay = fc.option(fc.integer({ min: -4, max: 7 }));
const aFilter = fc.record({
  ledger: fc.constantFrom('bank' as const, 'investment' as const),
  accounts: fc.option(fc.subarray([...Array(ACCOUNTS).keys()])),
  first: aDay,
  last: aDay,
});

type Rows = typeof rows extends fc.Arbitrary<infer T> ? T : never;
type Filter = typeof aFilter extends fc.Arbitrary<infer T> ? T : never;
type Place = { readonly entity: number; readonly space: number };

/** Makes a link with only these rows, its accounts numbered as in `rows`. Disposing of it deletes the link. */
function aLedger({ database }: { database: Database }, given: Rows) {
  const place = database.prepare('SELECT id AS entity, space FROM entities').get() as Place;
  const link = insertLink(database, {
    ...place,
    id: 'link_x',
    external_id: null,
    persona: 'default',
    anchor: 0,
    institution: 'First Example Bank',
    state: 'connected',
    error_code: null,
    products: {},
    last_synced_at: null,
    due_at: null,
    sealed_world: new Uint8Array(),
    created_at: NOON,
  });
  const accounts = [...Array(ACCOUNTS).keys()].map((key) =>
    insertAccount(database, { link, id: `acct_${key}`, world_key: String(key), sealed: new Uint8Array() }),
  );
  for (const row of given) {
    const account = accounts[row.account] ?? -1;
    insertTransaction(database, link, {
      ...row,
      account,
      pending: 0,
      posts_at: null,
      sealed: new Uint8Array(),
    });
  }
  return { database, link, accounts, [Symbol.dispose]: () => deleteLink(database, link) };
}

/** Computes what a filter should find, without the store. */
function expected(given: Rows, { ledger, accounts, first, last }: Filter): string[] {
  return given
    .filter((row) => row.ledger === ledger && (accounts?.includes(row.account) ?? true))
    .filter(({ day }) => (first === null || day >= first) && (last === null || day <= last))
    .sort((one, other) => other.day - one.day || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id);
}

function pages(ledger: ReturnType<typeof aLedger>, filter: Filter, size: number): string[][] {
  const { database, link, accounts } = ledger;
  const chosen = filter.accounts?.map((key) => accounts[key]);
  const stored = { ...filter, link, accounts: chosen === undefined ? null : JSON.stringify(chosen) };
  const total = countTransactions(database, stored);
  const found: TransactionRow[][] = [];
  for (let offset = 0; offset <= total + size; offset += size) {
    found.push(listTransactions(database, stored, { offset, limit: size, total }));
  }
  return found.map((page) => page.map(({ id }) => id));
}

test('transactions: pages of every size make up the list that the filter makes', async () => {
  await using service = await startService();
  await service.user({});
  fc.assert(
    fc.property(rows, aFilter, (given, filter) => {
      using ledger = aLedger(service, given);
      const list = expected(given, filter);
      for (let size = 1; size <= list.length + 2; size++) {
        const found = pages(ledger, filter, size);
        expect(found.flat()).toEqual(list);
        expect(
          found.every((page, index) => page.length === size || index >= Math.floor(list.length / size)),
        ).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});
