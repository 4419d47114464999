import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allPages,
  type Ledger,
  type NumberedPage,
} from '../../../../src/nouns/bank-links/commands/ledgers.ts';

type NumbersPage = NumberedPage & { readonly numbers: readonly number[] };
const EVERYTHING = { account_ids: 'acct_1', start_date: '2026-01-01', end_date: undefined };

/** Returns a ledger that grows at its start by `growth` items before each page after the first is read. */
function growingLedger(count: number, growth = 0) {
  const asked: unknown[] = [];
  let list = Array.from({ length: count }, (_, index) => count - index);
  const ledger: Ledger<NumbersPage, number> = {
    noun: 'numbers',
    read(query) {
      const { page = 1, size = 50 } = query;
      if (page > 1)
        list = [...Array.from({ length: growth }, (_, index) => list.length + growth - index), ...list];
      asked.push(query);
      const numbers = list.slice((page - 1) * size, page * size);
      return Promise.resolve({ page, size, total: list.length, numbers });
    },
    entriesOf: ({ numbers }) => numbers,
    idOf: String,
    rowsOf: () => [],
  };
  return { ledger, asked };
}

async function read(ledger: Ledger<NumbersPage, number>): Promise<number[]> {
  const all: number[] = [];
  for await (const { entries } of allPages(ledger, EVERYTHING)) all.push(...entries);
  return all;
}

test.each([
  [0, 1],
  [1, 1],
  [99, 1],
  [100, 1],
  [101, 2],
  [250, 3],
])('allPages: %i entries are read in %i pages, each once and in order', async (count, pages) => {
  const { ledger, asked } = growingLedger(count);
  expect(await read(ledger)).toEqual(Array.from({ length: count }, (_, index) => count - index));
  expect(asked).toEqual(
    Array.from({ length: pages }, (_, index) => ({ ...EVERYTHING, page: index + 1, size: 100 })),
  );
});

test('allPages: new entries meanwhile cause no repetition and no omission', async () => {
  const growing = fc.tuple(fc.integer({ min: 0, max: 450 }), fc.integer({ min: 0, max: 60 }));
  await fc.assert(
    fc.asyncProperty(growing, async ([count, growth]) => {
      const all = await read(growingLedger(count, growth).ledger);
      const shown = new Set(all);
      expect(shown.size).toBe(all.length);
      const left = Array.from({ length: count }, (_, index) => index + 1).filter((one) => !shown.has(one));
      expect(left).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test('allPages: reads a page only when the caller continues', async () => {
  const { ledger, asked } = growingLedger(1_000);
  for await (const { entries } of allPages(ledger, EVERYTHING)) {
    expect(entries).toHaveLength(100);
    break;
  }
  expect(asked).toHaveLength(1);
});
