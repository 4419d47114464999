import { expect, test } from 'vitest';
import { PLAIN } from '../../src/cli/shell/output.ts';
import { errorListView } from '../../src/cli/commands/errors.ts';
import { transformListView } from '../../src/cli/commands/transform.ts';
import { identifierView } from '../../src/nouns/vault/commands/index.ts';
import { eventKindView } from '../../src/nouns/webhooks/commands/view.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { eventCatalogue } from '../../src/fixtures/event-catalogue.ts';
import { identifierCatalogue } from '../../src/vault/identifiers/catalogue.ts';
import { transformCatalogue } from '../../src/vault/transforms/reference.ts';

const LISTS = {
  identifiers: identifierView(identifierCatalogue(), PLAIN),
  transforms: transformListView(transformCatalogue(), PLAIN),
  kinds: eventKindView(eventCatalogue('service'), PLAIN),
  errors: errorListView(
    Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry })),
    PLAIN,
  ),
};

test.each(Object.entries(LISTS))('%s: the list fits 80 columns', (_, list) => {
  expect(list.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('identifierView: a name and its mask, below them rule, origin and example', () => {
  expect(LISTS.identifiers).toContain('id.ssn9                                             ***6789\n');
  expect(LISTS.identifiers).toMatch(
    /^ {4}9 digits; hyphens and blanks are removed; searchable; mask: last four$/m,
  );
  expect(LISTS.identifiers.replace(/\s+/g, ' ')).toContain('read-only; derived from card.<alias>.number;');
});

test('transformListView: each example with what comes of it', () => {
  expect(LISTS.transforms.replace(/\s+/g, ' ')).toContain('suffix(4) of 123456789: 6789');
});
