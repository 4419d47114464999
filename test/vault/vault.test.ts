import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseIdentifierReference } from '../../src/vault/identifiers/index.ts';
import { requestedVersion } from '../../src/vault/vault.ts';
import { turnsDuring } from '../support/event-turns.ts';
import { aStore, WITH_ALL_RIGHTS } from './a-store.ts';

type Store = ReturnType<typeof aStore>;

const sealedRows = ({ database }: Store) =>
  database
    .prepare('SELECT identifier, version, sealed FROM vault_values ORDER BY identifier, version')
    .all() as {
    identifier: string;
    version: number;
    sealed: Uint8Array | null;
  }[];

const versionOf = (store: Store, fpId: string) => store.entity(fpId).vault_version;

const remove = (store: Store, fpId: string, fields: readonly string[] | 'all', purge = false) =>
  store.vault.remove(store.database, store.entity(fpId), { fields, purge });

const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;
const notValid = expect.objectContaining({ code: 'T120' }) as Error;

test('create: without data the version is 0, with data 1', () => {
  const store = aStore();
  expect(versionOf(store, store.create())).toBe(0);
  expect(versionOf(store, store.create({ 'id.first_name': 'Jane' }))).toBe(1);
  expect(versionOf(store, store.create({ 'id.first_name': null }))).toBe(0);
});

test('write, reveal: each type comes back as it was cleaned', () => {
  const store = aStore();
  const jane = store.create({ 'id.ssn9': '078-05-1120', 'id.country': 'us' });
  store.write(jane, {
    'custom.list': [1, 'two', { three: null }],
    'custom.number': 12.5,
    'custom.no': false,
  });
  expect(
    store.reveal(jane, [
      'id.ssn9',
      'id.ssn4',
      'id.country',
      'custom.list',
      'custom.number',
      'custom.no',
      'id.city',
    ]),
  ).toEqual({
    'id.ssn9': '078051120',
    'id.ssn4': '1120',
    'id.country': 'US',
    'custom.list': [1, 'two', { three: null }],
    'custom.number': 12.5,
    'custom.no': false,
    'id.city': null,
  });
});

test('write: no stored byte holds the value, and the same value is sealed differently each time', () => {
  const store = aStore();
  for (let person = 0; person < 3; person++) store.create({ 'custom.note': 'Zyxwvcanary' });
  const sealed = sealedRows(store).map((row) => Buffer.from(row.sealed ?? []));
  expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(3);
  for (const bytes of sealed) expect(bytes.includes('Zyxwvcanary')).toBe(false);
});

test('write: what changes nothing makes no version and no row', () => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Jane', 'custom.a': { b: 1 } });
  const before = sealedRows(store);
  for (const same of [{}, { 'id.first_name': ' Jane ' }, { 'custom.a': { b: 1 } }, { 'id.city': null }]) {
    expect(store.write(jane, same)).toBe(1);
  }
  expect(sealedRows(store)).toEqual(before);
  expect(store.write(jane, { 'id.first_name': 'Jane', 'id.city': 'Ely' })).toBe(2);
  expect(sealedRows(store)).toHaveLength(before.length + 1);
});

test('write: one bad identifier stores nothing of the request', () => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Jane' });
  const before = sealedRows(store);
  expect(() => store.write(jane, { 'id.first_name': 'Joan', 'id.dob': 'never' })).toThrow(notValid);
  expect(sealedRows(store)).toEqual(before);
  expect(versionOf(store, jane)).toBe(1);
});

test('validate: says what write would say and stores nothing', () => {
  const store = aStore();
  const jane = store.create({ 'id.ssn9': '078051120' });
  const before = sealedRows(store);
  const validate = (changes: Record<string, string>) =>
    store.vault.validate(store.database, store.entity(jane), {
      changes: new Map(Object.entries(changes)),
      ...WITH_ALL_RIGHTS,
    });
  validate({ 'id.city': 'Ely' });
  expect(() => validate({ 'id.itin': '912701234' })).toThrow(notValid);
  expect(sealedRows(store)).toEqual(before);
});

