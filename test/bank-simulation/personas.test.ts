import { describe, expect, test } from 'vitest';
import { ACCOUNT_TYPES } from '../../src/nouns/bank-links/facts.ts';
import { MERCHANTS } from '../../src/fixtures/bank-personas/index.ts';
import { dayOf, startOfDay } from '../../src/kernel/time/civil-date.ts';
import { decimal } from '../../src/kernel/numbers/decimal.ts';
import { createBankSimulation, PERSONAS } from '../../src/bank-simulation/index.ts';
import {
  accountOf,
  ANCHOR,
  bankEntries,
  live,
  planOf,
  runningBalances,
  SMALL_PERSONAS,
} from './a-simulation.ts';

const CHECKING = 'depository.checking';
const SAVINGS = 'depository.savings';
const CARD = 'liability.credit_card';

/** The table of contract §7.3. Where it leaves a history open, the length is our choice. */
const TABLE: [persona: string, days: number, accounts: string[]][] = [
  ['default', 540, [CHECKING, SAVINGS, CARD]],
  ['thin', 10, [CHECKING]],
  ['investor', 180, [CHECKING, 'investment.brokerage']],
  ['business', 180, [CHECKING, 'liability.line_of_credit']],
  ['overdrawn', 180, [CHECKING]],
  ['closed', 365, [CHECKING, SAVINGS]],
  ['empty', 30, [CHECKING]],
  ['gig', 365, [CHECKING, SAVINGS]],
  ['student', 180, [CHECKING, 'liability.student_loan']],
  ['retiree', 365, [CHECKING, SAVINGS, 'investment.ira']],
  ['joint', 540, [CHECKING, CHECKING, 'liability.mortgage', CARD]],
  ['multi_currency', 180, [CHECKING, CHECKING, CHECKING]],
  ['large', 1095, [CHECKING]],
  ['broken', 0, []],
];

const SEEDS = ['one', 'two', 'three'];

test('bank_links: the fourteen personas of the contract, in its order', () => {
  expect(PERSONAS.map(({ name }) => name)).toEqual(TABLE.map(([name]) => name));
  expect(new Set(PERSONAS.map(({ description }) => description)).size).toBe(14);
  expect(PERSONAS.filter(({ error }) => error !== null)).toMatchObject([
    { name: 'broken', error: 'institution_error' },
  ]);
  expect(() => createBankSimulation('nobody', { seed: 'a', anchor: ANCHOR })).toThrow('No such persona');
});

test.each(TABLE)('bank_links: %s has a history of %i days and its accounts', (persona, days, accounts) => {
  const world = createBankSimulation(persona, { seed: 'a seed', anchor: ANCHOR });
  expect(world.begin().through).toBe(ANCHOR - days - 1);
  expect(world.accounts.map(({ account_type }) => account_type)).toEqual(accounts);
  expect(ACCOUNT_TYPES).toEqual(expect.arrayContaining(accounts));
});

