/** People that are plausible, and can't be anybody. */
import type { Faker } from '@faker-js/faker';
import {
  beginWith,
  dayBetween,
  exampleHost,
  fictionalPhone,
  plainWord,
  somePlace,
  streetAddress,
  unissuedSsn,
  type Body,
  type Which,
} from './made-up.ts';

/** Adults whenever this is read: the youngest was 18 before this was written. */
const FIRST_BIRTHDAY = '1945-01-01';
const LAST_BIRTHDAY = '2005-12-31';
/** Of the card networks' own test numbers. */
const TEST_CARDS = ['4242424242424242', '5555555555554444', '4000056655665556', '5105105105105100'] as const;

/** The body of a new user. */
export function fakeUser(faker: Faker, which: Which, { withCard = false } = {}): Body {
  beginWith(faker, which, 1);
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
