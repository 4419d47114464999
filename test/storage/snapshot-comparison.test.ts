/**
 * The comparison of two snapshots. It finds every kind of difference, and works in slices so that other requests have
 * their turn.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { compareSnapshots } from '../../src/storage/snapshot-comparison.ts';
import { beginSnapshot } from '../../src/storage/snapshot-file.ts';
import { copyImage } from '../../src/storage/snapshot-image.ts';
import { turnsDuring } from '../support/event-turns.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const nameOf = (entity: number) => `fp_id_test_${String(entity).padStart(6, '0')}`;

function aStore(entities: number, path = join(tempDir(), 'vault.db')): Database {
  const database = openDatabase(path);
  database.exec(
    "INSERT INTO root_keys VALUES (1, x'00', 0); INSERT INTO spaces VALUES (1, 'a', 'sandbox', 0)",
  );
  addEntities(database, 1, entities);
  return database;
}

function addEntities(database: Database, first: number, count: number): void {
  const entity = database.prepare(
    `INSERT INTO entities (fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at)
     VALUES (?, 1, 'user', 1, x'00', 0, 0)`,
  );
  const value = database.prepare('INSERT INTO vault_values VALUES (?, ?, 1, ?, 0)');
  database.transaction(() => {
    for (let index = first; index < first + count; index++) {
      const { lastInsertRowid } = entity.run(nameOf(index));
      for (const name of ['id.first_name', 'id.email'])
        value.run(lastInsertRowid, name, Buffer.from(`${name} ${index}`));
    }
  })();
}

async function snapshotOf(database: Database): Promise<string> {
  const path = join(tempDir(), 'taken.kysnap');
  writeFileSync(path, '');
  await copyImage(database, path);
  beginSnapshot(path, { createdAt: 0, random: null, sealedVaultKey: null }).close();
  return path;
}

const NOTHING = { added: [], removed: [], identifiers: [], aspects: [] };

test('compare: a store with itself differs in nothing', async () => {
  const database = aStore(1_000);
  const [one, other] = [await snapshotOf(database), await snapshotOf(database)];
  expect(await compareSnapshots(one, other)).toEqual(NOTHING);
});

test('compare: values, columns and whatever else belongs to an entity, each reported once, in both directions', async () => {
  const database = aStore(1_000);
  database.exec("INSERT INTO tags VALUES ('tag_1', 5, 'a', 0), ('tag_2', 6, 'b', 0)");
  const before = await snapshotOf(database);
  database.exec(`
    UPDATE vault_values SET sealed = x'01' WHERE entity = 3 AND identifier = 'id.email';
    INSERT INTO vault_values VALUES (450, 'id.city', 2, x'02', 0), (451, 'id.email', 2, NULL, 0);
    UPDATE entities SET status = 'pass', external_id = 'x' WHERE id = 999;
    DELETE FROM entities WHERE id = 7;
    DELETE FROM tags WHERE id = 'tag_1';
    UPDATE tags SET tag = 'c' WHERE id = 'tag_2';
    INSERT INTO tags VALUES ('tag_3', 800, 'a', 0)`);
  addEntities(database, 1_001, 1);
  const after = await snapshotOf(database);

  const forward = await compareSnapshots(before, after);
  expect(forward.added).toEqual([nameOf(1_001)]);
  expect(forward.removed).toEqual([nameOf(7)]);
  const sorted = [...forward.identifiers].sort((a, b) =>
    `${a.fp_id} ${a.identifier}`.localeCompare(`${b.fp_id} ${b.identifier}`),
  );
  expect(sorted.map(({ fp_id, identifier, change }) => `${fp_id} ${identifier} ${change}`)).toEqual([
    `${nameOf(3)} id.email changed`,
    `${nameOf(7)} id.email removed`,
    `${nameOf(7)} id.first_name removed`,
    `${nameOf(450)} id.city added`,
    `${nameOf(451)} id.email removed`,
    `${nameOf(1_001)} id.email added`,
    `${nameOf(1_001)} id.first_name added`,
  ]);
  expect(forward.aspects.map(({ fp_id, aspect }) => `${fp_id} ${aspect}`).sort()).toEqual([
    `${nameOf(5)} tags`,
    `${nameOf(6)} tags`,
    `${nameOf(800)} tags`,
    `${nameOf(999)} external_id`,
    `${nameOf(999)} status`,
  ]);

  const backward = await compareSnapshots(after, before);
  expect([backward.added, backward.removed]).toEqual([forward.removed, forward.added]);
  expect(backward.identifiers).toHaveLength(forward.identifiers.length);
  expect(backward.aspects).toHaveLength(forward.aspects.length);
});

test('compare: the same entities under other row ids differ in nothing', async () => {
  const [one, other] = [aStore(50), aStore(0)];
  addEntities(other, 20, 31);
  addEntities(other, 1, 19);
  one.exec("INSERT INTO tags VALUES ('tag_1', 5, 'a', 0)");
  other.exec(`INSERT INTO tags SELECT 'tag_1', id, 'a', 0 FROM entities WHERE fp_id = '${nameOf(5)}'`);
  expect(await compareSnapshots(await snapshotOf(one), await snapshotOf(other))).toEqual(NOTHING);
  other.exec(
    "UPDATE tags SET tag = 'b'; UPDATE vault_values SET sealed = x'03' WHERE entity = 1 AND identifier = 'id.email'",
  );
  const { aspects, identifiers } = await compareSnapshots(await snapshotOf(one), await snapshotOf(other));
  expect(aspects).toEqual([{ fp_id: nameOf(5), aspect: 'tags' }]);
  expect(identifiers).toEqual([{ fp_id: nameOf(20), identifier: 'id.email', change: 'changed' }]);
});

test('compare: the work grows with the entities and no faster, and others have a turn after each slice', async () => {
  const slicesOf = async (entities: number) => {
    const database = aStore(entities);
    const path = await snapshotOf(database);
    let slices = 0;
    const { result, turns } = await turnsDuring(() =>
      compareSnapshots(path, path, { onSlice: () => (slices += 1) }),
    );
    expect(result).toEqual(NOTHING);
    expect(turns).toBeGreaterThanOrEqual(slices - 1);
    return slices;
  };
  // A slice compares 400 entities. One more slice finds that there are no more.
  expect(await slicesOf(2_000)).toBe(5 + 1);
  expect(await slicesOf(8_000)).toBe(20 + 1);
});

function emptyFile(): string {
  const path = join(tempDir(), 'copy');
  writeFileSync(path, '');
  return path;
}

/** Returns the number of entities of an image. Checks that the file and each entity are complete. */
function entitiesOfImage(path: string): number {
  const image = openDatabase(path);
  expect(image.pragma('integrity_check', { simple: true })).toBe('ok');
  const countOf = (table: string) => image.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  const entities = countOf('entities');
  expect(countOf('vault_values')).toBe(2 * entities);
  image.close();
  return entities;
}

