/**
 * An attacker edits the database and the folder of files: descriptors are moved, and sealed bytes are exchanged,
 * renamed, changed or cut. A read of what was changed fails with the named error or is cut off before the first wrong
 * byte. Everything else still reads.
 */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
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
const HEADER = 8;
const SEALED_CHUNK = 65_536 + 16;

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

test('descriptors: swapping those of two versions of one identifier restores no old file', async () => {
  const stage = await aStage();
  const { alice, bruno } = stage;
  const daemon = await restartedAfter(stage.daemon, (store) =>
    swapDescriptors(store, alice.front, alice.front2),
  );
  await expectDamaged(daemon, alice.front);
  await expectUnreadable(daemon, alice.front2);
  await expectIntact(daemon, alice.back, bruno.front, bruno.back);
});

test('descriptors: one that was renamed to another identifier or version opens under neither', async () => {
  const stage = await aStage();
  const { alice, bruno } = stage;
  const selfie = { ...bruno.back, identifier: 'document.id_card.selfie.image' };
  const older = { ...alice.back, version: 1 };
  const daemon = await restartedAfter(stage.daemon, (store) => {
    const rename = (column: string, place: Place, to: string | number) => {
      const { fp_id, identifier, version } = place;
      const sql = `UPDATE vault_values SET ${column} = @to ${WHERE}`;
      expect(store.prepare(sql).run({ fp_id, identifier, version, to }).changes).toBe(1);
    };
    rename('identifier', bruno.back, selfie.identifier);
    rename('version', alice.back, older.version);
  });
  await expectUnreadable(daemon, selfie, older);
  expect(await decrypted(daemon, bruno.back.fp_id, BACK)).toEqual([undefined]);
  await expectIntact(daemon, alice.front, alice.front2, bruno.front);
});

test('descriptors: one in the place of a text, and a text in the place of one, read as neither', async () => {
  const stage = await aStage();
  const { alice } = stage;
  const note = { fp_id: alice.front.fp_id, identifier: 'custom.note', version: 4 };
  const daemon = await restartedAfter(stage.daemon, (store) => swapDescriptors(store, alice.back, note));
  await expectDamaged(daemon, alice.back);
  await expectDamaged(daemon, note);
  await expectIntact(daemon, alice.front, alice.front2);
});

