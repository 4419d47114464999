/** The process that checks the pages of a snapshot. It starts before the snapshot is written. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStoreChecks } from '../../src/daemon/store-checks.ts';
import { createBlobStore } from '../../src/storage/blobs.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createSnapshotFolder } from '../../src/storage/snapshot-folder.ts';
import { until } from '../support/patience.ts';
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
    blobs: createBlobStore({ folder: join(folder, 'files'), isDurable: false }),
    program,
  });
  return { checks, copy, [Symbol.dispose]: () => database.close() };
}

/** Returns a program that leaves its process id and continues as `script` does. */
function leavingItsId(folder: string, script: string) {
  const [program, note] = [join(folder, 'program.cjs'), join(folder, 'process-id')];
  writeFileSync(
    program,
    `require('node:fs').writeFileSync(${JSON.stringify(note)}, String(process.pid)); ${script}`,
  );
  const isRunning = (id: number) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };
  // The file is there a moment before its content.
  const started = () =>
    until('it has started', () => (existsSync(note) && Number(readFileSync(note, 'utf8'))) || undefined);
  return { program, started, ended: (id: number) => until('it has ended', () => !isRunning(id)) };
}

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
  const { program, started, ended } = leavingItsId(folder.path, `require(${JSON.stringify(PROGRAM)})`);
  using store = aStore(folder.path, program);
  const check = store.checks.beginPageCheck();
  const id = await started();
  check.end();
  await ended(id);
});

test('page checks: a process that ended before it was used has checked nothing', async () => {
  using folder = tempDir();
  const { program, started, ended } = leavingItsId(folder.path, '');
  using store = aStore(folder.path, program);
  const check = store.checks.beginPageCheck();
  await ended(await started());
  await expect(check.run(store.copy)).rejects.toMatchObject({ code: 'not_ready' });
});
