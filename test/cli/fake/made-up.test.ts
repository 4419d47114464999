/**
 * People and companies of `kyclone fake`: valid, never real, and the same on any day.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fakeBusiness, fakeUser, type Body } from '../../../src/cli/fake/made-up.ts';
import { makeBodies } from '../../../src/cli/fake/run.ts';
import { PLACES } from '../../../src/fixtures/places.ts';
import { planWrite, type EntityKind } from '../../../src/vault/identifiers/index.ts';

const SEEDS = Array.from({ length: 500 }, (_, seed) => seed);
const EMPTY = { isStored: () => false, read: () => undefined };

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Checks a body as POST …/vault/validate does, and returns the number of values. Throws when a value is refused. */
function written(kind: EntityKind, body: Body): number {
  const changes = new Map(Object.entries(body));
  return planWrite({ kind, changes, state: EMPTY, isCreate: true, skipLuhn: false, isLive: true }).set.length;
}

test('fake user: 500 seeds make valid bodies whose numbers are never issued', async () => {
  for (const seed of SEEDS) {
    for (const body of await makeBodies((faker, which) => fakeUser(faker, which, { withCard: true }), {
      count: 2,
      seed,
    })) {
      expect(written('user', body)).toBe(Object.keys(body).length);
      const [ssn, phone] = [textOf(body['id.ssn9']), textOf(body['id.phone_number'])];
      // No SSN begins with 9. The similar numbers that are issued (ITINs) have 50 or more in the middle.
      expect(ssn).toMatch(/^9\d\d(?:0[1-9]|[1-4]\d)\d{4}$/);
      expect(ssn.slice(5)).not.toBe('0000');
      expect(phone).toMatch(/^\+1[2-9]\d\d55501\d\d$/);
      expect(textOf(body['id.email'])).toMatch(/@example\.(?:com|org|net)$/);
      expect(textOf(body['id.dob']) < '2006-01-01').toBe(true);
      const { city, state, area } = placeOf(textOf(body['id.zip']));
      expect([body['id.city'], body['id.state'], phone.slice(2, 5)]).toEqual([city, state, area]);
    }
  }
});

test('fake business: 500 seeds make valid bodies whose numbers are never issued', async () => {
  for (const seed of SEEDS) {
    for (const body of await makeBodies(fakeBusiness, { count: 2, seed })) {
      expect(written('business', body)).toBe(Object.keys(body).length);
      expect(textOf(body['business.tin'])).toMatch(/^(?:0[789]|1[789]|2[89]|49|69|7[089]|89|9[67])\d{7}$/);
      expect(textOf(body['business.phone_number'])).toMatch(/^\+1[2-9]\d\d55501\d\d$/);
      expect(textOf(body['business.website'])).toMatch(/^https:\/\/[a-z0-9-]+\.example\.com$/);
      expect(body['business.city']).toBe(placeOf(textOf(body['business.zip'])).city);
    }
  }
});

test('fake user: the same seed makes the same bytes, however many are asked for, and others make others', async () => {
  const three = await makeBodies(fakeUser, { count: 3, seed: 7 });
  expect((await makeBodies(fakeUser, { count: 50, seed: 7 })).slice(0, 3)).toEqual(three);
  expect(await makeBodies(fakeUser, { count: 3, seed: 8 })).not.toEqual(three);
  // This value changes only with the version of the name lists; update it then.
  expect(createHash('sha256').update(JSON.stringify(three)).digest('hex').slice(0, 16)).toBe(
    '70257c0a73c1d84b',
  );
});

test('fake user: of a thousand no two have the same number or mailbox', async () => {
  const bodies = await makeBodies(fakeUser, { count: 1_000, seed: 1 });
  for (const member of ['id.ssn9', 'id.email'] as const) {
    expect(new Set(bodies.map((body) => body[member])).size).toBe(1_000);
  }
  const hundred = bodies.slice(0, 100).map((body) => textOf(body['id.phone_number']).slice(-2));
  expect(new Set(hundred).size).toBe(100);
});

function placeOf(zip: string) {
  const place = PLACES.find(({ zips }) => zips.includes(zip));
  if (!place) throw new Error('a ZIP code of no place');
  return place;
}

test('places: each ZIP code and each telephone area stands once', () => {
  const zips = PLACES.flatMap((place) => place.zips);
  expect(new Set(zips).size).toBe(zips.length);
  expect(new Set(PLACES.map(({ area }) => area)).size).toBe(PLACES.length);
});