test('descriptors: the rows of two users’ files, swapped whole, give neither the files of the other', async () => {
  const stage = await aStage();
  const { alice, bruno } = stage;
  const daemon = await restartedAfter(stage.daemon, (store) => {
    const [one, other] = store.prepare('SELECT id FROM entities ORDER BY id').pluck().all() as number[];
    store.pragma('foreign_keys = OFF');
    for (const table of ['vault_values', 'vault_files']) {
      const move = store.prepare(`UPDATE ${table} SET entity = ? WHERE entity = ?`);
      move.run(-1, one);
      move.run(one, other);
      move.run(other, -1);
    }
  });
  for (const place of [alice.front, alice.back, bruno.front, bruno.back]) await expectDamaged(daemon, place);
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

test('files: of two users, exchanged on disk, open under neither name', async () => {
  const { daemon, alice, bruno, pathOf } = await aStageOnDisk();
  const aside = join(daemon.home, 'aside');
  renameSync(pathOf(alice.back), aside);
  renameSync(pathOf(bruno.back), pathOf(alice.back));
  renameSync(aside, pathOf(bruno.back));
  await expectUnreadable(daemon, alice.back, bruno.back);
  await expectIntact(daemon, alice.front, alice.front2, bruno.front);
});

test('files: an old version’s bytes under the new version’s name are not the new version', async () => {
  const { daemon, alice, pathOf } = await aStageOnDisk();
  copyFileSync(pathOf(alice.front), pathOf(alice.front2));
  await expectUnreadable(daemon, alice.front2);
  await expectIntact(daemon, alice.front, alice.back);
});

test('files: a renamed, removed or replaced file is damaged, and the daemon continues', async () => {
  const { daemon, alice, bruno, pathOf } = await aStageOnDisk();
  const path = pathOf(alice.back);
  const sealed = readFileSync(path);
  const other = `${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}`;
  const changes: Record<string, () => void> = {
    renamed: () => writeFileSync(other, sealed),
    removed: () => undefined,
    'a folder': () => mkdirSync(path),
    'a link to the very bytes': () => {
      writeFileSync(join(daemon.home, 'aside'), sealed);
      symlinkSync(join(daemon.home, 'aside'), path);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    rmSync(path, { recursive: true, force: true });
    change();
    await expectUnreadable(daemon, alice.back);
    await expectIntact(daemon, alice.front, bruno.back);
    expect([what, (await daemon.call('GET', `/users/${alice.back.fp_id}`)).status]).toEqual([what, 200]);
  }
});

test('files: one that was cut or made longer gives no byte', async () => {
  const { daemon, alice, pathOf } = await aStageOnDisk();
  const path = pathOf(alice.back);
  const sealed = readFileSync(path);
  for (const length of [
    0,
    1,
    HEADER,
    HEADER + 16,
    HEADER + SEALED_CHUNK,
    HEADER + 3 * SEALED_CHUNK,
    sealed.length - 16,
    sealed.length - 1,
  ]) {
    writeFileSync(path, sealed);
    truncateSync(path, length);
    await expectUnreadable(daemon, alice.back);
  }
  writeFileSync(path, Buffer.concat([sealed, Buffer.alloc(1)]));
  await expectUnreadable(daemon, alice.back);
  writeFileSync(path, sealed);
  await expectIntact(daemon, alice.back);
});

/** Returns a copy with one bit flipped. */
function flipped(sealed: Buffer, index: number): Buffer {
  const changed = Buffer.from(sealed);
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
  return changed;
}

test('files: a bit flipped in the header or the first chunk gives no byte', async () => {
  const { daemon, alice, pathOf } = await aStageOnDisk();
  const path = pathOf(alice.back);
  const sealed = readFileSync(path);
  for (const index of [0, HEADER - 1, HEADER, HEADER + 40_000, HEADER + SEALED_CHUNK - 1]) {
    writeFileSync(path, flipped(sealed, index));
    await expectUnreadable(daemon, alice.back);
  }
});

test('files: a change further in cuts the download off before the first wrong byte', async () => {
  const { daemon, alice, pathOf } = await aStageOnDisk();
  const path = pathOf(alice.back);
  const sealed = readFileSync(path);
  const chunk = (index: number) =>
    sealed.subarray(HEADER + index * SEALED_CHUNK, HEADER + (index + 1) * SEALED_CHUNK);
  const start = sealed.subarray(0, HEADER);
  const changes: Record<string, [whole: number, change: Buffer]> = {
    'in the second chunk': [1, flipped(sealed, HEADER + SEALED_CHUNK)],
    'in the tag of the third': [2, flipped(sealed, HEADER + 3 * SEALED_CHUNK - 1)],
    'in the last': [3, flipped(sealed, sealed.length - 1)],
    'second and third exchanged': [1, Buffer.concat([start, chunk(0), chunk(2), chunk(1), chunk(3)])],
    'the second twice': [2, Buffer.concat([start, chunk(0), chunk(1), chunk(1), chunk(3)])],
    'another file’s end': [
      2,
      Buffer.concat([
        sealed.subarray(0, HEADER + 2 * SEALED_CHUNK),
        readFileSync(pathOf(alice.front)).subarray(HEADER + 2 * SEALED_CHUNK),
      ]),
    ],
  };
  for (const [what, [whole, change]] of Object.entries(changes)) {
    expect([what, change.length]).toEqual([what, sealed.length]);
    writeFileSync(path, change);
    await expectDamaged(daemon, alice.back);
    const { status, headers, bytes, isWhole } = await download(daemon, alice.back);
    expect([what, status, headers['content-length'], isWhole]).toEqual([what, 200, String(LENGTH), false]);
    expect(bytes.length).toBeLessThanOrEqual(whole * 65_536);
    expectSame(bytes, contentOf(alice.back).subarray(0, bytes.length), what);
  }
});

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

test('files: those that the store does not name any more are gone after the next start, and damaged', async () => {
  const stage = await aStageOnDisk();
  const { alice } = stage;
  const daemon = await restartedAfter(stage.daemon, (store) => store.exec('DELETE FROM vault_files'));
  for (const place of [alice.front, alice.front2, alice.back]) await expectDamaged(daemon, place);
  expect((await decrypted(daemon, alice.front.fp_id, 'custom.note'))[0]).toBeDefined();
});
