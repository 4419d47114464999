import { describe, expect, test } from 'vitest';
import { SCREEN_WIDTH } from '../../../../src/cli/shell/layout.ts';
import { displayWidth, PLAIN } from '../../../../src/cli/shell/output.ts';
import { accountLabels } from '../../../../src/nouns/bank-links/facts.ts';
import {
  holdingsView,
  investmentRow,
  ledgerPageView,
  ledgerTable,
  transactionRow,
  unknownAccountsNote,
  type LedgerRow,
} from '../../../../src/nouns/bank-links/commands/ledger-view.ts';
import { money } from '../../../../src/kernel/text/money-text.ts';
import {
  aBankAccount,
  aBankTransaction,
  CHECKING_ID,
  LINK_ID as LINK,
  RECORDED_AT as AT,
} from '../../../support/bank-links.ts';
import {
  accountList,
  linkListView,
  linkView,
  newLinkView,
  personaListView,
  personaView,
  tickNote,
  tickList,
} from '../../../../src/nouns/bank-links/commands/view.ts';
import type {
  BankLink,
  BankTransaction,
  InvestmentTransaction,
  Security,
} from '../../../../src/nouns/bank-links/endpoints/records.ts';

const USER = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const CARD = 'acct_8p793EF07xKXHqAeg5VGPj';

const aLink = (more: Partial<BankLink> = {}): BankLink => ({
  id: LINK,
  fp_id: USER,
  external_id: null,
  created_at: AT,
  state: 'connected',
  error_code: null,
  institution_id: 'first-example-bank',
  institution_name: 'First Example Bank',
  products: { accounts: { refreshed_at: AT, last_attempted_at: AT } },
  last_synced_at: AT,
  ...more,
});
const aTrade = (more: Partial<InvestmentTransaction> = {}): InvestmentTransaction => ({
  investment_transaction_id: 'itxn_1',
  account_id: CHECKING_ID,
  security_id: 'sec_1',
  type: 'buy',
  amount: '1234.50',
  quantity: '12.5',
  price: '98.76',
  fees: '1.95',
  currency: 'USD',
  date: '2026-01-31',
  datetime: null,
  description: 'Bought',
  ...more,
});
/** What only a trade has. */
const NO_TRADE = { security_id: null, quantity: null, price: null, fees: null };
const aSecurity = (more: Partial<Security> = {}): Security => ({
  security_id: 'sec_1',
  name: 'Example Total Market Fund',
  currency: 'USD',
  type: 'etf',
  ticker: 'ZZTMF',
  isin: null,
  sedol: null,
  close_price: null,
  close_date: null,
  ...more,
});

const LABELS = accountLabels([aBankAccount(), aBankAccount({ id: CARD, mask: '1111' })]);
const linesOf = (...transactions: BankTransaction[]) => {
  const rows = transactions.map(transactionRow);
  const { headings, line } = ledgerTable(rows, LABELS, PLAIN);
  return [headings, ...rows.map(line)];
};

function expectToFit(text: string): void {
  for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(SCREEN_WIDTH);
}

test.each([
  ['0.00', '0.00 USD'],
  ['999.99', '999.99 USD'],
  ['1000.00', '1,000.00 USD'],
  ['-1234567.8901', '-1,234,567.8901 USD'],
  ['999999999999.9999', '999,999,999,999.9999 USD'],
  ['12', '12 USD'],
  ['no number', 'no number USD'],
  [null, '-'],
])('money: every digit of %s stays', (amount, shown) => {
  expect(money(amount, 'USD')).toBe(shown);
});

