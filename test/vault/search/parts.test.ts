import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEARCHED_PARTS, wordsOfPart } from '../../../src/vault/search/parts.ts';

const wordOf = (date: string) => wordsOfPart('date_of_birth', [['id.dob', date]])[0] ?? '';
const aDate = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

test('date_of_birth: each day has a word of its own, of four printable characters without a blank', () => {
  fc.assert(
    fc.property(aDate, aDate, (one, other) => {
      expect(wordOf(one)).toMatch(/^[!-~]{4}$/);
      expect(wordOf(one) === wordOf(other)).toBe(one === other);
    }),
  );
  expect(wordOf('0001-01-01')).not.toBe(wordOf('0001-01-02'));
});

test('date_of_birth: a day is looked for by the word that it is kept as', () => {
  const { sought } = SEARCHED_PARTS.date_of_birth;
  fc.assert(fc.property(aDate, (date) => sought?.(date) === wordOf(date)));
});
