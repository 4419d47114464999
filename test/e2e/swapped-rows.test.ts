/**
 * An attacker edits the database: sealed values and keys are moved, changed or cut. A read of what was changed fails
 * with the named error and never returns another value. Everything else still reads.
 */
import type { Database } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, decrypt, inStore } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';
import '../support/tier-all.ts';

const ALICE = { 'id.first_name': 'Alice', 'id.last_name': 'Archer', 'id.email': 'alice@example.com' };
const BRUNO = { 'id.first_name': 'Bruno', 'id.last_name': 'Becker', 'id.email': 'bruno@example.com' };

interface People {
  readonly alice: string;
  readonly bruno: string;
}

const twoUsers = restoredInstance(async (daemon): Promise<People> => {
  const people = { alice: await aUser(daemon, ALICE), bruno: await aUser(daemon, BRUNO) };
  const patch = await daemon.call('PATCH', `/users/${people.alice}/vault`, {
    body: { 'id.first_name': 'Alicia' },
  });
  expect(patch.headers['x-fp-vault-version']).toBe('2');
  return people;
});

/** Changes the store of two users, and starts the daemon. */
async function tampered(
  change: (store: Database, people: People) => void,
): Promise<People & { daemon: Kycloned }> {
  const { home, paths, ...people } = await twoUsers();
  inStore(paths.storeFile, (store) => change(store, people));
  return { ...people, daemon: await startKycloned({ home }) };
}

type Place = ReturnType<typeof at>;
const at = (fp_id: string, identifier: string, version = 1) => ({ fp_id, identifier, version });

const WHERE = `WHERE entity = (SELECT id FROM entities WHERE fp_id = @fp_id)
  AND identifier = @identifier AND version = @version`;

function sealedAt(store: Database, place: Place): Uint8Array {
  const sealed = store.prepare(`SELECT sealed FROM vault_values ${WHERE}`).pluck().get(place) as
    | Uint8Array
    | undefined;
  if (!sealed) throw new Error(`nothing is stored at ${JSON.stringify(place)}`);
  return sealed;
}

function putAt(store: Database, place: Place, sealed: Uint8Array): void {
  const { changes } = store
    .prepare(`UPDATE vault_values SET sealed = @sealed ${WHERE}`)
    .run({ ...place, sealed });
  expect(changes).toBe(1);
}

function swap(store: Database, one: Place, other: Place): void {
  const [first, second] = [sealedAt(store, one), sealedAt(store, other)];
  putAt(store, one, second);
  putAt(store, other, first);
}

test('inspector: a swapped value is shown as damaged, and its neighbours unchanged', async () => {
  const { daemon, alice, bruno } = await tampered((store, people) =>
    swap(store, at(people.alice, 'id.last_name'), at(people.alice, 'id.email')),
  );
  const inspection = await daemon.control('GET', `/_kyclone/entities/${alice}`);
  expect(inspection.status).toBe(200);
  const { vault } = inspection.body as { vault: { identifier: string; mask: string }[] };
  const maskOf = (name: string) => vault.find(({ identifier }) => identifier === name)?.mask;
  expect([maskOf('id.last_name'), maskOf('id.email')]).toEqual(['<damaged>', '<damaged>']);
  expect(maskOf('id.first_name')).toBe('A***');
  const list = await daemon.control('GET', '/_kyclone/entities');
  expect(list.status).toBe(200);
  expect((list.body as { data: { id: string }[] }).data.map(({ id }) => id).sort()).toEqual(
    [alice, bruno].sort(),
  );
});

test('write: a damaged value is mended by writing it again', async () => {
  const { daemon, alice } = await tampered((store, people) =>
    swap(store, at(people.alice, 'id.last_name'), at(people.alice, 'id.email')),
  );
  const mended = { 'id.last_name': 'Mended', 'id.email': 'mended@example.com' };
  expect((await daemon.call('PATCH', `/users/${alice}/vault`, { body: mended })).status).toBe(200);
  expect((await decrypt(daemon, alice, Object.keys(mended))).body).toEqual(mended);
});

test('delete: a user with a damaged value or key can be deleted', async () => {
  const { daemon, alice, bruno } = await tampered((store, people) => {
    putAt(store, at(people.alice, 'id.email'), Buffer.from('nothing'));
    store
      .prepare('UPDATE entities SET sealed_key = ? WHERE fp_id = ?')
      .run(Buffer.from('nothing'), people.bruno);
  });
  for (const id of [alice, bruno]) {
    expect((await daemon.call('DELETE', `/users/${id}`)).status).toBe(200);
    expect((await daemon.call('GET', `/users/${id}`)).status).toBe(404);
  }
});

const rowOf = (store: Database, fp_id: string) =>
  store.prepare('SELECT id FROM entities WHERE fp_id = ?').pluck().get(fp_id) as number;

test('blind indexes that name another person: search and duplicates refuse to name anybody', async () => {
  const { daemon, alice } = await tampered((store, people) => {
    const [one, other] = [rowOf(store, people.alice), rowOf(store, people.bruno)];
    store.exec(`UPDATE fingerprints SET entity = -1 WHERE entity = ${one};
      UPDATE fingerprints SET entity = ${one} WHERE entity = ${other};
      UPDATE fingerprints SET entity = ${other} WHERE entity = -1;`);
  });
  const search = 'bruno@example.com';
  expect(await daemon.call('POST', '/users/search', { body: { search } })).toMatchObject(DAMAGED);
  expect(await daemon.control('POST', '/_kyclone/search', { body: { search } })).toMatchObject(DAMAGED);
  expect(await daemon.control('GET', `/_kyclone/entities?q=${search}`)).toMatchObject(DAMAGED);
  // Who is found by nothing that was changed is still found.
  expect((await daemon.control('POST', '/_kyclone/search', { body: { search: alice } })).status).toBe(200);
});

test('blind indexes that join two people: duplicates refuse to name the other', async () => {
  const { daemon, alice } = await tampered((store, people) => {
    store.exec(`INSERT INTO fingerprints (digest, entity)
      SELECT digest, ${rowOf(store, people.bruno)} FROM fingerprints WHERE entity = ${rowOf(store, people.alice)}`);
  });
  const duplicates = await daemon.call('GET', `/users/${alice}/duplicates`);
  expect(duplicates).toMatchObject(DAMAGED);
});
