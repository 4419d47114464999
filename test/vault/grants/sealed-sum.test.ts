/** A set that is authenticated by one sum. Somebody who can write to the database, but has no key, changes the set. */
import { expect, test } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { addToSum, requireSum, startSum } from '../../../src/vault/grants/index.ts';
import { findValue } from '../../../src/storage/statement.ts';
import { aStore } from '../a-store.ts';

const NAME = 'some set';

function aSum(members: readonly string[] = []): Database {
  const { database } = aStore();
  startSum(database, NAME, members);
  return database;
}
const sumIn = (database: Database) => BigInt(`0x${findValue(database, NAME)?.split(' ')[1] ?? ''}`);
const refused = 'list of some set';

test('sum: members are the same in any order, whether they came together or one by one', () => {
  const database = aSum(['a', 'b']);
  addToSum(database, NAME, 'c');
  addToSum(database, NAME, 'a', 'taken out');
  requireSum(database, NAME, ['c', 'b']);
  expect(sumIn(database)).toBe(sumIn(aSumLike(database, ['b', 'c'])));
  addToSum(database, NAME, 'c', 'taken out');
  addToSum(database, NAME, 'b', 'taken out');
  requireSum(database, NAME, []);
  expect(sumIn(database)).toBe(0n);
});

/** The same database, since each has a key of its own. */
function aSumLike(database: Database, members: readonly string[]): Database {
  startSum(database, NAME, members);
  return database;
}

test.each([[['a']], [['a', 'b', 'c']], [['a', 'c']], [['a', 'a']], [[]]])(
  'sum of a and b: %j is refused',
  (members) => {
    expect(() => requireSum(aSum(['a', 'b']), NAME, members)).toThrow(refused);
  },
);

test('sum: a member twice counts twice, and so does not go away', () => {
  const database = aSum(['a', 'b', 'b']);
  expect(() => requireSum(database, NAME, ['a'])).toThrow(refused);
  expect(() => requireSum(database, NAME, ['a', 'c', 'c'])).toThrow(refused);
});

test('sum: other members that solve the linear equations of earlier sums are refused', () => {
  // One of each pair stays; the other was a member once, so that its part of a sum is known.
  const pairs = Array.from({ length: 300 }, (_, index) => [`stays ${index}`, `goes ${index}`] as const);
  const database = aSum();
  const known = new Map<string, bigint>();
  const note = (member: string, change?: 'taken out') => {
    const before = sumIn(database);
    addToSum(database, NAME, member, change);
    known.set(member, before ^ sumIn(database));
  };
  for (const [stays, goes] of pairs) {
    note(goes);
    addToSum(database, NAME, goes, 'taken out');
    note(stays);
  }
  const differences = pairs.map(([stays, goes]) => (known.get(stays) ?? 0n) ^ (known.get(goes) ?? 0n));

  const exchanged = dependent(differences);
  const members = pairs.map(([stays, goes], index) => (exchanged.has(index) ? goes : stays));

  // Only sums that are linear have a solution.
  if (exchanged.size > 0) expect(() => requireSum(database, NAME, members)).toThrow(refused);
  requireSum(
    database,
    NAME,
    pairs.map(([stays]) => stays),
  );
});

/** The places of vectors over GF(2) whose sum is zero; none if they are independent. */
function dependent(vectors: readonly bigint[]): ReadonlySet<number> {
  const basis = new Map<number, { vector: bigint; from: Set<number> }>();
  for (const [index, first] of vectors.entries()) {
    let vector = first;
    const from = new Set([index]);
    while (vector !== 0n) {
      const top = vector.toString(2).length;
      const known = basis.get(top);
      if (known === undefined) {
        basis.set(top, { vector, from });
        break;
      }
      vector ^= known.vector;
      for (const each of known.from) if (!from.delete(each)) from.add(each);
    }
    if (vector === 0n) return from;
  }
  return new Set();
}
