import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import {
  describeIdentifier,
  planDelete,
  planWrite,
  presentIdentifiers,
  readingOf,
} from '../../../src/vault/identifiers/index.ts';
import { aVault } from './a-vault.ts';
import * as reasons from './reasons.ts';
import { words } from '../../support/words.ts';

const NAMES = words`
  id.first_name id.dob id.ssn9 id.ssn4 id.itin id.us_tax_id id.state id.zip id.country id.citizenships id.email
  id.phone_number id.visa_kind id.drivers_license_number id.drivers_license_state custom.a custom.__proto__
  investor_profile.declarations investor_profile.family_member_names investor_profile.funding_sources
  investor_profile.senior_executive_symbols document.passport.document_number document.passport.dob
  document.ssn_card.image document.ssn_card.front.image document.ssn_card.front.mime_type document.custom.a
  card.a.number card.a.cvc card.a.expiration card.a.issuer card.a.billing_address.zip bank.a.ach_routing_number
  bank.a.ach_account_number bank.a.fingerprint business.name business.state business.country business.website
  business.tin business.kyced_beneficial_owners business.beneficial_owners.a.ownership_stake
`;

const plausible = fc.oneof(
  fc.constantFrom<JsonValue>(
    ...words`078-05-1120 078051120 123121234 1120 1234 912-70-1234 913881111 us DE tx`,
    ' Jane ',
    'Jane@example.com',
    '+1 (415) 555-0132',
    '+15555550100',
    '1988-12-30',
    'h1b',
    '4111 1111 1111 1111',
    ...words`4111111111111112 123 1/30 021000021 example.com https://example.com/x savings`,
    ['us', 'de', 'US'],
    ['savings'],
    ['ABC', ' goog '],
    [],
    50,
    null,
  ),
  fc.constant<JsonValue>([
    {
      first_name: ' Ada ',
      last_name: 'L',
      ownership_stake: 5,
      email: 'a@b.co',
      phone_number: '+1 4155550132',
      x: 1,
    },
  ]),
);
const anyValue = fc.oneof(plausible, fc.jsonValue() as fc.Arbitrary<JsonValue>);
const someChanges = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), anyValue), { selector: ([name]) => name, maxLength: 12 })
  .map((entries) => new Map(entries));
const someState = fc
  .subarray(words`
    id.ssn9 id.ssn4 id.itin id.city card.a.number bank.a.ach_routing_number document.ssn_card.front.image
  `)
  .map((names) => Object.fromEntries(names.map((name) => [name, name === 'id.ssn4' ? '1120' : '078051120'])));
const someRequest = fc.record({
  kind: fc.constantFrom('user' as const, 'business' as const),
  changes: someChanges,
  state: someState.map(aVault),
  isCreate: fc.boolean(),
  skipLuhn: fc.boolean(),
  isLive: fc.boolean(),
});
const RUNS = { numRuns: 1_000 };

/** Returns the plan, or the T120 with which it fails. Any other error is a bug and is thrown. */
function outcome(request: Parameters<typeof planWrite>[0]): ReturnType<typeof planWrite> | ServiceError {
  try {
    return planWrite(request);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'T120') return error;
    throw error;
  }
}

test('write: ends in a plan or in T120 over sent identifiers with the known reasons', () => {
  const known = Object.values(reasons);
  fc.assert(
    fc.property(someRequest, (request) => {
      const result = outcome(request);
      if (!(result instanceof ServiceError)) return;
      const context = Object.entries(result.context ?? {});
      expect(context.length).toBeGreaterThan(0);
      for (const [name, reason] of context) {
        expect(request.changes.has(name)).toBe(true);
        expect(known).toContainEqual(reason);
      }
    }),
    RUNS,
  );
});

test('write: neither message nor context holds a submitted value', () => {
  // The marker prevents a value from being part of a fixed text by chance.
  const marked = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `§${text.trim()}§`);
  const leaky: fc.Arbitrary<JsonValue> = fc.oneof(
    marked,
    fc.array(marked),
    fc.dictionary(marked, marked),
    marked.map((text) => [{ first_name: text, last_name: text, ownership_stake: text }]),
  );
  const changes = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), leaky), { selector: ([name]) => name, minLength: 1 })
    .map((entries) => new Map(entries));
  fc.assert(
    fc.property(someRequest, changes, (request, leakyChanges) => {
      const result = outcome({ ...request, changes: leakyChanges });
      if (!(result instanceof ServiceError)) return;
      expect(`${result.message}${JSON.stringify(result.context)}`).not.toContain('§');
    }),
    RUNS,
  );
});

