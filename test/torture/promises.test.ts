/** A few rounds of promises that `npm run torture` tries for longer: kills under load, damaged stores, a new root key. */
import { expect, test } from 'vitest';
import { damagedPages } from './promises/damaged-pages.ts';
import { rotation } from './promises/keys-and-copies.ts';
import { killNine } from './promises/kill-nine.ts';
import { tryPromise } from './try-promise.ts';
import '../support/tier-all.ts';

test.each([
  { promise: killNine, rounds: 2 },
  { promise: damagedPages, rounds: 2 },
  { promise: rotation, rounds: 2 },
])('$promise.name: $promise.says', async ({ promise, rounds }) => {
  const budget = { seed: 'suite', milliseconds: 0, rounds, isStrict: true };
  expect(await tryPromise(promise, budget)).toMatchObject({ verdict: 'ok', rounds });
});
