import { expect, test } from 'vitest';
import { VaultError } from '../../src/form/errors.ts';
import { summaryOf } from '../../src/form/messages.ts';

const EXPIRED = 'The token has expired. Nothing was done; ask for a new one.';

test.each<[string, ConstructorParameters<typeof VaultError>, string[], [string, string][], string]>([
  ['an expired token', ['token_expired', 'whatever'], [], [], EXPIRED],
  ['marked fields', ['T120', 'not valid'], ['SSN', 'Born'], [], 'Please correct: SSN, Born.'],
  ['what is not permitted', ['permission_denied', 'no'], ['SSN'], [], 'Not permitted: SSN.'],
  [
    'what was refused without a field, with what is wrong with it',
    ['T120', 'not valid'],
    ['SSN'],
    [['id.itin', 'cannot be set']],
    'Please correct: SSN. id.itin: cannot be set.',
  ],
  [
    'any other refusal, as the service words it',
    ['storage_full', 'No space is left'],
    [],
    [],
    'No space is left.',
  ],
  ['a code that names a member of every object', ['constructor', 'Odd'], [], [], 'Odd.'],
])('summaryOf: %s', (_, error, marked, elsewhere, summary) => {
  expect(summaryOf(new VaultError(...error), marked, elsewhere)).toBe(summary);
});
