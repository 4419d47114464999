import { expect, test } from 'vitest';
import { cardIssuer } from '../../../src/vault/identifiers/payment.ts';
import { AMEX, ROUTING, VISA, cleaned, refused } from './a-vault.ts';
import { SUM } from './reasons.ts';
import { words } from '../../support/words.ts';

const CARD = 'card.primary.number';
const BANK = 'bank.salary.ach_routing_number';

/** Luhn-valid test numbers published by card processors, and routing numbers of US banks. */
const NUMBERS = {
  [CARD]: [
    VISA,
    AMEX,
    ...words`5555555555554444 30569309025904 6011111111111117 3530111333300000 4222222222222`,
  ],
  [BANK]: [ROUTING, '011401533', '091000019', '121000358'],
};

test.each(
  Object.entries(NUMBERS).flatMap(([name, numbers]) => numbers.map((number) => [name, number] as const)),
)('write %s: %s has a good checksum', (name, number) => {
  const wrong = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`;
  expect(cleaned(name, number)).toBe(number);
  expect(refused({ [name]: wrong })).toEqual({ [name]: SUM });
  if (name === BANK) return;
  expect(cleaned(name, number.replace(/(\d{4})/g, '$1 '))).toBe(number);
  expect(cleaned(name, number.replace(/(\d{4})/g, '$1-'))).toBe(number);
  expect(cleaned(name, wrong, { skipLuhn: true })).toBe(wrong);
});

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
