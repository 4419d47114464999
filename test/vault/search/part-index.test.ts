/** The index of parts gives the same results as a slow scan, after any write, rollback, deletion or reset. */
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { foundIds } from '../../support/searching.ts';
import { startService, type TestService } from '../../support/service.ts';
import { fakeTimers } from '../../support/fake-timers.ts';
import '../../support/tier-all.ts';

const FIRST = ['Jane', 'Janet', 'Zoë', 'Ann Marie'];
const LAST = ['Doe', 'Doerr', "O'Neil"];

type Step =
  | {
      readonly kind: 'create' | 'write';
      readonly at: number;
      readonly first: string | null;
      readonly last: string;
    }
  | { readonly kind: 'delete' | 'clear' | 'refused'; readonly at: number }
  | { readonly kind: 'reset' | 'rotate' | 'look'; readonly at: number };

const at = fc.nat(6);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('create' as const, 'write' as const),
      at,
      first: fc.option(fc.constantFrom(...FIRST)),
      last: fc.constantFrom(...LAST),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'clear' as const, 'refused' as const),
      at,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reset' as const, 'rotate' as const), at }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'look' as const, at: 0 }) },
);

interface Person {
  readonly fp_id: string;
  first: string | null;
  last: string | null;
}

/** Compares each search word with each word that the test wrote. */
function scanned(people: readonly Person[], ...words: string[]): string[] {
  const folded = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/\p{Mn}|'/gu, '')
      .toLowerCase();
  return people
    .filter(({ first, last }) => {
      const own = folded(`${first ?? ''} ${last ?? ''}`).split(' ');
      return words.every((word) => own.some((each) => each.startsWith(word)));
    })
    .map(({ fp_id }) => fp_id)
    .sort();
}

async function take(service: TestService, people: Person[], step: Step): Promise<void> {
  if (step.kind === 'create') {
    const { first, last } = step;
    const fp_id = await service.user({
      ...(first !== null && { 'id.first_name': first }),
      'id.last_name': last,
    });
    people.push({ fp_id, first, last });
    return;
  }
  if (step.kind === 'reset') {
    await service.call('POST /_kyclone/reset');
    people.length = 0;
  } else if (step.kind === 'rotate') await service.call('POST /_kyclone/keyring/rotate');
  else if (step.kind === 'look') {
    expect((await foundIds(service, 'name:jan')).sort()).toEqual(scanned(people, 'jan'));
    expect((await foundIds(service, 'name:"doe zoe"')).sort()).toEqual(scanned(people, 'doe', 'zoe'));
    expect((await foundIds(service, 'name:onei')).sort()).toEqual(scanned(people, 'onei'));
  } else {
    const person = people[step.at];
    if (!person) return;
    const params = { fp_id: person.fp_id };
    if (step.kind === 'write') {
      const body = { ...(step.first !== null && { 'id.first_name': step.first }), 'id.last_name': step.last };
      await service.call('PATCH /users/{fp_id}/vault', { params, body });
      person.first = step.first ?? person.first;
      person.last = step.last;
    } else if (step.kind === 'clear') {
      await service.call('DELETE /users/{fp_id}/vault', { params, body: { fields: ['id.last_name'] } });
      person.last = null;
    } else if (step.kind === 'refused') {
      // The write is refused inside its job, so the transaction is rolled back.
      const taken = { 'id.first_name': 'Janus', 'id.dob': 'never' };
      await service.refused('PATCH /users/{fp_id}/vault', { params, body: taken });
    } else {
      await service.call('DELETE /users/{fp_id}', { params });
      people.splice(step.at, 1);
    }
  }
}

test('part index: equals a scan after random writes, deletions, refusals, resets and rotations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
      await using service = await startService();
      const people: Person[] = [];
      await take(service, people, { kind: 'look', at: 0 });
      for (const each of steps) await take(service, people, each);
      await take(service, people, { kind: 'look', at: 0 });
    }),
    { numRuns: 25 },
  );
});

/** Counts the entries of the temporary schema that hold the notes of changes. They are in no file. */
function notes(service: TestService): unknown {
  const sql = "SELECT count(*) AS notes FROM sqlite_temp_schema WHERE name LIKE 'search%'";
  return service.database.prepare(sql).get();
}

test('part index: what is rolled back was never there', async () => {
  await using service = await startService();
  const fp_id = await service.user({ 'id.first_name': 'Jane' });
  expect(await foundIds(service, 'jane')).toEqual([fp_id]);

  service.database.exec('BEGIN; DELETE FROM entities; ROLLBACK');

  expect(await foundIds(service, 'jane')).toEqual([fp_id]);
  service.database.exec('DELETE FROM entities');
  expect(await foundIds(service, 'jane')).toEqual([]);
});

test('part index: five idle minutes end it, and a write notes nothing any more', async () => {
  const endFaking = fakeTimers('setTimeout', 'clearTimeout');
  try {
    await using service = await startService();
    await service.user({ 'id.first_name': 'Jane' });
    expect(notes(service)).toEqual({ notes: 0 });
    await foundIds(service, 'jane');
    vi.advanceTimersByTime(4 * 60_000);
    await foundIds(service, 'jane');
    vi.advanceTimersByTime(4 * 60_000);
    expect(notes(service)).toEqual({ notes: 4 });

    vi.advanceTimersByTime(60_001);

    expect(notes(service)).toEqual({ notes: 0 });
  } finally {
    endFaking();
  }
});