test('reveal: reads the state as of each version, and a suffix reads one identifier as of its own', () => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Jane' });
  store.write(jane, { 'id.city': 'Ely' });
  store.write(jane, { 'id.first_name': 'Joan' });
  store.write(jane, { 'id.city': null });
  const states = [0, 1, 2, 3, 4].map((version) => {
    const values = store.reveal(jane, ['id.first_name', 'id.city'], version);
    return [values['id.first_name'], values['id.city']];
  });
  expect(states).toEqual([
    [null, null],
    ['Jane', null],
    ['Jane', 'Ely'],
    ['Joan', 'Ely'],
    ['Joan', null],
  ]);
  const suffixed = [
    'id.first_name:0',
    'id.first_name:1',
    'id.first_name:2',
    'id.city:3',
    'id.city:4',
    'id.city:9',
  ];
  expect(store.reveal(jane, suffixed)).toEqual({
    'id.first_name:0': null,
    'id.first_name:1': 'Jane',
    'id.first_name:2': 'Jane',
    'id.city:3': 'Ely',
    'id.city:4': null,
    'id.city:9': null,
  });
});

test('versionAt: the version that was current at a time', () => {
  const store = aStore();
  const jane = store.create({ 'id.city': 'Ely' });
  const made = store.clock.now();
  store.clock.advance(1000);
  store.write(jane, { 'id.city': 'Bath' });
  const at = (time: number) => store.vault.versionAt(store.database, store.entity(jane), time);
  expect([made - 1, made, made + 999, made + 1000, made + 5000].map(at)).toEqual([0, 1, 1, 2, 2]);
});

test('present: names what is there as of a version, derived included, sorted', () => {
  const store = aStore();
  const jane = store.create({ 'id.ssn9': '078051120' });
  store.write(jane, { 'id.ssn9': null, 'id.city': 'Ely' });
  const present = (version: number) => store.vault.present(store.database, store.entity(jane), version);
  expect(present(0)).toEqual([]);
  expect(present(1)).toEqual(['id.ssn4', 'id.ssn9', 'id.us_tax_id']);
  expect(present(2)).toEqual(['id.city']);
});

test('remove: deletes what is asked with what derives from it, and the past still reads', () => {
  const store = aStore();
  const jane = store.create({ 'id.ssn9': '078051120', 'id.city': 'Ely' });
  expect(remove(store, jane, ['id.ssn9', 'id.state'])).toEqual({
    answer: { 'id.ssn9': true, 'id.state': false },
    version: 2,
    released: [],
  });
  expect(store.reveal(jane, ['id.ssn9', 'id.ssn4', 'id.city', 'id.ssn4:1'])).toEqual({
    'id.ssn9': null,
    'id.ssn4': null,
    'id.city': 'Ely',
    'id.ssn4:1': '1120',
  });
});

test('remove: with purge nothing of the past is left, and the version goes on', () => {
  const store = aStore();
  const jane = store.create({ 'id.city': 'Ely', 'id.zip': '1' });
  store.write(jane, { 'id.city': 'Bath' });
  expect(remove(store, jane, ['id.city'], true).version).toBe(3);
  expect(sealedRows(store).map(({ identifier }) => identifier)).toEqual(['id.zip']);
  expect(store.reveal(jane, ['id.city:1', 'id.city:2', 'id.city', 'id.zip'])).toEqual({
    'id.city:1': null,
    'id.city:2': null,
    'id.city': null,
    'id.zip': '1',
  });
  expect(store.write(jane, { 'id.city': 'Ely' })).toBe(4);
});

test('remove: purge of what was deleted before destroys its past, too', () => {
  const store = aStore();
  const jane = store.create({ 'id.city': 'Ely' });
  remove(store, jane, ['id.city']);
  remove(store, jane, ['id.city'], true);
  expect(sealedRows(store)).toEqual([]);
});

test('remove: all lists what was there, derived included', () => {
  const store = aStore();
  const jane = store.create({ 'id.ssn9': '078051120', 'custom.a': 1 });
  expect(remove(store, jane, 'all').answer).toEqual({
    'custom.a': true,
    'id.ssn4': true,
    'id.ssn9': true,
    'id.us_tax_id': true,
  });
  expect(remove(store, jane, 'all')).toEqual({ answer: {}, version: 2, released: [] });
});

