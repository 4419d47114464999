import { expect, test } from 'vitest';
import { tokenBody } from '../../../../src/nouns/client-tokens/commands/client-tokens.ts';

test('tokenBody: members that were not given are not sent', () => {
  expect(tokenBody({ scope: 'vault_card' })).toStrictEqual({ scope: 'vault_card' });
});

test('tokenBody: fields, ttl in seconds and reason by the names of the API', () => {
  expect(tokenBody({ scope: 'decrypt', field: ['id.dob'], ttl: 90_000, reason: 'case 1' })).toEqual({
    scope: 'decrypt',
    fields: ['id.dob'],
    ttl: 90,
    decrypt_reason: 'case 1',
  });
});
