/** The process that checks the pages of a snapshot. It starts before the snapshot is written. */
import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createStoreChecks } from '../../src/daemon/store-checks.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createSnapshotFolder } from '../../src/storage/snapshot-folder.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/kycloned.js');

function aStore(folder: string, program = PROGRAM) {
  const file = join(folder, 'vault.db');
  const database = openDatabase(file);
  database.exec(`CREATE TABLE large (x BLOB);
    WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 2000)
    INSERT INTO large SELECT randomblob(1000) FROM rows`);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const copy = join(folder, 'copy.db');
  copyFileSync(file, copy);
  const checks = createStoreChecks({
    database,
    folder: createSnapshotFolder({ folder: join(folder, 'snapshots'), isDurable: false }),
    program,
  });
  return { checks, copy, [Symbol.dispose]: () => void database.close() };
}

/** Returns the checking processes that this process has started. */
const running = () =>
  execFileSync('ps', ['-o', 'ppid=,args=', '-A'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes('--check-next'));

test('page checks: a process that was started before finds whether the copy is intact', async () => {
  using folder = tempDir();
  using store = aStore(folder.path);
  expect(await store.checks.beginPageCheck().run(store.copy)).toBe(true);

  const check = store.checks.beginPageCheck();
  const file = openSync(store.copy, 'r+');
  writeSync(file, Buffer.alloc(8192, 0xff), 0, 8192, Math.floor(statSync(store.copy).size / 8192) * 4096);
  closeSync(file);
  expect(await check.run(store.copy)).toBe(false);
});

test('page checks: a process that is not used ends', async () => {
  using folder = tempDir();
  using store = aStore(folder.path);
  const check = store.checks.beginPageCheck();
  expect(running()).toHaveLength(1);
  check.end();
  await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 10_000, interval: 50 });
});

test('page checks: a process that ended before it was used has checked nothing', async () => {
  using folder = tempDir();
  using store = aStore(folder.path, join(folder.path, 'nowhere.js'));
  const check = store.checks.beginPageCheck();
  await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 10_000, interval: 50 });
  await expect(check.run(store.copy)).rejects.toMatchObject({ code: 'not_ready' });
});
