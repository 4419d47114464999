/** A load that is cut off at each of its steps: what it leaves on disk, and what the next start does with it. */
import { copyFileSync, existsSync, linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { durableStore, memoryStore } from '../../src/daemon/store-home.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { prepareStore } from '../../src/storage/prepared-store.ts';
import { beginSnapshot, CURRENT_SCHEMA } from '../../src/storage/snapshot-file.ts';
import { writeImage } from '../../src/storage/snapshot-image.ts';
import { canMountSmallDisks, smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

const mark = (database: Database, text: string) =>
  database.prepare('INSERT INTO root_keys VALUES (71, ?, 0)').run(Buffer.from(text));
const markOf = (database: Database) =>
  Buffer.from(
    (database.prepare('SELECT sealed_key FROM root_keys WHERE version = 71').pluck().get() ??
      []) as Uint8Array,
  ).toString();

/** Makes a closed store marked `old`, and in its folder a prepared store marked `new`. */
async function stage(folder: string): Promise<{ file: string; prepared: string }> {
  const [file, prepared, other] = [join(folder, 'vault.db'), join(folder, 'prepared'), join(folder, 'other')];
  const later = openDatabase(other);
  mark(later, 'new');
  await writeImage(later, prepared);
  beginSnapshot(prepared, { createdAt: 0, random: null, sealedVaultKey: null }).close();
  later.close();
  prepareStore(prepared, CURRENT_SCHEMA).close();
  const now = openDatabase(file);
  mark(now, 'old');
  now.close();
  return { file, prepared };
}

function openedMark(file: string): unknown {
  const database = durableStore(file).open();
  const found = markOf(database);
  database.close();
  return found;
}

test('open: keeps the old store if a load was interrupted before the rename', async () => {
  using folder = tempDir();
  const { file } = await stage(folder.path);
  linkSync(file, `${file}.before`);

  expect(openedMark(file)).toBe('old');
  expect(existsSync(`${file}.before`)).toBe(false);
});

test('open: keeps the new store if a load was interrupted after the rename', async () => {
  using folder = tempDir();
  const { file, prepared } = await stage(folder.path);
  copyFileSync(file, `${file}.before`);
  copyFileSync(prepared, file);

  expect(openedMark(file)).toBe('new');
  expect(existsSync(`${file}.before`)).toBe(false);
});

test('open: restores the old store if the new one does not open, or is missing', async () => {
  using folder = tempDir();
  const { file } = await stage(folder.path);
  copyFileSync(file, `${file}.before`);
  copyFileSync(import.meta.filename, file);
  expect(openedMark(file)).toBe('old');

  using other = tempDir();
  const { file: gone } = await stage(other.path);
  copyFileSync(gone, `${gone}.before`);
  rmSync(gone);
  expect(openedMark(gone)).toBe('old');
});

test('replace: a store that does not open is put back, in a file and in memory', async () => {
  using folder = tempDir();
  const { file, prepared } = await stage(folder.path);
  copyFileSync(import.meta.filename, prepared);
  const home = durableStore(file);
  const current = home.open();
  expect(() => home.replace(current, prepared)).toThrow();
  const back = home.putBack(undefined);
  expect(markOf(back)).toBe('old');
  back.close();
  expect(existsSync(`${file}.before`)).toBe(false);

  copyFileSync(import.meta.filename, prepared);
  const memory = memoryStore();
  const there = memory.open();
  mark(there, 'old');
  expect(() => memory.replace(there, prepared)).toThrow();
  expect(markOf(memory.putBack(undefined))).toBe('old');
  there.close();
});

test('image: holds the latest writes, and the store continues', async () => {
  using folder = tempDir();
  const database = openDatabase(join(folder.path, 'vault.db'));
  mark(database, 'in the log');
  const writing = writeImage(database, join(folder.path, 'image'));
  database.exec("UPDATE root_keys SET sealed_key = CAST('later' AS BLOB)");
  await writing;

  const image = openDatabase(join(folder.path, 'image'));
  expect([markOf(image), markOf(database)]).toEqual(['in the log', 'later']);
  expect(image.pragma('integrity_check', { simple: true })).toBe('ok');
  image.close();
  database.close();
});

test('image: pages that are unused are left out', async () => {
  using folder = tempDir();
  const database = openDatabase(join(folder.path, 'vault.db'));
  for (const size of [100_000, 4_000_000]) {
    mark(database, 'Canary-71'.repeat(Math.floor(size / 9)));
    database.exec('DELETE FROM root_keys');
    const path = join(folder.path, String(size));
    await writeImage(database, path);
    expect(readFileSync(path).includes('Canary-71')).toBe(false);
    const image = openDatabase(path);
    expect(image.pragma('freelist_count', { simple: true })).toBe(0);
    image.close();
  }
  database.close();
});

test.skipIf(!canMountSmallDisks() && process.env['CI'] === undefined)(
  'open: on a full disk the failure names the disk, the file and what to do',
  () => {
    const disk = smallDisk(1);
    disk.fill(16 * 1024);
    const file = join(disk.path, 'vault.db');
    let failure: unknown;
    try {
      durableStore(file).open().close();
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'storage_full' });
    expect((failure as Error).message).toContain(file);
    expect((failure as Error).message).toContain('free some space');
  },
);
