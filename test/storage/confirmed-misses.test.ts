/** Index entries with damaged columns (docs/architecture.md#storage). The checks find them and don't skip them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBinding, type Database } from '../../src/storage/binding.ts';
import {
  requireAbsent,
  requireIntactAround,
  type OwnKey,
  type TableIndex,
} from '../../src/storage/confirmed-misses.ts';
import { pagesOfTrees } from '../support/damaged-pages.ts';
import { tempDir } from '../support/temp-dir.ts';

const PAGE_BYTES = 4_096;
const ENTRIES = 300;
const FIRST = 1_790_000_000_000;
const BY_AGE: TableIndex = { table: 'things', index: 'by_age', columns: ['space', 'made_at', 'name'] };
const KEY: OwnKey = {
  table: 'keys',
  columns: ['space', 'name'],
  twin: { index: 'keys_by_owner', columns: ['owner'] },
};

/** The first byte of a leaf page of an index, or of a table without row ids. */
const LEAF_OF_KEYS = 10;

const nameOf = (number: number) => `thing_${String(number).padStart(3, '0')}`;

/**
 * Makes a file with things and keys. Within a leaf page of one tree it overwrites the bytes at an offset from a name.
 */
function damaged(path: string, tree: string, damage: { name: string; at: number; bytes: readonly number[] }) {
  const store = openBinding(path);
  store.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, space INTEGER NOT NULL, made_at INTEGER NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE INDEX by_age ON things (space, made_at, name);
    CREATE TABLE keys (space INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (space, name)) STRICT, WITHOUT ROWID;
    CREATE INDEX keys_by_owner ON keys (owner, space, name)`);
  const insertThing = store.prepare('INSERT INTO things (space, made_at, name) VALUES (7, ?, ?)');
  const insertKey = store.prepare('INSERT INTO keys VALUES (7, ?, ?)');
  for (let number = 0; number < ENTRIES; number++) {
    insertThing.run(FIRST + number * 1_000, nameOf(number));
    insertKey.run(nameOf(number), `owner_${number}`);
  }
  store.close();
  const content = readFileSync(path);
  const page = pagesOfTrees(path, `name = '${tree}'`)
    .filter((page) => page.content[0] === LEAF_OF_KEYS)
    .map(({ number }) => content.subarray((number - 1) * PAGE_BYTES, number * PAGE_BYTES))
    .find((bytes) => bytes.includes(damage.name));
  const place = page?.indexOf(damage.name) ?? -1;
  expect(place).toBeGreaterThan(0);
  page?.set(damage.bytes, place + damage.at);
  writeFileSync(path, content);
}

function opened(path: string, use: (database: Database) => void): void {
  const database = openBinding(path);
  try {
    use(database);
  } finally {
    database.close();
  }
}

const DAMAGED = expect.objectContaining({ code: 'vault_damaged' }) as unknown;

/** Returns the error that a call throws. */
function thrownBy(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('a list: an entry that claims to be newer than those around it is met', () => {
  using folder = tempDir();
  const path = join(folder.path, 'store.db');
  // This is the third of the six bytes of the time. The change makes the entry years newer.
  damaged(path, 'by_age', { name: nameOf(20), at: -4, bytes: [0xff] });
  opened(path, (database) => {
    const around = FIRST + 100_000;
    expect(thrownBy(() => requireIntactAround(database, BY_AGE, [7, around]))).toEqual(DAMAGED);
  });
});

test('a key: an entry whose text became smaller is found at its old place', () => {
  using folder = tempDir();
  const path = join(folder.path, 'store.db');
  damaged(path, 'keys', { name: nameOf(20), at: 0, bytes: [0x41] });
  opened(path, (database) => {
    expect(thrownBy(() => requireAbsent(database, KEY, [7, nameOf(20)]))).toEqual(DAMAGED);
  });
});

test('a whole store: nothing is damaged around any place', () => {
  using folder = tempDir();
  const path = join(folder.path, 'store.db');
  damaged(path, 'by_age', { name: nameOf(20), at: 0, bytes: [] });
  opened(path, (database) => {
    for (const second of [-1, 0, 20, 150, 299, 400])
      requireIntactAround(database, BY_AGE, [7, FIRST + second * 1_000]);
    for (const name of ['a', 'thing_0205', 'thing_299x', 'z']) requireAbsent(database, KEY, [7, name]);
    expect(thrownBy(() => requireAbsent(database, KEY, [7, nameOf(20)]))).toEqual(DAMAGED);
  });
});
