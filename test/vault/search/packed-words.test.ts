import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPackedWords, type Fit } from '../../../src/vault/search/packed-words.ts';

const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'é', 'éa', '日本');
const change = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.uniqueArray(word, { maxLength: 4 }));
const FITS: Readonly<Record<Fit, (own: string, word: string) => boolean>> = {
  whole: (own, asked) => own === asked,
  start: (own, asked) => own.startsWith(asked),
  end: (own, asked) => own.endsWith(asked),
};

test('packed words: finds what a map of lists would, after any changes', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 40 }),
      fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      fc.constantFrom<Fit>('whole', 'start', 'end'),
      (changes, asked, fit) => {
        const packed = createPackedWords();
        const plain = new Map<number, readonly string[]>();
        for (const [entity, words] of changes) {
          packed.set(entity, words);
          plain.set(entity, words);
        }
        const expected = [...plain].filter(([, own]) =>
          asked.every((each) => own.some((one) => FITS[fit](one, each))),
        );
        expect(packed.find(asked, fit).sort()).toEqual(expected.map(([entity]) => entity).sort());
        expect(packed.size).toBe([...plain.values()].filter((words) => words.length > 0).length);
      },
    ),
  );
});

test('packed words: many changes of the same entities keep it small and true', () => {
  const packed = createPackedWords();
  for (let at = 0; at < 30_000; at++) packed.set(1 + (at % 3), [`word${at}`]);

  expect(packed.find(['word29999'], 'whole')).toEqual([1 + (29_999 % 3)]);
  expect(packed.find(['word'], 'start').sort()).toEqual([1, 2, 3]);
  packed.clear();
  expect(packed.find(['word'], 'start')).toEqual([]);
});
