/**
 * An attacker edits the database and the folder of files. A read of what was changed fails with the named error;
 * everything else still reads. What becomes of a damaged file is in the nouns and in test/vault/files.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, decrypt, restartedAfter } from '../support/kycloned-calls.ts';
import {
  BACK,
  bytesOf,
  decrypted,
  deleteFromVault,
  download,
  expectSame,
  filesFolder,
  filesInStore,
  FRONT,
  uploaded,
} from './file-calls.ts';
import '../support/tier-all.ts';

/** Four chunks; the last one is shorter. All files have this length and differ only in their bytes. */
const LENGTH = 3 * 65_536 + 1_000;

interface Place {
  readonly fp_id: string;
  readonly identifier: string;
  readonly version: number;
}

const contentOf = ({ fp_id, identifier, version }: Place) =>
  bytesOf(`${fp_id} ${identifier} ${version}`, LENGTH);

interface Stage {
  readonly daemon: Kycloned;
  readonly alice: { front: Place; front2: Place; back: Place; note: string };
  readonly bruno: { front: Place; back: Place };
}

/** Makes Alice with two versions of a front and a back image and a text, and Bruno with a front and a back image. */
async function aStage(): Promise<Stage> {
  const daemon = await startKycloned();
  const [alice, bruno] = [await aUser(daemon), await aUser(daemon)];
  const store = async (fp_id: string, identifier: string, version: number) => {
    const place = { fp_id, identifier, version };
    expect(await uploaded(daemon, place, contentOf(place))).toBe(version);
    return place;
  };
  const note = 'a text among the files';
  const stage = {
    daemon,
    alice: {
      front: await store(alice, FRONT, 1),
      back: await store(alice, BACK, 2),
      front2: await store(alice, FRONT, 3),
      note,
    },
    bruno: { front: await store(bruno, FRONT, 1), back: await store(bruno, BACK, 2) },
  };
  await daemon.call('PATCH', `/users/${alice}/vault`, { body: { 'custom.note': note } });
  return stage;
}

const WHERE = `WHERE entity = (SELECT id FROM entities WHERE fp_id = @fp_id)
  AND identifier = @identifier AND version = @version`;

function descriptorAt(store: Database, { fp_id, identifier, version }: Place): Buffer {
  const place = { fp_id, identifier, version };
  return store.prepare(`SELECT sealed FROM vault_values ${WHERE}`).pluck().get(place) as Buffer;
}

function putDescriptor(store: Database, { fp_id, identifier, version }: Place, sealed: Buffer): void {
  const place = { fp_id, identifier, version, sealed };
  expect(store.prepare(`UPDATE vault_values SET sealed = @sealed ${WHERE}`).run(place).changes).toBe(1);
}

function swapDescriptors(store: Database, one: Place, other: Place): void {
  const [first, second] = [descriptorAt(store, one), descriptorAt(store, other)];
  putDescriptor(store, one, second);
  putDescriptor(store, other, first);
}

const reference = ({ identifier, version }: Place) => `${identifier}:${version}`;

/** Checks that every read but a download fails with the named error and returns not one byte of a file. */
async function expectDamaged(daemon: Kycloned, place: Place): Promise<void> {
  const fields = [reference(place)];
  const body = { fields, signing_key: 'ab'.repeat(32) };
  for (const answer of [
    await decrypt(daemon, place.fp_id, fields),
    await daemon.call('POST', `/users/${place.fp_id}/vault/integrity`, { body }),
  ]) {
    expect(answer).toMatchObject(DAMAGED);
    expect(answer.text.length).toBeLessThan(500);
  }
}

/** Checks that a download, too, returns only the named error, before any part of the file is sent. */
async function expectUnreadable(daemon: Kycloned, ...places: Place[]): Promise<void> {
  for (const place of places) {
    await expectDamaged(daemon, place);
    const { status, code, bytes } = await download(daemon, place);
    expect([status, code]).toEqual([503, 'vault_damaged']);
    expect(bytes.length).toBeLessThan(500);
  }
}

async function expectIntact(daemon: Kycloned, ...places: Place[]): Promise<void> {
  for (const place of places) {
    const [bytes] = await decrypted(daemon, place.fp_id, reference(place));
    expectSame(bytes, contentOf(place), reference(place));
  }
}

type Swap = (stage: Stage) => { readonly swapped: [Place, Place]; readonly intact: Place[] };

test.each<[what: string, swap: Swap]>([
  [
    'of two identifiers of one user',
    ({ alice, bruno }) => ({
      swapped: [alice.front2, alice.back],
      intact: [alice.front, bruno.front, bruno.back],
    }),
  ],
  [
    'of one identifier of two users',
    ({ alice, bruno }) => ({
      swapped: [alice.back, bruno.back],
      intact: [alice.front, alice.front2, bruno.front],
    }),
  ],
])('descriptors: %s, swapped, open neither file; the rest reads', async (_what, swap) => {
  const stage = await aStage();
  const { swapped, intact } = swap(stage);
  const daemon = await restartedAfter(stage.daemon, (store) => swapDescriptors(store, ...swapped));
  await expectUnreadable(daemon, ...swapped);
  await expectIntact(daemon, ...intact);
});

/** Returns the path of the sealed bytes of each file, and the daemon, which opens the file again for each response. */
async function aStageOnDisk() {
  const stage = await aStage();
  const rows = filesInStore(stage.daemon);
  const pathOf = ({ fp_id, identifier, version }: Place) => {
    const row = rows.find(
      (each) => each.fp_id === fp_id && each.identifier === identifier && each.version === version,
    );
    if (!row) throw new Error('no file has this place');
    return join(filesFolder(stage.daemon), row.name);
  };
  return { ...stage, pathOf };
}

test('files: a damaged one is mended by uploading it again, and goes with a purge or its user', async () => {
  const { daemon, alice, bruno, pathOf } = await aStageOnDisk();
  for (const place of [alice.back, alice.front2, bruno.front]) writeFileSync(pathOf(place), 'nothing');
  const mended = { ...alice.back, version: 5 };
  expect(await uploaded(daemon, mended, contentOf(mended))).toBe(5);
  await expectIntact(daemon, mended);
  const { fp_id } = alice.front;
  const purged = await deleteFromVault(daemon, fp_id, { fields: [FRONT], purge: true });
  expect([purged.status, purged.body]).toEqual([200, { [FRONT]: true }]);
  expect((await daemon.call('DELETE', `/users/${bruno.front.fp_id}`)).status).toBe(200);
  const left = filesInStore(daemon).map((row) => `${row.fp_id} ${reference(row)}`);
  expect(left.sort()).toEqual([`${fp_id} ${BACK}:2`, `${fp_id} ${BACK}:5`]);
});
