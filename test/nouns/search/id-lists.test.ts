import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { greatestBelow, has, idList, inAll, inAny } from '../../../src/nouns/search/service/index.ts';

const ids = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });

test('id lists: they hold what sets of the same ids would, in their order', () => {
  fc.assert(
    fc.property(
      fc.array(ids, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 31 }),
      fc.integer({ min: 0, max: 5 }),
      (given, before, most) => {
        const lists = given.map(idList);
        const sets = given.map((each) => new Set(each));
        const sorted = (of: Iterable<number>) => [...of].sort((one, other) => one - other);
        const every = sorted(new Set(given.flat()));

        expect(lists.map((list) => [...list])).toEqual(sets.map(sorted));
        expect([...inAny(lists)]).toEqual(every);
        expect([...inAll(lists)]).toEqual(every.filter((id) => sets.every((set) => set.has(id))));
        expect(every.filter((id) => has(inAny(lists.slice(1)), id))).toEqual(
          sorted(new Set(given.slice(1).flat())),
        );
        expect(greatestBelow(inAny(lists), before, most)).toEqual(
          every
            .filter((id) => id < before)
            .reverse()
            .slice(0, most),
        );
      },
    ),
  );
});

test('id lists: of no lists there is nothing', () => {
  expect([...inAny([]), ...inAll([]), ...idList([])]).toEqual([]);
});