test('image: a store in a file is copied while others write, and holds earlier commits', async () => {
  const database = aStore(2_000);
  const path = emptyFile();
  const copying = copyImage(database, path);
  addEntities(database, 5_000, 500);
  await copying;
  expect(entitiesOfImage(path)).toBe(2_000);
  expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(4_096);
  expect(database.prepare('SELECT count(*) FROM entities').pluck().get()).toBe(2_500);
  database.close();
});

test.each([
  ['in memory', ':memory:', 0],
  ['in a file that is being copied already', undefined, 1],
])('image: a store %s is copied a few pages at a time while others write', async (_, place, copies) => {
  const database = aStore(2_000, place);
  // Makes hundreds of unused pages. Only a copy that blocks all other work would leave them out.
  database.exec(`INSERT INTO root_keys VALUES (71, zeroblob(4000000), 0), (72, zeroblob(4000000), 0);
    DELETE FROM root_keys WHERE version = 72`);
  expect(database.pragma('freelist_count', { simple: true })).toBeGreaterThan(256);
  const steps = Math.floor((database.pragma('page_count', { simple: true }) as number) / 256);
  expect(steps).toBeGreaterThan(5);
  const others = Array.from({ length: copies }, () => copyImage(database, emptyFile()));

  const path = emptyFile();
  let [written, isDone] = [0, false];
  const write = () => {
    if (isDone || written === steps) return;
    addEntities(database, 20_000 + written, 1);
    written += 1;
    setImmediate(write);
  };
  const copying = copyImage(database, path).then(() => (isDone = true));
  setImmediate(write);
  await Promise.all([copying, ...others]);

  const copied = entitiesOfImage(path) - 2_000;
  // Steps of the copy and turns of this process alternate only roughly.
  expect(written).toBeGreaterThan(1);
  // The image shows the store at the moment when the last page was copied.
  expect(copied).toBeGreaterThan(0);
  expect(copied).toBeLessThanOrEqual(written);
  database.close();
});
