/** Holdings, securities and investment transactions of a link (contract §7.1, §7.2, §7.3). */
import { describe, expect } from 'vitest';
import { decimal, decimalText, times, type Decimal } from '../../../src/kernel/numbers/decimal.ts';
import { holdingView, securitiesOf } from '../../../src/nouns/bank-links/service/reading.ts';
import type { SimulatedSecurity } from '../../../src/bank-simulation/simulation.ts';
import { bankOf } from '../../support/bank-links.ts';
import { NOON, startService, type TestService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';
import { worldOf } from './a-bank.ts';

const HOLDINGS = 'GET /bank_links/{link_id}/investments/holdings';
const TRADES = 'GET /bank_links/{link_id}/investments/transactions';

async function anInvestor() {
  const service = await startService();
  const { id } = await bankOf(service).link(await service.user(), { persona: 'investor' });
  const accounts = await bankOf(service).accounts(id);
  const brokerage = accounts.find(({ account_type }) => account_type === 'investment.brokerage');
  if (!brokerage) throw new Error('The investor has no brokerage account');
  return {
    service,
    link_id: id,
    accounts,
    brokerage,
    holdings: async (query = {}) => (await service.call(HOLDINGS, { params: { link_id: id }, query })).body,
    trades: async (query = {}) => (await service.call(TRADES, { params: { link_id: id }, query })).body,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const test = testWith(anInvestor);

async function aChecking(service: TestService) {
  return (await bankOf(service).link(await service.user())).id;
}

const sum = (values: readonly Decimal[]): Decimal => values.reduce((one, other) => one + other, 0n);

describe('members', () => {
  test('holdings: quantities have the places they need, money two or more; unknown members are null', () => {
    const holding = {
      account: 'brokerage',
      security: 'fund',
      quantity: 105_000n,
      cost_basis: 1_000_000n,
      price: 123_456n,
      price_at: NOON,
      value: 1_296_300n,
    };

    expect(holdingView(holding, 'acct_1')).toEqual({
      account_id: 'acct_1',
      security_id: expect.stringMatching(/^sec_[0-9A-Za-z]{22}$/) as string,
      quantity: '10.5',
      cost_basis: '100.00',
      price: '12.3456',
      value: '129.63',
      price_datetime: new Date(NOON).toISOString(),
    });
    const unknown = { cost_basis: null, price: null, price_at: null, value: null };
    const { price_at: _at, ...nulls } = unknown;
    expect(holdingView({ ...holding, quantity: 30_000n, ...unknown }, 'acct_1')).toMatchObject({
      quantity: '3',
      price_datetime: null,
      ...nulls,
    });
  });

  test('holdings: a security is returned once, and those that no row names are left out', () => {
    const members = {
      name: 'Example Fund',
      currency: 'EUR',
      type: 'etf' as const,
      ticker: 'EXMF',
      isin: null,
      sedol: null,
    };
    const security: SimulatedSecurity = { ...members, key: 'fund', close_price: 500_000n, close_day: 59 };
    const portfolio = {
      holdings: [],
      securities: [
        security,
        { ...security, key: 'other' },
        { ...security, key: 'third', close_price: null, close_day: null },
      ],
    };

    const securities = securitiesOf(portfolio, ['third', 'fund', null, 'fund', 'third']);

    const security_id = expect.stringMatching(/^sec_/) as string;
    expect(securities).toEqual([
      { ...members, security_id, close_price: '50.00', close_date: '1970-03-01' },
      { ...members, security_id, close_price: null, close_date: null },
    ]);
    expect(securities[0]?.security_id).not.toBe(securities[1]?.security_id);
  });
});

describe('an investor', () => {
  test('holdings: six, of six securities, each of which is returned once', async (investor) => {
    const { holdings, securities } = await investor.holdings();

    expect([holdings.length, securities.length]).toEqual([6, 6]);
    expect(new Set(securities.map(({ security_id }) => security_id))).toEqual(
      new Set(holdings.map(({ security_id }) => security_id)),
    );
    for (const { account_id, quantity, price, value } of holdings) {
      expect(account_id).toBe(investor.brokerage.id);
      if (price !== null && value !== null)
        expect(decimal(value)).toBe(times(decimal(quantity), decimal(price)));
    }
  });

  test('holdings: holdings and cash add up to the value of the account', async (investor) => {
    const { holdings } = await investor.holdings();
    const { available, current } = investor.brokerage.balances ?? {};

    const values = sum(holdings.map(({ value }) => decimal(value ?? '0')));

    expect(decimal(current ?? '')).toBe(decimal(available ?? '') + values);
  });

  test('holdings: a purchase of today is held as soon as it is returned, and stays so', async () => {
    await using service = await startService();
    const bank = bankOf(service);
    const { id, fp_id } = await bank.link(await service.user(), { persona: 'retiree' });
    const fund = async () => {
      const parts = { params: { link_id: id }, query: { start_date: '2026-03-24', size: 100 } };
      const trade = (await service.call(TRADES, parts)).body.investment_transactions.find(
        ({ type }) => type === 'buy',
      );
      const { holdings, securities } = (await service.call(HOLDINGS, { params: { link_id: id } })).body;
      const { security_id } = securities.find(({ ticker }) => ticker === 'ZZDIV') ?? {};
      const held = holdings.find((each) => each.security_id === security_id);
      return { bought: decimal(trade?.quantity ?? '0'), held: decimal(held?.quantity ?? '') };
    };
    const clock = (body: object) => service.request('PUT /_kyclone/clock', { body });
    // The dividends of a quarter are invested on the 24th of its last month, before the markets close at 21:00.
    await clock({ action: 'set', at: '2026-03-24T12:00:00Z' });
    const before = await fund();
    await clock({ action: 'set', at: '2026-03-24T21:00:00Z' });
    expect(await fund()).toEqual(before);

    await bank.refresh(id, ['investments']);
    await clock({ action: 'advance', by: '2s' });

    const { bought } = await fund();
    expect(bought).toBeGreaterThan(0n);
    const after = { bought, held: before.held + bought };
    expect(await fund()).toEqual(after);
    await bank.reset(id);
    await bank.link(fp_id, { link_id: id });
    expect(await fund()).toEqual(after);
    await clock({ action: 'offset', by: '-12h' });
    await bank.refresh(id, ['investments']);
    await clock({ action: 'advance', by: '2s' });
    expect(await fund()).toEqual(after);
    await clock({ action: 'advance', by: '1d' });
    expect(await fund()).toEqual(after);
  });

  test('holdings: filters by account', async (investor) => {
    const all = await investor.holdings();
    const cash = investor.accounts.filter(({ id }) => id !== investor.brokerage.id).map(({ id }) => id);

    expect(await investor.holdings({ account_ids: `acct_unknown,${investor.brokerage.id}` })).toEqual(all);
    for (const account_ids of [cash.join(','), 'acct_unknown']) {
      expect(await investor.holdings({ account_ids })).toEqual({ holdings: [], securities: [] });
      expect(await investor.trades({ account_ids })).toMatchObject({ total: 0, investment_transactions: [] });
    }
  });

  test('investment_transactions: pages make up the list, and have the securities of their own rows', async (investor) => {
    const all = await investor.trades({ size: 100 });
    const dates = all.investment_transactions.map(({ date }) => date);
    expect(dates).toEqual([...dates].sort().reverse());

    for (const size of [1, 5, 7, 24, 25]) {
      const rows = [];
      for (let page = 1; page <= Math.ceil(24 / size); page++) {
        const answer = await investor.trades({ size, page });
        expect(answer).toMatchObject({ page, size, total: 24 });
        const named = answer.investment_transactions.flatMap(({ security_id }) => security_id ?? []);
        expect(answer.securities.map(({ security_id }) => security_id).sort()).toEqual(
          [...new Set(named)].sort(),
        );
        rows.push(...answer.investment_transactions);
      }
      expect(rows).toEqual(all.investment_transactions);
    }
    expect(await investor.trades({ page: 25, size: 1 })).toEqual({
      page: 25,
      size: 1,
      total: 24,
      investment_transactions: [],
      securities: [],
    });
  });

  test("investment_transactions: return the bank's data", async (investor) => {
    const { investment_transactions } = await investor.trades({ size: 100 });

    const { entries } = await worldOf({ id: investor.link_id }, { persona: 'investor' });
    const textOrNull = (value: Decimal | null, least = 2) =>
      value === null ? null : decimalText(value, least);
    const known = entries.flatMap((entry) => {
      if (entry.ledger !== 'investment') return [];
      const { type, amount, quantity, price, fees, datetime, description } = entry;
      const sums = [decimalText(amount), textOrNull(quantity, 0), textOrNull(price), textOrNull(fees)];
      return [[type, ...sums, datetime, description]];
    });
    const textOf = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
    const members = investment_transactions.map(
      ({ type, amount, quantity, price, fees, datetime, description }) => {
        return [type, amount, quantity, price, fees, datetime, description];
      },
    );
    expect(textOf(members)).toEqual(textOf(known));
  });
});

test('holdings: a link without investments has none', async () => {
  await using service = await startService();
  const params = { link_id: await aChecking(service) };

  expect((await service.call(HOLDINGS, { params })).body).toEqual({ holdings: [], securities: [] });
  expect((await service.call(TRADES, { params })).body).toEqual({
    page: 1,
    size: 50,
    total: 0,
    investment_transactions: [],
    securities: [],
  });
});
