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

test.each([
  '0/30',
  '13/30',
  '00/30',
  '1230',
  '1/3',
  '1/203',
  '1/20300',
  '2030-01',
  '01/2030/1',
  '1 / 30',
  'a/30',
  '001/30',
])('write card.expiration: %s is refused', (value) => {
  expect(refused({ 'card.primary.expiration': value })).toEqual({ 'card.primary.expiration': EXP });
});

test.each(['number_last4', 'issuer', 'expiration_month', 'expiration_year', 'fingerprint'])(
  'write card.%s: derived',
  (field) => {
    expect(refused({ [`card.primary.${field}`]: '1' })).toEqual({ [`card.primary.${field}`]: DRV });
  },
);

test.each([
  ['600722', 'forbrugsforeningen'],
  ['4571', 'dankort'],
  ['5019', 'dankort'],
  ['4026', 'visa_electron'],
  ['417500', 'visa_electron'],
  ['4405', 'visa_electron'],
  ['4508', 'visa_electron'],
  ['4844', 'visa_electron'],
  ['4913', 'visa_electron'],
  ['4917', 'visa_electron'],
  ['34', 'amex'],
  ['37', 'amex'],
  ['300', 'diners_club'],
  ['305', 'diners_club'],
  ['306', 'unknown'],
  ['3095', 'diners_club'],
  ['3094', 'unknown'],
  ['36', 'diners_club'],
  ['38', 'diners_club'],
  ['39', 'diners_club'],
  ['3527', 'unknown'],
  ['3528', 'jcb'],
  ['3589', 'jcb'],
  ['3590', 'unknown'],
  ['2199', 'unknown'],
  ['2200', 'mir'],
  ['2204', 'mir'],
  ['2205', 'unknown'],
  ['5018', 'maestro'],
  ['5020', 'maestro'],
  ['5038', 'maestro'],
  ['5893', 'maestro'],
  ['6304', 'maestro'],
  ['6390', 'maestro'],
  ['6759', 'maestro'],
  ['6760', 'unknown'],
  ['6761', 'maestro'],
  ['6763', 'maestro'],
  ['6764', 'unknown'],
  ['50', 'unknown'],
  ['51', 'master_card'],
  ['55', 'master_card'],
  ['56', 'unknown'],
  ['2220', 'unknown'],
  ['2221', 'master_card'],
  ['2720', 'master_card'],
  ['2721', 'unknown'],
  ['6011', 'discover'],
  ['622125', 'union_pay'],
  ['622126', 'discover'],
  ['622925', 'discover'],
  ['622926', 'union_pay'],
  ['643', 'unknown'],
  ['644', 'discover'],
  ['649', 'discover'],
  ['65', 'discover'],
  ['62', 'union_pay'],
  ['81', 'union_pay'],
  ['417501', 'visa'],
  ['41', 'visa'],
  ['1', 'unknown'],
  ['9', 'unknown'],
])('card issuer: numbers from %s are %s', (prefix, issuer) => {
  expect(cardIssuer(prefix.padEnd(16, '0'))).toBe(issuer);
});
