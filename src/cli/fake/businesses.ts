/** Companies that are plausible, and can't be any. */
import type { Faker } from '@faker-js/faker';
import {
  beginWith,
  dayBetween,
  fictionalPhone,
  plainWord,
  somePlace,
  streetAddress,
  unissuedTin,
  type Body,
  type Which,
} from './made-up.ts';

const FORMS = ['llc', 'c_corporation', 's_corporation', 'partnership', 'llp', 'b_corporation'] as const;
const ENDINGS: Readonly<Record<(typeof FORMS)[number], string>> = {
  llc: 'LLC',
  c_corporation: 'Inc.',
  s_corporation: 'Corp.',
  partnership: 'Partners',
  llp: 'LLP',
  b_corporation: 'PBC',
};

/** The body of a new business, with one to three owners. */
export function fakeBusiness(faker: Faker, which: Which): Body {
  beginWith(faker, which, 2);
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
  ...['Bakery', 'Books', 'Builders', 'Carpentry', 'Catering', 'Cycles', 'Design', 'Electric', 'Farms'],
  ...['Foods', 'Freight', 'Gardens', 'Glass', 'Hardware', 'Instruments', 'Logistics', 'Paper', 'Plumbing'],
  ...['Roasters', 'Software', 'Textiles', 'Tools', 'Trading'],
];
