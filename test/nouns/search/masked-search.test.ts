/** How a search is shown after it was entered. */
import { expect, test } from 'vitest';
import { maskedSearch, mayBeTaxNumber } from '../../../src/nouns/search/facts.ts';

test.each([
  ['121121212', '*****1212'],
  ['121-12-1212', '*****1212'],
  ['12-3456789', '*****6789'],
  ['tax:121.12.1212 review:needed', 'tax:*****1212 review:needed'],
  ['doe 121 12 1212', 'doe *****1212'],
])('masked search: of %s the last four digits are left', (text, masked) => {
  expect([maskedSearch(text), mayBeTaxNumber(text)]).toEqual([masked, true]);
});

test.each(['(415) 555-0100', '+1 415-555-0100', '4155550100', '1990-02-01', '1212', 'jane doe', ''])(
  'masked search: %s stays as it was typed',
  (text) => {
    expect([maskedSearch(text), mayBeTaxNumber(text)]).toEqual([text, false]);
  },
);
