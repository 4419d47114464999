/**
 * People and companies that are plausible but provably made up, whatever their names: their numbers are from ranges
 * that are never assigned, and their host names are reserved for examples. The n-th item of a seed is always the
 * same, however many are requested.
 */
import type { Faker } from '@faker-js/faker';
import { PLACES, type City } from '../../fixtures/places.ts';
import type { JsonValue } from '../../kernel/text/json.ts';

export type Body = Readonly<Record<string, JsonValue>>;

export interface Which {
  readonly seed: number;
  /** Counts from 0. */
  readonly index: number;
}

/** Reserved for examples (RFC 2606). */
const EXAMPLE_HOSTS = ['example.com', 'example.org', 'example.net'] as const;

/** Resets the random generator for each item of a seed. */
function seedFaker(faker: Faker, { seed, index }: Which, kind: number): void {
  faker.seed([seed, index, kind]);
}

/**
 * Nine digits that are neither a social security number (none begins with 9) nor an individual taxpayer number (whose
 * fourth and fifth digits are 50 or more). The first 48 million of a seed are all different.
 */
function unissuedSsn(which: Which): string {
  const at = spread(which, 100 * 49 * 9_999);
  const area = 900 + (at % 100);
  const group = 1 + (Math.floor(at / 100) % 49);
  const serial = 1 + Math.floor(at / 4_900);
  return `${area}${String(group).padStart(2, '0')}${String(serial).padStart(4, '0')}`;
}

/** Two-digit prefixes that the tax office's list of employer number prefixes leaves out. */
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

function unissuedTin(which: Which): string {
  const at = spread(which, UNASSIGNED_TIN_PREFIXES.length * 10_000_000);
  const prefix = UNASSIGNED_TIN_PREFIXES[at % UNASSIGNED_TIN_PREFIXES.length] ?? '07';
  return prefix + String(Math.floor(at / UNASSIGNED_TIN_PREFIXES.length)).padStart(7, '0');
}

/** 555-0100 to 555-0199 are reserved for fiction in every area. */
function fictionalPhone({ area }: City, which: Which): string {
  return `+1${area}55501${String(spread(which, 100)).padStart(2, '0')}`;
}

/**
 * Different seeds start at different places, and indices below `size` never collide, because the factor and `size` are
 * coprime.
 */
function spread({ seed, index }: Which, size: number): number {
  const factor = 7_654_321n;
  const start = BigInt(seed) * 1_000_003n;
  return Number((start + BigInt(index) * factor) % BigInt(size));
}

function somePlace(faker: Faker): City {
  return faker.helpers.arrayElement(PLACES);
}

function streetAddress(faker: Faker): string {
  return `${faker.number.int({ min: 1, max: 9_999 })} ${faker.location.street()}`;
}

function exampleHost(faker: Faker): string {
  return faker.helpers.arrayElement(EXAMPLE_HOSTS);
}

/** A day between two dates, inclusive. It uses no clock, so that a seed gives the same result on any day. */
function dayBetween(faker: Faker, from: string, to: string): string {
  return faker.date
    .between({ from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z` })
    .toISOString()
    .slice(0, 10);
}

/** Lower-case letters and digits, for a host or a mailbox. */
function plainWord(text: string): string {
  const ascii = text.normalize('NFD').toLowerCase();
  return ascii.replace(/[^a-z0-9]+/g, '') || 'someone';
}

/** Everyone is an adult: the youngest turned 18 before this was written. */
const FIRST_BIRTHDAY = '1945-01-01';
const LAST_BIRTHDAY = '2005-12-31';
/** The card networks' own test numbers. */
const TEST_CARDS = ['4242424242424242', '5555555555554444', '4000056655665556', '5105105105105100'] as const;

export function fakeUser(faker: Faker, which: Which, { withCard = false } = {}): Body {
  seedFaker(faker, which, 1);
  const [first, last] = [faker.person.firstName(), faker.person.lastName()];
  const place = somePlace(faker);
  const zip = faker.helpers.arrayElement(place.zips);
  const user = {
    'id.first_name': first,
    'id.last_name': last,
    'id.dob': dayBetween(faker, FIRST_BIRTHDAY, LAST_BIRTHDAY),
    'id.ssn9': unissuedSsn(which),
    'id.email': `${plainWord(first)}.${plainWord(last)}.${which.seed}-${which.index + 1}@${exampleHost(faker)}`,
    'id.phone_number': fictionalPhone(place, which),
    'id.address_line1': streetAddress(faker),
    'id.city': place.city,
    'id.state': place.state,
    'id.zip': zip,
    'id.country': 'US',
  };
  if (!withCard) return user;
  return {
    ...user,
    'card.primary.number': faker.helpers.arrayElement(TEST_CARDS),
    'card.primary.cvc': String(faker.number.int({ min: 100, max: 999 })),
    'card.primary.expiration': `${String(faker.number.int({ min: 1, max: 12 })).padStart(2, '0')}/20${faker.number.int({ min: 40, max: 49 })}`,
    'card.primary.name': `${first} ${last}`,
    'card.primary.billing_address.zip': zip,
    'card.primary.billing_address.country': 'US',
  };
}

const FORMS = ['llc', 'c_corporation', 's_corporation', 'partnership', 'llp', 'b_corporation'] as const;
const ENDINGS: Readonly<Record<(typeof FORMS)[number], string>> = {
  llc: 'LLC',
  c_corporation: 'Inc.',
  s_corporation: 'Corp.',
  partnership: 'Partners',
  llp: 'LLP',
  b_corporation: 'PBC',
};

export function fakeBusiness(faker: Faker, which: Which): Body {
  seedFaker(faker, which, 2);
  const form = faker.helpers.arrayElement(FORMS);
  const stem = `${faker.person.lastName()} ${faker.helpers.arrayElement(TRADES)}`;
  const place = somePlace(faker);
  const owners = faker.number.int({ min: 1, max: 3 });
  return {
    'business.name': `${stem} ${ENDINGS[form]}`,
    'business.dba': stem,
    'business.tin': unissuedTin(which),
    'business.corporation_type': form,
    'business.formation_state': place.state,
    'business.formation_date': dayBetween(faker, '1985-01-01', '2022-12-31'),
    'business.address_line1': streetAddress(faker),
    'business.city': place.city,
    'business.state': place.state,
    'business.zip': faker.helpers.arrayElement(place.zips),
    'business.country': 'US',
    'business.phone_number': fictionalPhone(place, which),
    'business.website': `https://${plainWord(stem)}-${which.seed}-${which.index + 1}.example.com`,
    'business.beneficial_owners': Array.from({ length: owners }, () => ({
      first_name: faker.person.firstName(),
      last_name: faker.person.lastName(),
      ownership_stake: Math.floor(100 / owners),
    })),
  };
}

const TRADES = [
  'Bakery',
  'Books',
  'Builders',
  'Carpentry',
  'Catering',
  'Cycles',
  'Design',
  'Electric',
  'Farms',
  'Foods',
  'Freight',
  'Gardens',
  'Glass',
  'Hardware',
  'Instruments',
  'Logistics',
  'Paper',
  'Plumbing',
  'Roasters',
  'Software',
  'Textiles',
  'Tools',
  'Trading',
];
