/** Importing transactions: all of them or none, at once, and balances that follow (contract §7.4). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IMPORT_LIMIT_BYTES, type BankAccount } from '../../../src/contract/bank-links.ts';
import { decimal, decimalText } from '../../../src/kernel/decimal.ts';
import { DAY_MS } from '../../../src/kernel/units.ts';
import { bankOf, type NewLink } from '../../support/bank-links.ts';
import { LIVE_KEY, startService } from '../../support/service.ts';

const IMPORT = 'POST /bank_links/{link_id}/import/transactions';
const PREVIEW = 'preview:bank_linking';
const CANARY = 'Zyxwvcanary';

type Row = Record<string, unknown>;

/** Of the persona with little more than its one checking account, unless another is asked for; made `days` later. */
async function aLink({ persona = 'thin', days = 0, ...options }: NewLink & { days?: number } = {}) {
  const service = await startService();
  service.clock.advance(days * DAY_MS);
  const bank = bankOf(service);
  const fp_id = await service.user();
  const { id } = await bank.link(fp_id, { persona, ...options });
  const accounts = await bank.accounts(id);
  const transactions = () => bank.allTransactions(id);

  async function accountOf(account_id: string): Promise<BankAccount> {
    const found = (await bank.accounts(id)).find((account) => account.id === account_id);
    if (!found) throw new Error('no such account');
    return found;
  }

  return {
    service,
    bank,
    fp_id,
    id,
    transactions,
    accountOf,
    /** The id of the first account of this type. */
    account(type: BankAccount['account_type']): string {
      const found = accounts.find(({ account_type }) => account_type === type);
      if (!found) throw new Error(`no account is ${type}`);
      return found.id;
    },
    balance: async (account_id: string) => (await accountOf(account_id)).balances?.current ?? 'none',
    transaction: async (transaction_id: string) =>
      (await transactions()).filter((transaction) => transaction.transaction_id === transaction_id),
    /** Everything that the link tells, in the form in which it is told. */
    async told(): Promise<string> {
      const keys = ['accounts', 'transactions', 'investments/holdings', 'investments/transactions'];
      const parts = keys.map((key) => service.send({ method: 'GET', path: `/bank_links/${id}/${key}` }));
      return (
        (await Promise.all(parts)).map(({ text }) => text).join('\n') + JSON.stringify(await transactions())
      );
    },
    import: (...rows: Row[]) => bank.import(id, rows),
    refused: (...rows: Row[]) =>
      service.refused(IMPORT, { params: { link_id: id }, body: { transactions: rows } }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A link and a transaction of it, of the bank itself: pending ones there are on most days, not on all. */
async function aLinkWithOne({ pending }: { pending: boolean }) {
  for (let days = 0; days < 14; days++) {
    const link = await aLink({ persona: 'default', days });
    const found = (await link.transactions()).find((each) => each.pending === pending);
    if (found) return { ...link, found };
    await link[Symbol.asyncDispose]();
  }
  throw new Error('no day has such a transaction');
}

const CHECKING = 'depository.checking';
const aRow = (account_id: string, members: Row = {}): Row => ({
  account_id,
  amount: '-12.50',
  date: '2026-02-27',
  description: 'Books',
  ...members,
});

/** What a balance has become, by hand. */
const plus = (balance: string, ...changes: string[]) =>
  decimalText(changes.reduce((sum, change) => sum + decimal(change), decimal(balance)));

describe('what is imported', () => {
  test('import: is there when the call returns, as it was sent', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    const { total } = await link.bank.transactions(link.id);
    const row = {
      ...{ transaction_id: 'other-1', account_id, amount: '10.5', date: '2026-02-27T23:30:00-05:00' },
      ...{ description: 'Zoë’s books', raw_description: 'ZOES 27/02', category: 'shopping', currency: 'EUR' },
      ...{ pending: true, type: 'debit' },
    };

    const { body } = await link.import(row, aRow(account_id, { transaction_id: 'other-2' }));

    expect(body).toEqual({});
    expect((await link.bank.transactions(link.id)).total).toBe(total + 2);
    expect(await link.transaction('other-1')).toEqual([
      { ...row, date: '2026-02-27', datetime: row.date, enrichment: null },
    ]);
    expect(await link.transaction('other-2')).toEqual([
      {
        ...{ transaction_id: 'other-2', account_id, amount: '12.50', date: '2026-02-27', type: 'debit' },
        ...{ currency: 'USD', datetime: null, description: 'Books', raw_description: null, category: null },
        ...{ pending: false, enrichment: null },
      },
    ]);
  });

  test('import: stands among the others by its date and account', async () => {
    await using link = await aLink();
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

  test('import: without an id gets one of its own, also when a seed begins anew', async () => {
    await using link = await aLink();
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

  test('import: an id that is given in the same body is not generated for another row', async () => {
    await using link = await aLink();
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

  test('import: goes to the link of a business too', async () => {
    await using link = await aLink();
    const { id } = await link.bank.link(await link.service.business());
    const [account] = await link.bank.accounts(id);
    await link.bank.import(id, [aRow(account?.id ?? '', { transaction_id: 'other-1' })]);

    const all = await link.bank.allTransactions(id);
    expect(all.filter(({ transaction_id }) => transaction_id === 'other-1')).toHaveLength(1);
    expect(await link.transaction('other-1')).toEqual([]);
  });
});

describe('balances', () => {
  test.each([
    [CHECKING, '-12.50', undefined, '-12.50'],
    [CHECKING, '12.5', undefined, '12.50'],
    [CHECKING, '12.3456', 'debit', '-12.3456'],
    [CHECKING, '-0.01', 'debit', '-0.01'],
    ['depository.savings', '0', 'credit', '0'],
    // What is spent with a card is owed, what is paid is not owed any longer.
    ['liability.credit_card', '-30', undefined, '30'],
    ['liability.credit_card', '30', undefined, '-30'],
  ] as const)('import: to a %s account %s of type %s adds %s', async (kind, amount, type, change) => {
    await using link = await aLink({ persona: 'default' });
    const account_id = link.account(kind);
    const before = await link.bank.accounts(link.id);

    await link.import(aRow(account_id, { amount, type }));

    for (const { id, balances } of before) {
      const expected = id === account_id ? plus(balances?.current ?? '', change) : balances?.current;
      expect(await link.balance(id)).toBe(expected);
    }
  });

  test('import: a pending one moves no balance', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    const before = await link.balance(account_id);

    await link.import(aRow(account_id, { transaction_id: 'other-1', pending: true }));

    expect(await link.balance(account_id)).toBe(before);
  });

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
    await using link = await aLink({ persona: 'default' });
    const [moved, other] = [link.account(CHECKING), link.account('depository.savings')];
    const dateOf = async (id: string) => (await link.accountOf(id)).balances?.balance_date;
    const before = [await dateOf(moved), await dateOf(other)];
    link.service.clock.advance(60_000);

    await link.import(aRow(moved));

    expect(await dateOf(moved)).toBe(new Date(link.service.clock.now()).toISOString());
    expect(await dateOf(other)).toBe(before[1]);
  });

  test('import: whatever rows come, each balance is the opening one and what has posted', async () => {
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
      { numRuns: 15 },
    );
  });
});

describe('an id that is on the link', () => {
  const first = { transaction_id: 'other-1', raw_description: 'RAW', category: 'shopping', currency: 'EUR' };
  const second = { transaction_id: 'other-1', amount: '3', date: '2026-01-02', description: 'Again' };

  test('import: replaces that transaction whole', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    await link.import(aRow(account_id, { ...first, datetime: '2026-02-27T10:00:00Z' }));
    await link.import(aRow(account_id, second));

    expect(await link.transaction('other-1')).toEqual([
      {
        ...{ transaction_id: 'other-1', account_id, amount: '3', date: '2026-01-02', description: 'Again' },
        ...{ type: 'credit', currency: 'USD', datetime: null, raw_description: null, category: null },
        ...{ pending: false, enrichment: null },
      },
    ]);
  });

  test.each([
    ['posted, then posted', { amount: '-10' }, { amount: '4' }, '4'],
    ['posted, then pending', { amount: '-10' }, { amount: '4', pending: true }, '0'],
    ['pending, then posted', { amount: '-10', pending: true }, { amount: '-10' }, '-10'],
    ['pending, then pending', { amount: '-10', pending: true }, { amount: '4', pending: true }, '0'],
  ])('import: %s: the balance has what stands there now', async (_what, one, other, change) => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    const before = await link.balance(account_id);
    await link.import(aRow(account_id, { transaction_id: 'other-1', ...one }));
    await link.import(aRow(account_id, { transaction_id: 'other-1', ...other }));

    expect(await link.balance(account_id)).toBe(plus(before, change));
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test('import: may move it to another account, where its type means something else', async () => {
    await using link = await aLink({ persona: 'default' });
    const [checking, card] = [link.account(CHECKING), link.account('liability.credit_card')];
    const [atBank, owed] = [await link.balance(checking), await link.balance(card)];
    await link.import(aRow(checking, { transaction_id: 'other-1', amount: '-10' }));
    await link.import(aRow(card, { transaction_id: 'other-1', amount: '-10' }));

    expect([await link.balance(checking), await link.balance(card)]).toEqual([atBank, plus(owed, '10')]);
    expect(await link.transaction('other-1')).toMatchObject([{ account_id: card }]);
  });

  test.each([false, true])('import: replaces one that the bank told of, pending %s', async (pending) => {
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
    await using link = await aLink({ persona: 'default' });
    const accounts = [link.account(CHECKING), link.account('liability.credit_card')];
    const body = Array.from({ length: 60 }, (_, index) =>
      aRow(accounts[index % 2] ?? '', {
        transaction_id: `other-${index}`,
        amount: `${index - 30}.5`.replace('-0.5', '0.5'),
        pending: index % 7 === 0,
      }),
    );
    await link.import(...body);
    const told = await link.told();
    link.service.clock.advance(60_000);

    await link.import(...body);

    expect(await link.told()).toBe(told);
  });

  test('import: is another transaction on another link', async () => {
    await using link = await aLink();
    const second = await link.bank.link(link.fp_id);
    const [account] = await link.bank.accounts(second.id);
    await link.import(aRow(link.account(CHECKING), { transaction_id: 'other-1', description: 'One' }));
    await link.bank.import(second.id, [
      aRow(account?.id ?? '', { transaction_id: 'other-1', description: 'Two' }),
    ]);

    expect(await link.transaction('other-1')).toMatchObject([{ description: 'One' }]);
  });

  test('import: that of an investment transaction is 400', async () => {
    await using link = await aLink({ persona: 'investor' });
    const { investment_transactions } = (
      await link.service.call('GET /bank_links/{link_id}/investments/transactions', {
        params: { link_id: link.id },
      })
    ).body;
    const transaction_id = investment_transactions[0]?.investment_transaction_id ?? '';
    const told = await link.told();

    expect(await link.refused(aRow(link.account(CHECKING), { transaction_id }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: {
        'transactions[0].transaction_id': 'is the id of an investment transaction of this link',
      },
    });
    expect(await link.told()).toBe(told);
  });

  test('import: of two at the same moment the later stands, and the balance with it', async () => {
    await using link = await aLink();
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
  test('import: of a hundred rows with a wrong one nothing is to be seen', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    await link.import(aRow(account_id, { transaction_id: 'other-5' }));
    const told = await link.told();
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
    expect(await link.told()).toBe(told);
  });

  test('import: an id that comes twice in one body is 400 on the later row', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    const told = await link.told();
    const row = aRow(account_id, { transaction_id: 'other-1' });

    expect(await link.refused(row, aRow(account_id), row)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[2].transaction_id': 'is that of an earlier row too' },
    });
    expect(await link.told()).toBe(told);
  });

  test('import: an account of another link of the same user is 400', async () => {
    await using link = await aLink();
    const other = await link.bank.link(link.fp_id);
    const [account] = await link.bank.accounts(other.id);

    expect(await link.refused(aRow(link.account(CHECKING)), aRow(account?.id ?? ''))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      context: { 'transactions[1].account_id': 'is not an account of this link' },
    });
  });

  test('import: tells fifty reasons and how many rows are wrong, and no value', async () => {
    await using link = await aLink();
    const rows = Array.from({ length: 80 }, () => ({
      amount: CANARY,
      description: [CANARY],
      [CANARY]: CANARY,
    }));

    const { message, context, code } = await link.refused(...rows);

    expect([code, message]).toEqual([
      'invalid_request',
      'Nothing was imported: of 80 transactions 80 are wrong',
    ]);
    expect(Object.keys(context ?? {})).toHaveLength(50);
    expect(Object.keys(context ?? {}).slice(0, 5)).toEqual([
      ...['account_id', 'amount', 'date', 'description'].map((member) => `transactions[0].${member}`),
      'transactions[1].account_id',
    ]);
    expect(message + JSON.stringify(context)).not.toContain(CANARY);
  });

  test.each([
    ['nothing', undefined],
    ['an object without transactions', {}],
    ['a list', [{}]],
    ['an empty list', { transactions: [] }],
    ['no list', { transactions: {} }],
    ['null', { transactions: null }],
    ['rows that are no objects', { transactions: ['x'] }],
    ['a row that is null', { transactions: [null] }],
    ['a row that is a list', { transactions: [[]] }],
  ])('import: %s is 400', async (_what, body) => {
    await using link = await aLink();
    const refusal = await link.service.refused(IMPORT, { params: { link_id: link.id }, body });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('import: half of a surrogate pair is no JSON to us', async () => {
    await using link = await aLink();
    const body = JSON.stringify({
      transactions: [aRow(link.account(CHECKING), { description: 'a\ud83db' })],
    });
    expect(await link.service.refused(IMPORT, { params: { link_id: link.id }, body })).toMatchObject({
      code: 'invalid_json',
    });
  });
});

describe('whose link, and in what state', () => {
  const WRONG = [{ amount: 'x' }];

  test('import: to a disconnected link is 409, once its rows are right; connected again it works', async () => {
    await using link = await aLink();
    const row = aRow(link.account(CHECKING), { transaction_id: 'other-1' });
    await link.bank.reset(link.id);

    expect(await link.refused(row)).toMatchObject({ status: 409, code: 'link_disconnected' });
    expect(await link.refused(...WRONG)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await link.transaction('other-1')).toEqual([]);
    await link.bank.link(link.fp_id, { link_id: link.id });
    await link.import(row);
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test('import: to a deleted or unknown link, or one of another environment, is 404 whatever the rows', async () => {
    await using link = await aLink();
    const { id } = await link.bank.link(link.fp_id);
    await link.bank.request('DELETE /bank_links/{link_id}', id);
    const rows = [aRow(link.account(CHECKING))];
    const calls = [
      { params: { link_id: id } },
      { params: { link_id: 'link_0000000000000000000000' } },
      { params: { link_id: link.id }, as: LIVE_KEY },
    ];

    for (const call of calls) {
      for (const transactions of [rows, WRONG]) {
        expect(await link.service.refused(IMPORT, { ...call, body: { transactions } })).toMatchObject({
          status: 404,
          code: 'not_found',
        });
      }
    }
  });

  test('import: without the scope is 403, also to an unknown link', async () => {
    await using link = await aLink();
    const as = await link.service.key({ scopes: [] });
    for (const link_id of [link.id, 'link_unknown']) {
      const body = { transactions: WRONG };
      expect(await link.service.refused(IMPORT, { params: { link_id }, body, as })).toMatchObject({
        status: 403,
        code: 'scope_missing',
      });
    }
  });

  test('import: without the permission is 403', async () => {
    await using link = await aLink();
    const as = await link.service.key({ scopes: [PREVIEW], permissions: [] });
    const body = { transactions: WRONG };
    expect(await link.service.refused(IMPORT, { params: { link_id: link.id }, body, as })).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
  });

  test.each([
    ['deleted', 'DELETE /bank_links/{link_id}', 'not_found'],
    ['disconnected', 'POST /bank_links/{link_id}/reset', 'link_disconnected'],
  ] as const)(
    'import: to a link that is %s meanwhile is done whole, or not at all',
    async (_what, key, code) => {
      await using link = await aLink();
      const account_id = link.account(CHECKING);
      const rows = Array.from({ length: 1_000 }, (_, index) =>
        aRow(account_id, { transaction_id: `other-${index}` }),
      );

      const [imported] = await Promise.all([
        link.bank.request(IMPORT, link.id, { body: { transactions: rows } }),
        link.bank.request(key, link.id),
      ]);

      const stored = link.service.database
        .prepare(`SELECT count(*) FROM bank_transactions WHERE id LIKE 'other-%'`)
        .pluck()
        .get() as number;
      if (imported.status === 200) expect(stored).toBe(code === 'not_found' ? 0 : 1_000);
      else expect([(imported.body as { code: string }).code, stored]).toEqual([code, 0]);
    },
  );
});

describe('size', () => {
  /** A body of exactly so many bytes: unknown members are ignored. */
  const bodyOf = (account_id: string, bytes: number) => {
    const body = { transactions: [aRow(account_id, { transaction_id: 'other-1' })], filler: '' };
    return JSON.stringify({ ...body, filler: 'x'.repeat(bytes - JSON.stringify(body).length) });
  };

  test('import: a body of 1 MiB is taken, one of a byte more is 413', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);

    const over = await link.service.refused(IMPORT, {
      params: { link_id: link.id },
      body: bodyOf(account_id, IMPORT_LIMIT_BYTES + 1),
    });
    expect(over).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(await link.transaction('other-1')).toEqual([]);

    const body = bodyOf(account_id, IMPORT_LIMIT_BYTES);
    expect(Buffer.byteLength(body)).toBe(1_048_576);
    expect(await link.bank.request(IMPORT, link.id, { body })).toMatchObject({ status: 200 });
    expect(await link.transaction('other-1')).toHaveLength(1);
  });

  test('import: 4,000 rows of together 1 MiB are all there, and the balance with them', async () => {
    await using link = await aLink();
    const account_id = link.account(CHECKING);
    const before = await link.balance(account_id);
    const { total } = await link.bank.transactions(link.id);
    const rowOf = (index: number, raw: string) =>
      aRow(account_id, { amount: '-0.01', transaction_id: `other-${index}`, raw_description: raw });
    const spare = Math.floor(IMPORT_LIMIT_BYTES / 4_000) - JSON.stringify(rowOf(4_000, '')).length - 2;
    const rows = Array.from({ length: 4_000 }, (_, index) => rowOf(index, 'x'.repeat(spare)));
    expect(JSON.stringify({ transactions: rows }).length).toBeGreaterThan(0.98 * IMPORT_LIMIT_BYTES);

    await link.import(...rows);

    expect((await link.bank.transactions(link.id)).total).toBe(total + 4_000);
    expect(await link.balance(account_id)).toBe(plus(before, '-40'));
  });
});

test('import: nothing of it stands in the store, the journal or the log', async () => {
  await using link = await aLink();
  const account_id = link.account(CHECKING);
  const row = {
    ...{
      amount: '903517.264',
      description: CANARY,
      raw_description: CANARY,
      category: CANARY,
      currency: 'ZYX',
    },
  };
  await link.import(aRow(account_id, row));
  await link.refused(aRow(account_id, { ...row, pending: CANARY, [CANARY]: 1 }));
  expect(await link.transactions()).toContainEqual(
    expect.objectContaining({ description: CANARY, amount: '903517.264' }),
  );

  const journal = await link.service.send({ method: 'GET', path: '/_kyclone/requests?page_size=100' });
  expect(journal.status).toBe(200);
  await link.service.flush();
  const places = {
    store: link.service.database.serialize(),
    journal: Buffer.from(journal.text),
    log: Buffer.from(JSON.stringify(link.service.log)),
  };
  for (const [place, bytes] of Object.entries(places)) {
    for (const value of [CANARY, '903517.264', '903517']) {
      expect([place, value, bytes.includes(value)]).toEqual([place, value, false]);
    }
  }
});
