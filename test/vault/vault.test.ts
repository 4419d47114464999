import { expect, test } from 'vitest';
import { turnsDuring } from '../support/event-turns.ts';
import { aStore } from './a-store.ts';

type Store = ReturnType<typeof aStore>;

const sealedRows = ({ database }: Store) =>
  database
    .prepare('SELECT identifier, version, sealed FROM vault_values ORDER BY identifier, version')
    .all() as { identifier: string; version: number; sealed: Uint8Array | null }[];

const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

test('write: no stored byte holds the value, and the same value is sealed differently each time', () => {
  const store = aStore();
  for (let person = 0; person < 3; person++) store.create({ 'custom.note': 'Zyxwvcanary' });
  const sealed = sealedRows(store).map((row) => Buffer.from(row.sealed ?? []));
  expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(3);
  for (const bytes of sealed) expect(bytes.includes('Zyxwvcanary')).toBe(false);
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
