/**
 * What makes a person or a company provably made up, whatever their name: numbers from ranges that are given to nobody,
 * and names of hosts that are kept for examples. The n-th of a seed is always the same, however many are asked for.
 */
import type { Faker } from '@faker-js/faker';
import { PLACES, type City } from '../../fixtures/places.ts';
import type { JsonValue } from '../../kernel/json.ts';

export type Body = Readonly<Record<string, JsonValue>>;

export interface Which {
  readonly seed: number;
  /** From 0. */
  readonly index: number;
}

/** Kept for examples (RFC 2606). */
const EXAMPLE_HOSTS = ['example.com', 'example.org', 'example.net'] as const;

/** Loaded when somebody wants people, by nobody else. */
export async function loadFaker(): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en');
  return faker;
}

/** Draws begin anew for each of a seed. */
export function beginWith(faker: Faker, { seed, index }: Which, kind: number): void {
  faker.seed([seed, index, kind]);
}

/**
 * Nine digits that are no social security number (none begins with 9) and no taxpayer number of the other kind (its
 * fourth and fifth digit are 50 or more). Of one seed no two are alike below 48 million.
 */
export function unissuedSsn(which: Which): string {
  const at = spread(which, 100 * 49 * 9_999);
  const area = 900 + (at % 100);
  const group = 1 + (Math.floor(at / 100) % 49);
  const serial = 1 + Math.floor(at / 4_900);
  return `${area}${String(group).padStart(2, '0')}${String(serial).padStart(4, '0')}`;
}

/** First two digits that the tax office's list of the prefixes of employer numbers leaves out. */
const UNASSIGNED_TIN_PREFIXES = [
  '07',
  '08',
  '09',
  '17',
  '18',
  '19',
  '28',
  '29',
  '49',
  '69',
  '70',
  '78',
  '79',
  '89',
  '96',
  '97',
];

export function unissuedTin(which: Which): string {
  const at = spread(which, UNASSIGNED_TIN_PREFIXES.length * 10_000_000);
  const prefix = UNASSIGNED_TIN_PREFIXES[at % UNASSIGNED_TIN_PREFIXES.length] ?? '07';
  return prefix + String(Math.floor(at / UNASSIGNED_TIN_PREFIXES.length)).padStart(7, '0');
}

/** 555-0100 to 555-0199 are kept for fiction in every area. */
export function fictionalPhone({ area }: City, which: Which): string {
  return `+1${area}55501${String(spread(which, 100)).padStart(2, '0')}`;
}

/** Seeds apart, indices each at a place of its own: the factor has no divisor in common with `size`. */
function spread({ seed, index }: Which, size: number): number {
  const factor = 7_654_321n;
  const start = BigInt(seed) * 1_000_003n;
  return Number((start + BigInt(index) * factor) % BigInt(size));
}

export function somePlace(faker: Faker): City {
  return faker.helpers.arrayElement(PLACES);
}

export function streetAddress(faker: Faker): string {
  return `${faker.number.int({ min: 1, max: 9_999 })} ${faker.location.street()}`;
}

export function exampleHost(faker: Faker): string {
  return faker.helpers.arrayElement(EXAMPLE_HOSTS);
}

/** Between two days, both given; no clock is asked, so that a seed tells the same on any day. */
export function dayBetween(faker: Faker, from: string, to: string): string {
  return faker.date
    .between({ from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z` })
    .toISOString()
    .slice(0, 10);
}

/** Lower-case letters and digits, for a host or a mailbox. */
export function plainWord(text: string): string {
  const ascii = text.normalize('NFD').toLowerCase();
  return ascii.replace(/[^a-z0-9]+/g, '') || 'someone';
}