describe('purpose of each persona', () => {
  test.each(SEEDS)(
    'bank_links: thin was opened ten days ago with nothing, and has three transactions, then about one a week (%s)',
    (seed) => {
      const life = live('thin', { seed });
      expect(life.entries).toHaveLength(3);
      expect(accountOf(life, 'checking').opening).toBe(0n);
      expect(life.entries[0]).toMatchObject({ type: 'credit', description: 'Opening deposit' });
      expect(dayOf(life.entries[0]?.at ?? 0)).toBe(ANCHOR - 10);
      const later = live('thin', { seed, daysAfter: 364 }).entries.length - 3;
      expect(later).toBeGreaterThanOrEqual(52);
      expect(later).toBeLessThanOrEqual(70);
    },
  );

  test('bank_links: large has exactly 50,000 transactions, continues at that rate, and never runs out of money', () => {
    const life = live('large', { daysAfter: 219 });
    expect(life.entries.filter(({ at }) => at < startOfDay(ANCHOR))).toHaveLength(50_000);
    expect(life.entries).toHaveLength(60_000);
    expect(runningBalances(life, 'checking').filter((balance) => balance <= 0n)).toEqual([]);
  });

  test('bank_links: empty stays empty', () => {
    const life = live('empty', { daysAfter: 400 });
    expect(life.entries).toEqual([]);
    expect(accountOf(life, 'checking').opening).toBe(0n);
  });

  test('bank_links: broken has no data, and its days pass', () => {
    expect(live('broken', { daysAfter: 3 })).toMatchObject({ entries: [], state: { through: ANCHOR + 2 } });
  });

  test('bank_links: multi_currency keeps each account in its own currency', () => {
    const life = live('multi_currency');
    expect(life.world.accounts.map(({ currency }) => currency)).toEqual(['USD', 'EUR', 'GBP']);
    for (const entry of life.entries) expect(entry.currency).toBe(accountOf(life, entry.account).currency);
    expect(new Set(life.entries.map(({ currency }) => currency)).size).toBe(3);
  });

  test('bank_links: gig lives on many incomes of different sizes', () => {
    const incomes = bankEntries(live('gig')).filter(
      ({ account, type }) => account === 'checking' && type === 'credit',
    );
    expect(incomes.length).toBeGreaterThan(365);
    expect(new Set(incomes.map(({ amount }) => amount)).size).toBeGreaterThan(300);
  });
});

test('bank_links: optional members of the spec are null for some and set for others', () => {
  const lives = SMALL_PERSONAS.map((persona) => live(persona));
  const accounts = lives.flatMap(({ world }) => world.accounts);
  const entries = lives.flatMap(bankEntries);
  for (const member of ['nickname', 'mask', 'closed', 'limit', 'numbers'] as const) {
    expect(new Set(accounts.map((account) => account[member] === null)), member).toEqual(
      new Set([true, false]),
    );
  }
  for (const member of ['datetime', 'description', 'raw_description', 'enrichment', 'posts_at'] as const) {
    expect(new Set(entries.map((entry) => entry[member] === null)), member).toEqual(new Set([true, false]));
  }
  const enriched = entries.flatMap(({ enrichment }) => enrichment ?? []);
  for (const member of ['merchant', 'processor'] as const) {
    expect(new Set(enriched.map((each) => each[member] === null)), member).toEqual(new Set([true, false]));
  }
  expect(
    new Set(enriched.flatMap(({ merchant }) => merchant ?? []).map(({ logo }) => logo === null)).size,
  ).toBe(2);
});

test('bank_links: enrichment carries confidences as decimals, and ids that stay', () => {
  const enriched = bankEntries(live('joint')).flatMap(({ enrichment }) => enrichment ?? []);
  const parts = enriched.flatMap((each) => Object.values(each)).filter((part) => part !== null);
  for (const confidence of new Set(parts.map((part) => part.confidence))) {
    expect(confidence).toMatch(/^0\.\d\d$/);
  }
  const ids = new Set(enriched.flatMap(({ merchant }) => merchant?.id ?? []));
  expect(ids).toContain('merchant_green_basket');
  expect([...ids].filter((id) => !/^merchant_[a-z_]+$/.test(id))).toEqual([]);
});

test('bank_links: plans are whole: unique keys, known merchants, hours within one day of UTC', () => {
  for (const name of SMALL_PERSONAS.concat('large')) {
    const { flows, accounts, utc_offset } = planOf(name);
    const unique = (keys: string[]) => expect(new Set(keys).size, name).toBe(keys.length);
    unique(flows.map(({ key }) => key));
    unique(accounts.map(({ key }) => key));
    expect(utc_offset).toMatch(/^[+-]\d\d:00$/);
    for (const { hours = [7, 18] } of flows) {
      const [from, before] = hours.map((hour) => hour - Number(utc_offset.slice(0, 3)));
      expect(from, name).toBeGreaterThanOrEqual(0);
      expect(before, name).toBeLessThanOrEqual(24);
    }
  }
  for (const { amount, confidence } of Object.values(MERCHANTS)) {
    expect(decimal(amount[0])).toBeLessThanOrEqual(decimal(amount[1]));
    for (const each of confidence) expect(each).toMatch(/^0\.\d\d$/);
  }
});
