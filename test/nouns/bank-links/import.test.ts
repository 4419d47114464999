/**
 * Imports of transactions: the link's data afterwards and the balances; one that is refused stores nothing (contract
 * §7.4).
 */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { decimal } from '../../../src/kernel/numbers/decimal.ts';
import { idMade } from './a-bank.ts';
import { aLink, aRow, CHECKING, IMPORT, plus } from './an-import.ts';
import { testWith } from '../../support/test-with.ts';

const test = testWith(aLink);

/** What is stored of members that a row does not have. */
const ABSENT = {
  currency: 'USD',
  datetime: null,
  raw_description: null,
  category: null,
  pending: false,
  enrichment: null,
};

/**
 * Makes a link with a transaction of the bank itself. Pending ones exist on most days, not on all, so several days are
 * tried.
 */
async function aLinkWithOne({ pending }: { pending: boolean }) {
  for (let days = 0; days < 14; days++) {
    const link = await aLink({ persona: 'business', days });
    const found = (await link.transactions()).find((each) => each.pending === pending);
    if (found) return { ...link, found };
    await link[Symbol.asyncDispose]();
  }
  throw new Error('no day has such a transaction');
}

describe('imported rows', () => {
  test('import: the rows are stored when the call returns, as sent', async (link) => {
    const account_id = link.account(CHECKING);
    const { total } = await link.bank.transactions(link.id);
    const row = {
      transaction_id: 'other-1',
      account_id,
      amount: '10.5',
      date: '2026-02-27T23:30:00-05:00',
      description: 'Zoë’s books',
      raw_description: 'ZOES 27/02',
      category: 'shopping',
      currency: 'EUR',
      pending: true,
      type: 'debit',
    };

    const { body } = await link.import(row, aRow(account_id, { transaction_id: 'other-2' }));

    expect(body).toEqual({});
    expect((await link.bank.transactions(link.id)).total).toBe(total + 2);
    expect(await link.transaction('other-1')).toEqual([
      { ...row, date: '2026-02-27', datetime: row.date, enrichment: null },
    ]);
    expect(await link.transaction('other-2')).toEqual([
      {
        ...ABSENT,
        transaction_id: 'other-2',
        account_id,
        amount: '12.50',
        date: '2026-02-27',
        type: 'debit',
        description: 'Books',
      },
    ]);
  });

  test('import: rows are sorted among the others by date, and belong to their account', async (link) => {
    const account_id = link.account(CHECKING);
    await link.import(
      aRow(account_id, { transaction_id: 'early', date: '1999-12-31' }),
      aRow(account_id, { transaction_id: 'late', date: '2030-01-01' }),
    );

    const all = await link.transactions();
    const query = { account_ids: account_id, start_date: '1999-12-31', end_date: '1999-12-31' };
    const filtered = await link.bank.transactions(link.id, query);

    expect([all[0]?.transaction_id, all.at(-1)?.transaction_id]).toEqual(['late', 'early']);
    expect(filtered.transactions.map(({ transaction_id }) => transaction_id)).toEqual(['early']);
  });

  test('import: without an id gets one of its own, also with a restarted seed', async (link) => {
    const account_id = link.account(CHECKING);
    const before = new Set((await link.transactions()).map(({ transaction_id }) => transaction_id));
    link.service.random.restart();
    await link.import(aRow(account_id), aRow(account_id));
    link.service.random.restart();
    await link.import(aRow(account_id, { transaction_id: null }));

    const ids = (await link.transactions()).map(({ transaction_id }) => transaction_id);
    const added = ids.filter((id) => !before.has(id));
    expect(added).toHaveLength(3);
    for (const id of added) expect(id).toMatch(/^txn_[0-9A-Za-z]{22}$/);
  });

  test('import: an id that is given in the same body is not generated for another row', async (link) => {
    const account_id = link.account(CHECKING);
    link.service.random.restart();
    await link.import(aRow(account_id));
    const first = (await link.transactions()).find(({ description }) => description === 'Books');
    const transaction_id = first?.transaction_id ?? '';
    await using other = await aLink();
    const there = other.account(CHECKING);
    other.service.random.restart();

    await other.import(
      aRow(there, { description: 'One' }),
      aRow(there, { transaction_id, description: 'Two' }),
    );

    const added = (await other.transactions()).filter(({ description }) =>
      /^(One|Two)$/.test(description ?? ''),
    );
    expect(new Set(added.map(({ transaction_id: id }) => id)).size).toBe(2);
    expect(await other.transaction(transaction_id)).toMatchObject([{ description: 'Two' }]);
  });
});

