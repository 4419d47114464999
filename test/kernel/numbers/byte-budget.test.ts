import { expect, test } from 'vitest';
import { createByteBudget, SHARE_BYTES } from '../../../src/kernel/numbers/byte-budget.ts';

const overloaded = expect.objectContaining({ code: 'overloaded', headers: { 'retry-after': '1' } }) as Error;
const aBudget = (heldBytes: number, waitMs = 60_000) => createByteBudget({ heldBytes, waitMs });

test('each request holds its own share uncounted, and is never refused it', () => {
  const budget = aBudget(100);
  budget.begin().take(SHARE_BYTES + 100);

  budget.begin().take(SHARE_BYTES);

  expect(budget.held).toBe(100);
});

test('what is over the budget is refused, and goes once others hold less', () => {
  const budget = aBudget(100);
  const first = budget.begin();
  first.take(SHARE_BYTES + 60);
  const second = budget.begin();

  expect(() => second.take(SHARE_BYTES + 41)).toThrow(overloaded);
  first.give(20);
  second.take(SHARE_BYTES + 41);
  expect(budget.held).toBe(81);
  first.free();
  first.free();
  second.free();

  expect([budget.held, budget.peak]).toEqual([0, 81]);
});

test('one that is larger than the whole budget has its turn when it is alone', () => {
  const budget = aBudget(100);
  const small = budget.begin();
  small.take(SHARE_BYTES + 1);
  const large = budget.begin();

  expect(() => large.take(SHARE_BYTES + 500)).toThrow(overloaded);
  small.free();
  large.take(SHARE_BYTES + 500);

  expect(budget.held).toBe(500);
});

test('reservations wait for room in the order they came, and a small one passes no large one', async () => {
  const budget = aBudget(100);
  const first = budget.begin();
  first.take(SHARE_BYTES + 80);
  const order: string[] = [];
  const large = budget.begin();
  const waits = [
    large.reserve(SHARE_BYTES + 90).then(() => order.push('large')),
    budget
      .begin()
      .reserve(SHARE_BYTES + 10)
      .then(() => order.push('small')),
  ];
  await Promise.resolve();
  expect(order).toEqual([]);

  first.free();
  await Promise.all(waits);

  expect(order).toEqual(['large', 'small']);
});

test('a reservation that has waited long enough is refused, and blocks no other', async () => {
  const budget = aBudget(100, 20);
  budget.begin().take(SHARE_BYTES + 80);
  const small = new Promise<void>((resolve, reject) => {
    setTimeout(
      () =>
        void budget
          .begin()
          .reserve(SHARE_BYTES + 10)
          .then(resolve, reject),
      5,
    );
  });

  await expect(budget.begin().reserve(SHARE_BYTES + 90)).rejects.toThrow(overloaded);
  await small;

  expect(budget.held).toBe(90);
});
