/** How a search describes what it looked for. */
import { expect, test } from 'vitest';
import { READABLE_DATE } from '../../src/nouns/search/facts.ts';
import { searchedAs } from '../../src/nouns/search/facts.ts';

test('searchedAs: a part that is no date is named first, with how to say one', () => {
  const noDate = { searched_by: 'date_of_birth', needs: READABLE_DATE } as const;
  expect(searchedAs(['name'], [noDate])).toMatch(
    /^A part can't be read as a date: say .*30 Dec 1988.*\. Looked for as name;/,
  );
  expect(searchedAs(['name'], [])).toMatch(/^Looked for as name;/);
});

test('searchedAs: a text that was looked for nowhere is not "looked for as nothing"', () => {
  expect(searchedAs([], [])).toBe('Nothing was looked for');
  expect(searchedAs([], [{ searched_by: 'external_id', needs: '3 characters of it' }])).toBe(
    'Nothing was looked for; as external id it needs 3 characters of it',
  );
});