describe('balances', () => {
  test('import: to an investment account moves its cash', async () => {
    await using link = await aLink({ persona: 'investor' });
    const account_id = link.account('investment.brokerage');
    const before = (await link.accountOf(account_id)).balances;

    await link.import(aRow(account_id, { amount: '-100' }));

    const after = (await link.accountOf(account_id)).balances;
    expect(after?.available).toBe(plus(before?.available ?? '', '-100'));
    expect(after?.current).toBe(plus(before?.current ?? '', '-100'));
  });

  test('import: moves the date of a balance only with the balance', async () => {
    await using link = await aLink({ persona: 'student' });
    const [moved, other] = [link.account(CHECKING), link.account('liability.student_loan')];
    const dateOf = async (id: string) => (await link.accountOf(id)).balances?.balance_date;
    const before = [await dateOf(moved), await dateOf(other)];
    link.service.clock.advance(60_000);

    await link.import(aRow(moved));

    expect(await dateOf(moved)).toBe(new Date(link.service.clock.now()).toISOString());
    expect(await dateOf(other)).toBe(before[1]);
  });

  test('import: with any rows, each balance is the opening one plus posted transactions', async () => {
    await using link = await aLink({ persona: 'student' });
    const accounts = [link.account(CHECKING), link.account('liability.student_loan')];
    const openings = new Map<string, bigint>();
    const posted = async (id: string) => {
      const isOwed = id === accounts[1];
      const rows = (await link.transactions()).filter(
        ({ account_id, pending }) => account_id === id && !pending,
      );
      return rows.reduce(
        (sum, { type, amount }) =>
          (type === 'credit') === isOwed ? sum - decimal(amount) : sum + decimal(amount),
        0n,
      );
    };
    for (const id of accounts) openings.set(id, decimal(await link.balance(id)) - (await posted(id)));
    const row = fc.record(
      {
        account_id: fc.constantFrom(...accounts),
        amount: fc.constantFrom('0', '0.01', '-0.0001', '12.5', '-999999999999.9999', '-30', '7.125'),
        date: fc.constantFrom('2026-02-27', '2020-02-29T10:00:00Z'),
        description: fc.string({ unit: fc.constantFrom('a', ' ', 'é'), minLength: 1, maxLength: 20 }),
        transaction_id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        pending: fc.boolean(),
        type: fc.constantFrom('debit', null),
      },
      { requiredKeys: ['account_id', 'amount', 'date', 'description'] },
    );
    const rows = fc.uniqueArray(row, {
      minLength: 1,
      maxLength: 6,
      selector: ({ transaction_id }) => transaction_id ?? Symbol(),
    });

    await fc.assert(
      fc.asyncProperty(rows, async (body) => {
        await link.import(...body);
        for (const id of accounts) {
          expect(decimal(await link.balance(id))).toBe((openings.get(id) ?? 0n) + (await posted(id)));
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('an id that is on the link', () => {
  const first = { transaction_id: 'other-1', raw_description: 'RAW', category: 'shopping', currency: 'EUR' };
  const second = { transaction_id: 'other-1', amount: '3', date: '2026-01-02', description: 'Again' };

  test('import: replaces that transaction whole', async (link) => {
    const account_id = link.account(CHECKING);
    await link.import(aRow(account_id, { ...first, datetime: '2026-02-27T10:00:00Z' }));
    await link.import(aRow(account_id, second));

    expect(await link.transaction('other-1')).toEqual([{ ...ABSENT, ...second, account_id, type: 'credit' }]);
  });

  test.each([false, true])('import: replaces one that the bank reported, pending %s', async (pending) => {
    await using link = await aLinkWithOne({ pending });
    const { transaction_id, account_id, amount, type, description } = link.found;
    const { account_type } = await link.accountOf(account_id);
    const before = await link.balance(account_id);
    const isTaken = (type === 'debit') === account_type.startsWith('depository.');
    const takenBack = pending ? '0' : isTaken ? amount : `-${amount}`;

    await link.import(aRow(account_id, { transaction_id, amount: '0', description: `Not ${description}` }));

    expect(await link.transaction(transaction_id)).toMatchObject([
      { amount: '0', pending: false, enrichment: null, category: null, description: `Not ${description}` },
    ]);
    expect(await link.balance(account_id)).toBe(plus(before, takenBack));
  });

  test('import: the same body twice changes nothing more, not even later', async () => {
    await using link = await aLink({ persona: 'student' });
    const accounts = [link.account(CHECKING), link.account('liability.student_loan')];
    const body = Array.from({ length: 60 }, (_, index) =>
      aRow(accounts[index % 2] ?? '', {
        transaction_id: `other-${index}`,
        amount: `${index - 30}.5`.replace('-0.5', '0.5'),
        pending: index % 7 === 0,
      }),
    );
    await link.import(...body);
    const everything = await link.everything();
    link.service.clock.advance(60_000);

    await link.import(...body);

    expect(await link.everything()).toBe(everything);
  });

  test('import: is another transaction on another link', async (link) => {
    const second = await link.bank.link(link.fp_id);
    const [account] = await link.bank.accounts(second.id);
    await link.import(aRow(link.account(CHECKING), { transaction_id: 'other-1', description: 'One' }));
    const there = (description: string) =>
      link.bank.import(second.id, [aRow(account?.id ?? '', { transaction_id: 'other-1', description })]);
    await there('Two');
    const everything = await link.everything();
    await there('Three');

    expect(await link.everything()).toBe(everything);
    expect(await link.transaction('other-1')).toMatchObject([{ description: 'One' }]);
    const all = await link.bank.allTransactions(second.id);
    expect(all.filter(({ transaction_id }) => transaction_id === 'other-1')).toMatchObject([
      { description: 'Three' },
    ]);
  });

  test('import: a pending one stays so when the bank posts one of its id on another link', async () => {
    await using link = await aLinkWithOne({ pending: true });
    const { transaction_id } = link.found;
    const second = await link.bank.link(link.fp_id, { persona: 'thin' });
    const [account] = await link.bank.accounts(second.id);
    await link.bank.import(second.id, [aRow(account?.id ?? '', { transaction_id, pending: true })]);

    await link.service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '4d' } });

    expect(await link.transaction(transaction_id)).toMatchObject([{ pending: false }]);
    const all = await link.bank.allTransactions(second.id);
    expect(all.filter((each) => each.transaction_id === transaction_id)).toMatchObject([{ pending: true }]);
  });

  test('import: that of an investment transaction is 400', async () => {
    await using link = await aLink({ persona: 'investor' });
    const { investment_transactions } = (
      await link.service.call('GET /bank_links/{link_id}/investments/transactions', {
        params: { link_id: link.id },
      })
    ).body;
    const transaction_id = investment_transactions[0]?.investment_transaction_id ?? '';
    const everything = await link.everything();

    expect(await link.refused(aRow(link.account(CHECKING), { transaction_id }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[0].transaction_id': 'is the id of an investment transaction of this link' },
    });
    expect(await link.everything()).toBe(everything);
  });

  test('import: of concurrent imports of one row the last one is stored, with its balance', async (link) => {
    const account_id = link.account(CHECKING);
    const before = await link.balance(account_id);

    await Promise.all(
      ['-1', '-2', '-3'].map((amount) =>
        link.import(aRow(account_id, { transaction_id: 'other-1', amount })),
      ),
    );

    const [{ amount } = { amount: '' }, ...others] = await link.transaction('other-1');
    expect(others).toEqual([]);
    expect(await link.balance(account_id)).toBe(plus(before, `-${amount}`));
  });
});

describe('all or nothing', () => {
  test('import: of a hundred rows with a wrong one nothing is to be seen', async (link) => {
    const account_id = link.account(CHECKING);
    await link.import(aRow(account_id, { transaction_id: 'other-5' }));
    const everything = await link.everything();
    const rows = Array.from({ length: 100 }, (_, index) =>
      aRow(account_id, { transaction_id: `other-${index}` }),
    );

    for (const at of [0, 50, 99]) {
      const wrong = rows.map((row, index) => (index === at ? { ...row, amount: '1,50' } : row));
      expect(await link.refused(...wrong)).toMatchObject({
        status: 400,
        code: 'invalid_request',
        message: 'Nothing was imported: of 100 transactions 1 is wrong',
        context: {
          [`transactions[${at}].amount`]: 'must be a text of up to 12 digits, with up to 4 decimals',
        },
      });
    }
    expect(await link.everything()).toBe(everything);
  });

  test('import: an account of another link of the same user is 400', async (link) => {
    const other = await link.bank.link(link.fp_id);
    const [account] = await link.bank.accounts(other.id);

    expect(await link.refused(aRow(link.account(CHECKING)), aRow(account?.id ?? ''))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[1].account_id': 'is not an account of this link' },
    });
  });
});

describe('owner and state of the link', () => {
  const WRONG = [{ amount: 'x' }];

  test('import: to a disconnected link is 409, once its rows are right; connected again it works', async (link) => {
    const row = aRow(link.account(CHECKING), { transaction_id: 'other-1' });
    await link.bank.reset(link.id);

    const parts = { params: { link_id: link.id }, body: { transactions: [row] } };
    for (const dry_run of [false, true]) {
      const refusal = await link.service.refused(IMPORT, { ...parts, query: { dry_run } });
      expect(refusal).toMatchObject({ status: 409, code: 'link_disconnected' });
    }
    expect(await link.refused(...WRONG)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await link.transaction('other-1')).toEqual([]);
    await link.bank.link(link.fp_id, { link_id: link.id });
    await link.import(row);
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test.eachWith([
    ['deleted', 'DELETE /bank_links/{link_id}', 404, 'not_found'],
    ['disconnected', 'POST /bank_links/{link_id}/reset', 409, 'link_disconnected'],
  ] as const)(
    'import: to a link that is %s while rows are being sealed nothing comes',
    async (link, _what, key, status, code) => {
      const everything = await link.everything();
      const rows = Array.from({ length: 4_000 }, () => aRow(link.account(CHECKING)));
      const isUnderWay = idMade(link.service, 'bankTransaction');
      let isDone = false;
      const reply = link.bank
        .request(IMPORT, link.id, { body: { transactions: rows } })
        .finally(() => (isDone = true));
      await isUnderWay;

      expect((await link.bank.request(key, link.id)).status).toBe(200);

      expect(isDone).toBe(false);
      expect(await reply).toMatchObject({ status, body: { code } });
      if (code === 'link_disconnected') expect(await link.everything()).toBe(everything);
      else
        expect(link.service.database.prepare('SELECT count(*) FROM bank_transactions').pluck().get()).toBe(0);
    },
  );
});

test('import: rows that are sealed in several turns are all there, and the balance with them', async (link) => {
  const account_id = link.account(CHECKING);
  const before = await link.balance(account_id);
  const { total } = await link.bank.transactions(link.id);

  await link.import(...Array.from({ length: 250 }, () => aRow(account_id, { amount: '-0.01' })));

  expect((await link.bank.transactions(link.id)).total).toBe(total + 250);
  expect(await link.balance(account_id)).toBe(plus(before, '-2.50'));
});
