import { expect, test } from 'vitest';
import { ledgerQuery, intentBody } from '../../../../src/nouns/bank-links/commands/flags.ts';
import { productsOf } from '../../../../src/nouns/bank-links/commands/refreshing.ts';
import type { Client } from '../../../../src/client/client.ts';

const USER = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const BUSINESS = 'fp_bid_7p793EF07xKXHqAeg5VGPj';
/** A client for calls that must be refused, or made, without a request. */
const NOBODY = {} as Client;

test('ledgerQuery: the words of the API', () => {
  expect(ledgerQuery({ account: ['a', 'b'], from: '2026-01-01', to: '2026-01-01', all: false })).toEqual({
    account_ids: 'a,b',
    start_date: '2026-01-01',
    end_date: '2026-01-01',
  });
});

test.each([
  [{ from: '2026-01-02', to: '2026-01-01', all: false }, '--from is after --to'],
  [{ page: 2, all: true }, '--all reads every page: omit --page'],
  [{ size: 2, all: true }, '--all reads every page: omit --size'],
])('ledgerQuery: %j is refused', (flags, message) => {
  expect(() => ledgerQuery(flags)).toThrow(message);
});

test('intentBody: only what was given', async () => {
  expect(await intentBody({ user: USER }, NOBODY)).toEqual({ fp_id: USER });
  expect(await intentBody({ business: BUSINESS, persona: 'thin', institution: 'A' }, NOBODY)).toEqual({
    fp_id: BUSINESS,
    persona: 'thin',
    institution: 'A',
  });
});

test.each([
  [{}, /--user, --business and --link/],
  [{ user: USER, link: 'link_1' }, /--user, --business and --link/],
  [{ user: USER, business: BUSINESS }, /--user, --business and --link/],
])('intentBody: %j is refused', async (wanted, message) => {
  await expect(intentBody(wanted, NOBODY)).rejects.toThrow(message);
});

test('productsOf: those of the link; all of them where it has none', () => {
  const times = { refreshed_at: null, last_attempted_at: null };
  expect(productsOf({ products: { transactions: times, accounts: times } })).toEqual([
    'accounts',
    'transactions',
  ]);
  expect(productsOf({ products: {} })).toHaveLength(5);
});
