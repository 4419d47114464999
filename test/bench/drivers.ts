/**
 * Compares Node's own SQLite with the package in one process. They take turns with the work that a request causes in a
 * store.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/storage/sqlite/database.ts';
import { nodeSqlite, packagedSqlite, type LoadedSqlite } from '../../src/storage/sqlite/load.ts';
import { median } from './crowds.ts';

const ROWS = 5_000;
const COMMITS = 100;
const READS = 20_000;
const LISTS = 500;

/** Each function returns the number of operations that it has done. */
const WORK: Readonly<Record<string, (database: Database) => number>> = {
  'rows inserted in one transaction': (database) => {
    const insert = database.prepare<[string, Uint8Array]>('INSERT INTO sealed_values VALUES (?, ?)');
    const content = Buffer.alloc(120, 7);
    database.transaction(() => {
      database.exec('DELETE FROM sealed_values');
      for (let row = 0; row < ROWS; row++) insert.run(`row ${row}`, content);
    })();
    return ROWS;
  },
  'commits of one row': (database) => {
    const update = database.prepare<[Uint8Array, string]>('UPDATE sealed_values SET sealed = ? WHERE id = ?');
    // The bytes differ each time, because SQLite writes nothing when they are the same.
    for (let row = 0; row < COMMITS; row++) update.run(randomBytes(120), `row ${row}`);
    return COMMITS;
  },
  'rows read by their key': (database) => {
    const read = database.prepare<[string]>('SELECT id, sealed FROM sealed_values WHERE id = ?').raw();
    for (let row = 0; row < READS; row++) read.get(`row ${row % ROWS}`);
    return READS;
  },
  'lists of 100 rows': (database) => {
    const list = database
      .prepare<[string]>('SELECT id, sealed FROM sealed_values WHERE id > ? ORDER BY id LIMIT 100')
      .raw();
    for (let index = 0; index < LISTS; index++) list.all(`row ${index}`);
    return LISTS;
  },
};

/** Returns the operations per second, the median of the rounds. Throws when this Node can't use both. */
export function timeDrivers(rounds: number) {
  const node = nodeSqlite();
  if (!node) throw new Error(`Node ${process.versions.node} has no SQLite of its own that kyclone uses`);
  const folder = mkdtempSync(join(tmpdir(), 'kyclone-bench-'));
  const open = (sqlite: LoadedSqlite, name: string) => {
    const database = new Database(join(folder, name), {}, sqlite);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('CREATE TABLE sealed_values (id TEXT PRIMARY KEY, sealed BLOB) STRICT, WITHOUT ROWID');
    return database;
  };
  const both = { node: open(node, 'node.db'), packaged: open(packagedSqlite(), 'packaged.db') };
  try {
    return Object.entries(WORK).map(([name, work]) => {
      const rates = { node: [] as number[], packaged: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        for (const which of ['node', 'packaged'] as const) {
          const from = performance.now();
          const rate = work(both[which]) / ((performance.now() - from) / 1_000);
          // The first round is not counted, because the compiler optimises the code in it.
          if (round > 0) rates[which].push(rate);
        }
      }
      return { name, node: median(rates.node), packaged: median(rates.packaged) };
    });
  } finally {
    for (const database of Object.values(both)) database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
