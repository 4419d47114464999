import { expect, test } from 'vitest';
import { cardIssuer } from '../../../src/vault/identifiers/payment.ts';
import { AMEX, VISA, cleaned, refused } from './a-vault.ts';
import { DIG, DRV, EXP, LEN, SUM } from './reasons.ts';

/** Luhn-valid test numbers published by card processors. */
test.each([
  VISA,
  AMEX,
  '5555555555554444',
  '30569309025904',
  '6011111111111117',
  '3530111333300000',
  '4222222222222',
])('write card.number: %s has a good checksum', (number) => {
  expect(cleaned('card.primary.number', number.replace(/(\d{4})/g, '$1 '))).toBe(number);
  expect(cleaned('card.primary.number', number.replace(/(\d{4})/g, '$1-'))).toBe(number);
  const last = (Number(number.at(-1)) + 1) % 10;
  const wrong = `${number.slice(0, -1)}${last}`;
  expect(refused({ 'card.primary.number': wrong })).toEqual({ 'card.primary.number': SUM });
  expect(cleaned('card.primary.number', wrong, { skipLuhn: true })).toBe(wrong);
});

test('write card.number: 12 to 19 digits, also when the checksum is skipped', () => {
  const name = 'card.primary.number';
  for (const options of [{}, { skipLuhn: true }]) {
    expect(cleaned(name, '0'.repeat(12), options)).toBe('0'.repeat(12));
    expect(cleaned(name, '0'.repeat(19), options)).toBe('0'.repeat(19));
    expect(refused({ [name]: '0'.repeat(11) }, options)).toEqual({ [name]: LEN });
    expect(refused({ [name]: '0'.repeat(20) }, options)).toEqual({ [name]: LEN });
    expect(refused({ [name]: '4111x11111111111' }, options)).toEqual({ [name]: DIG });
  }
});

test('write card.cvc: three or four digits', () => {
  const name = 'card.primary.cvc';
  expect(cleaned(name, ' 012 ')).toBe('012');
  expect(cleaned(name, '0123')).toBe('0123');
  expect(refused({ [name]: '12' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '12345' })).toEqual({ [name]: LEN });
  expect(refused({ [name]: '12a' })).toEqual({ [name]: DIG });
});

test.each([
  ['1/30', '01/2030'],
  ['01-30', '01/2030'],
  ['12/2030', '12/2030'],
  ['9-1999', '09/1999'],
  ['12/99', '12/2099'],
])('write card.expiration: %s is stored as %s', (value, stored) => {
  expect(cleaned('card.primary.expiration', value)).toBe(stored);
});

test.each(['1 / 30', ...'0/30 13/30 00/30 1230 1/3 1/203 1/20300 2030-01 01/2030/1 a/30 001/30'.split(' ')])(
  'write card.expiration: %s is refused',
  (value) => {
    expect(refused({ 'card.primary.expiration': value })).toEqual({ 'card.primary.expiration': EXP });
  },
);

test.each(['number_last4', 'issuer', 'expiration_month', 'expiration_year', 'fingerprint'])(
  'write card.%s: derived',
  (field) => {
    expect(refused({ [`card.primary.${field}`]: '1' })).toEqual({ [`card.primary.${field}`]: DRV });
  },
);

test.each([
  ['forbrugsforeningen', '600722'],
  ['dankort', '4571 5019'],
  ['visa_electron', '4026 417500 4405 4508 4844 4913 4917'],
  ['amex', '34 37'],
  ['diners_club', '300 305 3095 36 38 39'],
  ['unknown', '306 3094 3527 3590 2199 2205 6760 6764 50 56 2220 2721 643 1 9'],
  ['jcb', '3528 3589'],
  ['mir', '2200 2204'],
  ['maestro', '5018 5020 5038 5893 6304 6390 6759 6761 6763'],
  ['master_card', '51 55 2221 2720'],
  ['discover', '6011 622126 622925 644 649 65'],
  ['union_pay', '622125 622926 62 81'],
  ['visa', '417501 41'],
])('card issuer: %s has numbers from %s', (issuer, prefixes) => {
  for (const prefix of prefixes.split(' ')) expect(cardIssuer(prefix.padEnd(16, '0')), prefix).toBe(issuer);
});