test('write: only stored names of the right kind are set, never aliases, derived ones or us_tax_id', () => {
  fc.assert(
    fc.property(someRequest, (request) => {
      const result = outcome(request);
      if (result instanceof ServiceError) return;
      const names = result.set.map(({ identifier }) => identifier);
      expect(new Set([...names, ...result.remove]).size).toBe(names.length + result.remove.length);
      for (const name of names) {
        const description = describeIdentifier(name);
        expect(description).toMatchObject({ canonical: name, derived: false });
        expect(description?.belongsTo(request.kind)).toBe(true);
        expect(name).not.toBe('id.us_tax_id');
      }
      for (const name of result.remove) expect(request.state.isStored(name)).toBe(true);
      if (request.isCreate && !request.state.isStored('id.ssn4')) expect(result.remove).toEqual([]);
    }),
    RUNS,
  );
});

test('write: after it there is at most one kind of tax identifier', () => {
  const tax = ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id', 'id.city'];
  const changes = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...tax), plausible), { selector: ([name]) => name })
    .map((entries) => new Map(entries));
  const states = fc.constantFrom(
    {},
    { 'id.ssn9': '078051120' },
    { 'id.ssn4': '1120' },
    { 'id.itin': '912701234' },
  );
  fc.assert(
    fc.property(changes, states, fc.boolean(), (sent, stored, isCreate) => {
      const state = aVault(stored);
      const result = outcome({
        kind: 'user',
        changes: sent,
        state,
        isCreate,
        skipLuhn: false,
        isLive: false,
      });
      if (result instanceof ServiceError) return;
      const after = new Set([...Object.keys(stored), ...result.set.map(({ identifier }) => identifier)]);
      for (const name of result.remove) after.delete(name);
      const kept = ['id.ssn9', 'id.ssn4', 'id.itin'].filter((name) => after.has(name));
      expect(kept.length).toBeLessThanOrEqual(1);
    }),
    RUNS,
  );
});

test('write: cleaning what was cleaned changes nothing', () => {
  fc.assert(
    fc.property(someRequest, (request) => {
      const first = outcome(request);
      if (first instanceof ServiceError) return;
      const changes = new Map(first.set.map(({ identifier, value }) => [identifier, value]));
      expect(planWrite({ ...request, changes, state: aVault() }).set).toEqual(first.set);
    }),
    RUNS,
  );
});

test('presence: what is listed can be read, and what can be read is listed', () => {
  const storable = NAMES.filter((name) => {
    const description = describeIdentifier(name);
    return description?.derived === false && description.canonical === name && name !== 'id.us_tax_id';
  });
  fc.assert(
    fc.property(fc.subarray(storable), (stored) => {
      const isStored = (name: string): boolean => stored.includes(name);
      const present = presentIdentifiers(stored);
      expect(present).toEqual([...new Set(present)].sort());
      for (const name of present) {
        expect(readingOf(name, isStored)?.sources.every(isStored)).toBe(true);
      }
      const readable = NAMES.filter((name) => readingOf(name, isStored) !== undefined);
      const aliases = readable.filter((name) => describeIdentifier(name)?.canonical !== name);
      expect(present).toEqual(expect.arrayContaining(readable.filter((name) => !aliases.includes(name))));
    }),
  );
});

test('delete: what is answered true is gone afterwards, and nothing else', () => {
  const storable = words`
    id.ssn9 id.city card.a.number card.a.expiration document.ssn_card.front.image custom.a
  `;
  fc.assert(
    fc.property(fc.subarray(storable), fc.subarray(NAMES, { minLength: 1 }), (stored, fields) => {
      let plan;
      try {
        plan = planDelete({ kind: 'user', fields, stored });
      } catch (error) {
        expect(error).toMatchObject({ code: 'T120' });
        return;
      }
      const after = new Set(stored.filter((name) => !plan.remove.includes(name)));
      for (const name of fields) {
        expect(plan.answer[name]).toBe(readingOf(name, (source) => stored.includes(source)) !== undefined);
        expect(readingOf(name, (source) => after.has(source))).toBeUndefined();
      }
      for (const name of plan.remove) {
        expect(fields.some((field) => describeIdentifier(field)?.canonical === name)).toBe(true);
      }
    }),
    RUNS,
  );
});