test('integrity: is the HMAC of the stored form under the given key', async () => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Zoë', 'custom.a': { b: [1, 'ü'] } });
  const signingKey = Buffer.from('00ff', 'hex');
  const references = ['id.first_name', 'custom.a', 'id.city'].map(parseIdentifierReference);
  const hashes = await store.vault.integrity(store.database, store.entity(jane), { references, signingKey });
  const expected = (text: string) => createHmac('sha256', signingKey).update(text).digest('hex');
  expect([...hashes.values()]).toEqual([expected('Zoë'), expected('{"b":[1,"ü"]}'), undefined]);
});

test('masked: shows no value in full, and from which version it is', async () => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Jane', 'id.ssn9': '078051120' });
  store.clock.advance(1000);
  store.write(jane, { 'id.first_name': 'Joan' });
  const whole = { after: undefined, limit: 10 };
  const { values, count, next } = await store.vault.maskedPage(store.database, store.entity(jane), whole);
  expect({ count, next }).toEqual({ count: 4, next: undefined });
  const now = { type: 'text', version: 2, updated_at: store.clock.now() };
  const before = { type: 'text', version: 1, updated_at: store.clock.now() - 1000 };
  expect(values).toEqual([
    { identifier: 'id.first_name', mask: 'J***', ...now },
    { identifier: 'id.ssn4', mask: '******', ...before },
    { identifier: 'id.ssn9', mask: '***1120', ...before },
    { identifier: 'id.us_tax_id', mask: '***1120', ...before },
  ]);
  expect(store.vault.masked(store.database, store.entity(jane), ['id.ssn9'])).toHaveLength(1);
});

/** A user with this many identifiers that sort by number. */
function aLargeVault(amount: number) {
  const store = aStore();
  const names = Array.from({ length: amount }, (_, at) => `custom.field_${String(at).padStart(5, '0')}`);
  const jane = store.create();
  for (let at = 0; at < amount; at += 1_000)
    store.write(jane, Object.fromEntries(names.slice(at, at + 1_000).map((name) => [name, 'x'])));
  return { store, jane, names };
}

test('maskedPage: gives the pages of a large vault, and others a turn after some names and values', async () => {
  const { store, jane, names } = aLargeVault(2_000);
  const read = (after?: string) =>
    turnsDuring(() => store.vault.maskedPage(store.database, store.entity(jane), { after, limit: 900 }));
  const first = await read();
  // 250 names a turn are read and then looked at, and 16 values opened.
  expect(first.turns).toBeGreaterThanOrEqual(7 + 7 + 55);
  const [second, third] = [await read(first.result.next), await read(names[1_799])];
  expect([first, second, third].map(({ result }) => result.next)).toEqual([
    names[899],
    names[1_799],
    undefined,
  ]);
  const pages = [first, second, third].flatMap(({ result }) => result.values);
  expect(pages.map(({ identifier }) => identifier)).toEqual(names);
  expect(third.result.count).toBe(2_000);
});

test('maskedPage: leaves out what is purged meanwhile, and says when the store is replaced', async () => {
  const { store, jane, names } = aLargeVault(1_000);
  const read = () =>
    store.vault.maskedPage(store.database, store.entity(jane), { after: undefined, limit: 1_000 });
  const reading = read();
  store.vault.remove(store.database, store.entity(jane), { fields: [names[999] ?? ''], purge: true });
  expect((await reading).values.map(({ identifier }) => identifier)).toEqual(names.slice(0, -1));
  const cut = read();
  store.database.close();
  await expect(cut).rejects.toMatchObject({ code: 'not_ready' });
});

test('presentInTurns: lists what present does, with a turn after some names', async () => {
  const { store, jane, names } = aLargeVault(2_000);
  store.write(jane, { 'id.ssn9': '078051120' });
  const [database, entity] = [store.database, store.entity(jane)];
  const { result, turns } = await turnsDuring(() =>
    store.vault.presentInTurns(database, entity, entity.vault_version),
  );
  expect(result).toEqual(store.vault.present(database, entity, entity.vault_version));
  expect(result).toEqual([...names, 'id.ssn4', 'id.ssn9', 'id.us_tax_id']);
  expect(turns).toBeGreaterThanOrEqual(14);
});

