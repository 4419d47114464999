import { expect, test } from 'vitest';
import { tokenBody } from '../../../src/cli/tokens/client-tokens.ts';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { secondsFlag } from '../../../src/cli/shell/flags.ts';

test('tokenBody: members that were not given are not sent', () => {
  expect(tokenBody({ scope: 'vault_card' })).toStrictEqual({ scope: 'vault_card' });
});

test('tokenBody: fields, ttl and reason by the names of the API', () => {
  expect(tokenBody({ scope: 'decrypt', field: ['id.dob'], ttl: 90, reason: 'case 1' })).toEqual({
    scope: 'decrypt',
    fields: ['id.dob'],
    ttl: 90,
    decrypt_reason: 'case 1',
  });
});

const { parse } = secondsFlag({ name: 'ttl' });
const seconds = async (text: string) =>
  await (parse as (text: string, context: unknown, options: { name: string }) => Promise<number>)(
    text,
    {},
    { name: 'ttl' },
  );

test.each([
  ['1800', 1800],
  ['90s', 90],
  ['30m', 1800],
  ['2h', 7200],
  ['1d', 86_400],
  ['0', 0],
])('secondsFlag: %s is %i seconds', async (text, expected) => {
  expect(await seconds(text)).toBe(expected);
});

test.each(['', 'm', '1.5h', '-1', '30 m', '30min', '1e3', '9999999999'])(
  'secondsFlag: refuses %j without repeating it',
  async (text) => {
    const failure = await seconds(text).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as Error).message).toBe('--ttl takes seconds, or a number with s, m, h or d: 30m');
  },
);
