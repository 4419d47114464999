import { expect, test } from 'vitest';
import { ROUTING, cleaned, refused } from './a-vault.ts';
import { DIG, DRV, ENUM, LEN, SUM } from './reasons.ts';

/** Published routing numbers of US banks. */
test.each([ROUTING, '011401533', '091000019', '121000358'])(
  'write bank.ach_routing_number: %s has a good checksum',
  (number) => {
    const name = 'bank.salary.ach_routing_number';
    expect(cleaned(name, number)).toBe(number);
    const last = (Number(number.at(-1)) + 1) % 10;
    expect(refused({ [name]: `${number.slice(0, -1)}${last}` })).toEqual({ [name]: SUM });
  },
);

test('write bank.ach_routing_number: nine digits, no separators', () => {
  const name = 'bank.salary.ach_routing_number';
  expect(refused({ [name]: '02100002' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '0210-00021' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '0210-0002' })).toEqual({ [name]: DIG });
});

test('write bank.ach_account_number: 4 to 17 digits without separators', () => {
  const name = 'bank.salary.ach_account_number';
  expect(cleaned(name, '12-34 56')).toBe('123456');
  expect(cleaned(name, '1234')).toBe('1234');
  expect(cleaned(name, '1'.repeat(17))).toBe('1'.repeat(17));
  expect(refused({ [name]: '1-2-3' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '1'.repeat(18) })).toEqual({ [name]: LEN });
  expect(refused({ [name]: 'DE12345' })).toEqual({ [name]: DIG });
});

test('write bank.account_type: checking or savings', () => {
  const name = 'bank.salary.account_type';
  expect(cleaned(name, 'checking')).toBe('checking');
  expect(cleaned(name, 'savings')).toBe('savings');
  expect(refused({ [name]: 'Savings' })).toEqual({ [name]: ENUM });
});

test('write bank.fingerprint: derived', () => {
  expect(refused({ 'bank.salary.fingerprint': 'x' })).toEqual({ 'bank.salary.fingerprint': DRV });
});