test('a card fingerprint is the same for the same number in one space, and another in another', () => {
  const store = aStore();
  const card = { 'card.a.number': '4111111111111111' };
  const of = (fpId: string) => store.reveal(fpId, ['card.a.fingerprint'])['card.a.fingerprint'];
  const one = of(store.create(card));
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(of(store.create(card))).toBe(one);
  expect(of(store.create({ 'card.a.number': '378282246310005' }))).not.toBe(one);
  expect(of(store.create(card, { environment: 'live' }))).not.toBe(one);
});

test.each([
  ['two identifiers', { identifier: 'id.last_name' }],
  ['two entities', { fp_id: 'fp_id_2' }],
  ['two versions', { version: 2 }],
])('reveal: a sealed value that was moved between %s does not open', (_what, there) => {
  const store = aStore();
  const jane = store.create({ 'id.first_name': 'Jane', 'id.last_name': 'Doe' });
  store.create({ 'id.first_name': 'John' });
  store.write(jane, { 'id.first_name': 'Joan' });
  const from = { fp_id: jane, identifier: 'id.first_name', version: 1 };
  const to = { ...from, ...there };
  const place = 'entity = (SELECT id FROM entities WHERE fp_id = ?) AND identifier = ? AND version = ?';
  const values = (at: typeof from) => [at.fp_id, at.identifier, at.version];
  const { changes } = store.database
    .prepare(
      `UPDATE vault_values SET sealed = (SELECT sealed FROM vault_values WHERE ${place}) WHERE ${place}`,
    )
    .run(...values(from), ...values(to));
  expect(changes).toBe(1);
  expect(() => store.reveal(to.fp_id, [`${to.identifier}:${to.version}`])).toThrow(damaged);
});

test('reveal: the key of an entity is not kept beyond a change of its row', () => {
  const store = aStore();
  const [jane, john] = [store.create({ 'id.city': 'Ely' }), store.create({ 'id.city': 'Bath' })];
  for (const fpId of [jane, john]) store.reveal(fpId, ['id.city']);
  store.database
    .prepare(
      'UPDATE entities SET sealed_key = (SELECT sealed_key FROM entities WHERE fp_id = ?) WHERE fp_id = ?',
    )
    .run(john, jane);
  expect(() => store.reveal(jane, ['id.city'])).toThrow(damaged);
  expect(store.reveal(john, ['id.city'])).toEqual({ 'id.city': 'Bath' });
});

test('reveal: more entities than keys are kept still open, each its own', () => {
  const store = aStore({ keptKeys: 3 });
  const people = Array.from({ length: 8 }, (_, index) => store.create({ 'custom.n': index }));
  for (let round = 0; round < 2; round++) {
    for (const [index, fpId] of people.entries()) {
      expect(store.reveal(fpId, ['custom.n'])).toEqual({ 'custom.n': index });
    }
  }
});

test('write: the data of one entity is not changed by a write to another', () => {
  const store = aStore();
  const [jane, john] = [store.create({ 'id.city': 'Ely' }), store.create({ 'id.city': 'Ely' })];
  store.write(jane, { 'id.city': 'Bath' });
  expect(store.reveal(john, ['id.city'])).toEqual({ 'id.city': 'Ely' });
  expect(versionOf(store, john)).toBe(1);
});

test.each([
  [undefined, 3],
  ['0', 0],
  ['3', 3],
  ['003', 3],
])('requestedVersion: %s of 3 is %s', (header, version) => {
  const store = aStore();
  const entity = { ...store.entity(store.create()), vault_version: 3 };
  expect(requestedVersion(header, entity)).toBe(version);
});

test.each(['4', '-1', '1.5', '', ' 1', '1e0', 'x', '9'.repeat(16)])(
  'requestedVersion: %j is refused',
  (header) => {
    const store = aStore();
    const entity = { ...store.entity(store.create()), vault_version: 3 };
    const refused = expect.objectContaining({ code: 'invalid_request' }) as Error;
    expect(() => requestedVersion(header, entity)).toThrow(refused);
  },
);
