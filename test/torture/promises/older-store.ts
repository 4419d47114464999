/** R13: a store of every earlier schema opens and keeps its users, however often its migration is killed. */
import { rmSync, writeFileSync } from 'node:fs';
import { openBinding } from '../../../src/storage/binding.ts';
import { expect } from 'vitest';
import { APPLICATION_ID } from '../../../src/storage/database.ts';
import { forgetLogNumber } from '../../../src/storage/log-number.ts';
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { launch, startKycloned, tempDir } from '../../support/kycloned.ts';
import { aUser, decrypt } from '../../support/kycloned-calls.ts';
import { makeStoreOlder, vaultKeyOf } from '../../support/older-store.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { underInjection } from '../strace.ts';
import { bytesOf } from '../../support/store-bytes.ts';

/** The migration and the first writes after it make about this many writes; no later one is tried. */
const FURTHEST_WRITE = 60;

const KEY = '0f'.repeat(32);
const environment = { KYCLONE_VAULT_KEY: KEY };
/** The last schema without seals on rows, and the last one without seals on results. makeStoreOlder leaves these. */
const UNSEALED = 5;
const FIRST_SEALED = 7;

/** Changes a store into one of the first `version` migrations, with the rows and columns of that time. */
function makeOlder(path: string, version: number): void {
  const now = openBinding(path);
  const older = openBinding(':memory:');
  for (const sql of MIGRATIONS.slice(0, version)) older.exec(sql);
  older.pragma(`application_id = ${APPLICATION_ID}`);
  older.pragma(`user_version = ${version}`);
  older.pragma('foreign_keys = OFF');
  const tables = older
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  for (const table of tables.filter((name) => !name.startsWith('sqlite_'))) {
    const known = (older.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
    older.exec(`DELETE FROM ${table}`);
    for (const row of now.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]) {
      const names = known.filter((name) => name in row);
      const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`;
      older.prepare(sql).run(...names.map((name) => row[name]));
    }
  }
  now.close();
  // The header of the new file has no number of a log.
  forgetLogNumber(older);
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  older.pragma('journal_mode = WAL');
  writeFileSync(path, bytesOf(older), { mode: 0o600 });
  older.close();
}

export const olderStore: TorturePromise = {
  id: 'R13',
  name: 'older-store',
  says: 'a store of an earlier schema opens and keeps its users, its migration killed or not',
  needs: ['strace'],
  async *rounds({ random, count }: Run) {
    for (;;) {
      const home = tempDir();
      const first = await startKycloned({ home, environment });
      const body = { 'id.first_name': 'Jane' };
      const id = await aUser(first, body);
      await first.stop();
      const { storeFile } = first.paths;
      const version = random.between(1, FIRST_SEALED);
      makeStoreOlder(storeFile, vaultKeyOf(storeFile, KEY), version > UNSEALED ? 1 : 0);
      makeOlder(storeFile, version);
      const kills = random.below(3);
      for (let kill = 0; kill < kills; kill++) {
        const when = String(random.between(1, FURTHEST_WRITE));
        const injection = { calls: 'pwrite64,fsync', effect: 'signal=SIGKILL', when };
        const killed = launch({ home, environment, under: underInjection(injection) });
        await killed.announced;
        killed.process.kill('SIGKILL');
        await killed.ended;
        count('kills');
      }
      const daemon = await startKycloned({ home, environment });
      expect((await decrypt(daemon, id, ['id.first_name'])).body).toEqual(body);
      expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
      await daemon.stop();
      count('older stores');
      yield;
    }
  },
};