describe('transactions', () => {
  test('lines: amounts end where the others do, with a sign for the direction; a pending one says so', () => {
    const lines = linesOf(
      aBankTransaction(),
      aBankTransaction({ type: 'credit', amount: '2100.00', account_id: CARD, description: 'Payroll' }),
      aBankTransaction({ amount: '0.00', currency: 'EUR', pending: true }),
      aBankTransaction({ description: null, raw_description: 'COFFEE 123' }),
      aBankTransaction({ description: null }),
    );
    expect(lines).toEqual([
      'DATE               AMOUNT  ACCOUNT  DESCRIPTION',
      '2026-01-31      -4.50 USD  …6789    Cedar Coffee',
      '2026-01-31  +2,100.00 USD  …1111    Payroll',
      '2026-01-31       0.00 EUR  …6789    pending  Cedar Coffee',
      '2026-01-31      -4.50 USD  …6789    COFFEE 123',
      '2026-01-31      -4.50 USD  …6789    -',
    ]);
  });

  test.each([
    ['x'.repeat(512)],
    ['漢'.repeat(512)],
    ['\u{1f600}'.repeat(300)],
    ['\u001b[31m'.repeat(60)],
    ['a b '.repeat(100)],
  ])('lines: %j is cut to the screen', (description) => {
    for (const pending of [true, false]) {
      const line = linesOf(aBankTransaction({ description, pending }))[1] ?? '';
      expect(displayWidth(line)).toBeLessThanOrEqual(SCREEN_WIDTH);
      expect(displayWidth(line)).toBeGreaterThan(SCREEN_WIDTH - 3);
      expect(line).toMatch(/…$/);
    }
  });

  test('lines: control characters have no effect', () => {
    const lines = linesOf(aBankTransaction({ description: 'a\u001b[2Jb\nc\u202e', currency: 'U\u001b' }));
    expect(lines[1]).toContain('a\\x1b[2Jb ↵ c\\u202e');
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  test('lines: a later row that is wider still fits', () => {
    const { line } = ledgerTable([transactionRow(aBankTransaction())], LABELS, PLAIN);
    const wide = aBankTransaction({
      amount: '999999999999.9999',
      description: 'y'.repeat(200),
      pending: true,
    });
    expect(line(transactionRow(wide))).toMatch(
      /^2026-01-31 {2}-999,999,999,999\.9999 USD {2}…6789 {4}pending {2}y+…$/,
    );
    expectToFit(line(transactionRow(wide)));
  });

  test('page: shows its range, the total and the flags for the next; without entries whether there are any', () => {
    const pageOf = (rows: readonly LedgerRow[], page: number, size: number, total: number) =>
      ledgerPageView({ page: { page, size, total }, rows, noun: 'transactions', labels: LABELS }, PLAIN);
    const foot = (...page: [number, number, number]) =>
      pageOf([transactionRow(aBankTransaction())], ...page)
        .split('\n')
        .at(-1);
    expect(foot(1, 1, 3)).toBe('1 to 1 of 3; continue with --page 2, or see --all');
    expect(foot(3, 1, 3)).toBe('3 to 3 of 3');
    expect(foot(2, 50, 51)).toBe('51 to 51 of 51');
    expect(pageOf([], 9, 50, 0)).toBe('No transactions');
    expect(pageOf([], 9, 50, 7)).toBe('No page 9: there are 7 transactions');
  });

  test('accounts: by mask where it is unique, else by nickname or name', () => {
    const labels = accountLabels([
      aBankAccount({ id: 'a', mask: '1111' }),
      aBankAccount({ id: 'b', mask: '2222', nickname: 'Roof fund' }),
      aBankAccount({ id: 'c', mask: '2222', name: 'Savings' }),
      aBankAccount({ id: 'd', mask: null, name: 'Loan' }),
    ]);
    expect(Object.fromEntries(labels)).toEqual({ a: '…1111', b: 'Roof fund', c: 'Savings', d: 'Loan' });
    const [, line = ''] = linesOf(aBankTransaction({ account_id: 'acct_of_a_reconnected_link' }));
    expect(line).toContain('acct_of_a_rec…');
  });

  test('accounts: unknown ones of the filter are reported', () => {
    expect(unknownAccountsNote(undefined, LABELS)).toBeUndefined();
    expect(unknownAccountsNote([CHECKING_ID], LABELS)).toBeUndefined();
    expect(unknownAccountsNote([CHECKING_ID, 'acct_x'], LABELS)).toMatch(/^--account /);
  });
});

describe('investments', () => {
  test.each([
    [aTrade(), '-1,234.50 USD', 'buy 12.5 ZZTMF at 98.76, fees 1.95'],
    [aTrade({ type: 'sell', fees: null }), '+1,234.50 USD', 'sell 12.5 ZZTMF at 98.76'],
    [
      aTrade({ ...NO_TRADE, security_id: 'sec_1', type: 'cash', description: 'Dividend' }),
      '+1,234.50 USD',
      'cash ZZTMF: Dividend',
    ],
    [aTrade({ ...NO_TRADE, type: 'fee', description: 'Account fee' }), '-1,234.50 USD', 'fee: Account fee'],
    [aTrade({ ...NO_TRADE, type: 'transfer', description: null }), '+1,234.50 USD', 'transfer'],
  ])('row %#: what was done, and what it did to the cash', (entry, amount, what) => {
    expect(investmentRow(entry, [aSecurity()])).toMatchObject({ amount, what, isPending: false });
  });

  test('row: a security without a ticker goes by its name', () => {
    const { what } = investmentRow(aTrade(), [aSecurity({ ticker: null })]);
    expect(what).toBe('buy 12.5 Example Total Market Fund at 98.76, fees 1.95');
  });

  test('holdings: numbers end where the others do, unknown ones are dashes', () => {
    const holding = { account_id: CHECKING_ID, cost_basis: null, price_datetime: AT };
    const view = holdingsView(
      {
        holdings: [
          { ...holding, security_id: 'sec_1', quantity: '60', price: '124.46', value: '7467.60' },
          { ...holding, security_id: 'sec_2', quantity: '0.24', price: null, value: null },
        ],
        securities: [
          aSecurity(),
          aSecurity({ security_id: 'sec_2', name: 'Examplecoin '.repeat(9), ticker: null }),
        ],
      },
      LABELS,
      PLAIN,
    );
    expectToFit(view);
    const [headings, first, second] = view.split('\n');
    expect(headings).toBe('ACCOUNT  TICKER  QUANTITY   PRICE         VALUE  SECURITY');
    expect(first).toBe('…6789    ZZTMF         60  124.46  7,467.60 USD  Example Total Market Fund');
    expect(second).toMatch(/^…6789 {4}- {11}0\.24 {7}- {13}- {2}Examplecoin /);
    expect(holdingsView({ holdings: [], securities: [] }, LABELS, PLAIN)).toBe('No holdings');
  });
});

describe('links', () => {
  test('link: entity, state, and times of refreshes', () => {
    const view = linkView(
      aLink({ products: { ...aLink().products, identity: { refreshed_at: null, last_attempted_at: null } } }),
      PLAIN,
    );
    expect(view).toContain(`user         ${USER}`);
    expect(view).toContain('state        connected\n');
    expect(view).toContain(`refreshed    accounts ${AT}\n             identity never`);
    const broken = aLink({ fp_id: 'fp_bid_1', state: 'error', error_code: 'auth_expired', products: {} });
    expect(linkView(broken, PLAIN)).toMatch(/^business .*\nstate +error, auth_expired$/m);
    const marked = linkView(broken, { ...PLAIN, bad: (text) => `<${text}>` });
    expect(marked).toContain('<error, auth_expired>');
  });

  test('list: fits with the longest ids, whose they are and external ids under them', () => {
    const { id, fp_id, created_at, institution_name } = aLink({ fp_id: 'fp_bid_7p793EF07xKXHqAeg5VGPj' });
    const shown = { id, fp_id, created_at, institution_name, persona: 'default' };
    const data = [
      { ...shown, state: 'connected' as const, error_code: null, external_id: null },
      {
        ...shown,
        state: 'error' as const,
        error_code: 'institution_error' as const,
        external_id: 'order-1 '.repeat(20).trim(),
      },
    ];
    const view = linkListView({ data, meta: { count: 9, next: 'abc' } }, PLAIN);
    expectToFit(view);
    expect(view).toMatch(/^\S+ +connected +2026-01-31 12:00:00$/m);
    expect(view).toMatch(/^\S+ +institution_error +2026-01-31 12:00:00$/m);
    expect(view).toMatch(/\n2 of 9; continue with --cursor abc$/);
    expect(linkListView({ data: [], meta: { count: 0, next: null } }, PLAIN)).toBe('No bank links');
  });

  test('accounts: balance, and under it the id with what else there is', () => {
    const card = aBankAccount({
      id: CARD,
      name: 'A very long name of a credit card that is shown in short',
      account_type: 'liability.line_of_credit',
      mask: null,
      closed: true,
      balances: { available: null, balance_date: AT, currency: 'USD', current: '-12.34', limit: '5000.00' },
    });
    const view = accountList([aBankAccount(), card, aBankAccount({ balances: null })], PLAIN);
    expectToFit(view);
    const lines = view.split('\n');
    expect(lines[0]).toBe('MASK  TYPE                               BALANCE  NAME');
    expect(lines[1]).toBe('6789  depository.checking       1,234,567.89 USD  Everyday Checking');
    expect(lines[2]).toBe(`    ${CHECKING_ID}, available 950.00 USD`);
    expect(lines[3]).toMatch(/^- {5}liability\.line_of_credit {8}-12\.34 USD {2}A very long name of a cre…$/);
    expect(lines[4]).toBe(`    ${CARD}, limit 5,000.00 USD, closed`);
    expect(accountList([], PLAIN)).toBe('No accounts');
  });

  test('new link: its accounts in short', () => {
    const view = newLinkView(aLink(), [aBankAccount()], PLAIN);
    expectToFit(view);
    expect(view).toMatch(/1,234,567\.89 USD {2}Everyday Checking$/);
    expect(view).not.toContain(CHECKING_ID);
  });
});

test('personas: fit, and show their accounts', () => {
  const persona = { name: 'thin', description: 'Hardly anything to go by '.repeat(6), kind: 'bank' as const };
  expectToFit(personaListView([persona], PLAIN));
  const { name, account_type } = aBankAccount();
  const accounts = [{ account_type, name, currency: 'EUR' }];
  const view = personaView({ ...persona, history_days: 10, accounts }, PLAIN);
  expectToFit(view);
  expect(view).toMatch(/^history +10 days$/m);
  expect(view).toMatch(/^depository\.checking {2}EUR {7}Everyday Checking$/m);
});

test('tick: new and posted entries of each link, and the move of the whole clock', () => {
  const counts = { came: 12, posted: 9, investments_came: 0 };
  const link = { id: LINK, fp_id: USER, state: 'connected' as const, ...counts };
  const passed = { days: 3, now: AT, drained: 1, links: [link] };
  expect(tickList(passed.links, PLAIN).split('\n')).toEqual([
    'LINK                         NEW  POSTED  INVESTMENTS  STATE',
    `${LINK}   12       9            0  connected`,
  ]);
  expect(tickNote(passed)).toMatch(/^The clock of the whole instance moved on 3 days, to 2026-01-31T/);
  expect(tickList([], PLAIN)).toBe('No bank links');
});
