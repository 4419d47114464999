/**
 * The head of the access log is also kept beside the store. A log that was shortened together with its head is
 * reported, and an intact log never is.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, done } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

const verify = async (daemon: Kycloned) => (await daemon.control('GET', '/_kyclone/access-log/verify')).body;
const stateOf = async (daemon: Kycloned) => ((await verify(daemon))['anchor'] as { state: string }).state;

async function anInstance() {
  const home = tempDir();
  const first = await startKycloned({ home });
  const { storeFile, dataDirectory } = first.paths;
  return { home, first, storeFile, anchor: join(dataDirectory, 'access-log.anchor') };
}

async function read(daemon: Kycloned, times = 3) {
  const user = await aUser(daemon, { 'id.first_name': 'Canary-71' });
  for (let time = 0; time < times; time++) await done(decrypt(daemon, user, ['id.first_name']));
}

/** What a store says of itself that has a log of its own number, or has come this far. */
const NUMBER =
  "DELETE FROM instance_values WHERE name IN ('access log number', 'store position', 'log begun on')";

function edit(storeFile: string, ...sql: string[]): void {
  const database = openDatabase(storeFile);
  for (const line of sql) database.exec(line);
  database.close();
}

test('anchor: a log that was shortened with its head, and a changed or removed anchor, are reported', async () => {
  const { home, storeFile, anchor, first } = await anInstance();
  let daemon = first;
  await read(daemon);
  await daemon.stop();
  const older = join(home, 'older.db');
  copyFileSync(storeFile, older);
  daemon = await startKycloned({ home });
  await read(daemon);
  await daemon.stop();
  const newer = readFileSync(storeFile);
  const intact = readFileSync(anchor, 'utf8');
  expect(statSync(anchor).mode & 0o777).toBe(0o600);

  copyFileSync(older, storeFile);
  edit(storeFile, "UPDATE instance_values SET value = '1000' WHERE name = 'store position'");
  for (let start = 0; start < 2; start++) {
    daemon = await startKycloned({ home });
    if (start === 1) await read(daemon, 1);
    expect(await verify(daemon)).toMatchObject({
      ok: false,
      first_bad_seq: null,
      anchor: { state: 'log_behind', seq: 6 },
    });
    await daemon.stop();
  }
  expect(readFileSync(anchor, 'utf8')).toBe(intact);

  writeFileSync(storeFile, newer);
  daemon = await startKycloned({ home });
  writeFileSync(anchor, intact.replace('"seq":6', '"seq":3'));
  expect(await verify(daemon)).toMatchObject({ ok: false, anchor: { state: 'damaged' } });
  await daemon.stop();
  rmSync(anchor);
  edit(storeFile, NUMBER);
  daemon = await startKycloned({ home });
  expect(await verify(daemon)).toMatchObject({ ok: false, anchor: { state: 'missing' } });
  await daemon.stop();
  writeFileSync(storeFile, newer);
  writeFileSync(anchor, intact);
  daemon = await startKycloned({ home });
  await until('the anchor is level', async () => (await stateOf(daemon)) === 'level');
  expect(await verify(daemon)).toMatchObject({ ok: true });
});

test('anchor: a store that had one does not pass for a new one, even without its row; a loaded snapshot starts a new log', async () => {
  const { home, storeFile, anchor, first } = await anInstance();
  let daemon = first;
  const without = async (...sql: string[]) => {
    await daemon.stop();
    rmSync(anchor, { force: true });
    edit(storeFile, ...sql);
    daemon = await startKycloned({ home });
  };
  await read(daemon);
  await without(NUMBER);
  expect(await verify(daemon)).toMatchObject({
    ok: false,
    first_bad_seq: null,
    anchor: { state: 'missing' },
  });
  // Neither another entry nor a cut-off end makes the store count as a new one.
  await read(daemon, 1);
  await without(NUMBER);
  expect(await verify(daemon)).toMatchObject({ ok: false, anchor: { state: 'missing' } });
  await without(NUMBER, 'DELETE FROM access_log WHERE seq > 2');
  await read(daemon, 1);
  await without(NUMBER);
  expect(await verify(daemon)).toMatchObject({ ok: false, checked: 3, anchor: { state: 'missing' } });

  await daemon.control('PUT', '/_kyclone/snapshots/now');
  const loaded = await daemon.control('POST', '/_kyclone/snapshots/now/load');
  expect(loaded.status, loaded.text).toBe(200);
  await until('the loaded log is anchored', async () => (await stateOf(daemon)) === 'level');
  expect(await verify(daemon)).toMatchObject({ ok: true, checked: 3 });
  await without(NUMBER);
  expect(await stateOf(daemon)).toBe('missing');
  await daemon.control('POST', '/_kyclone/reset');
  await until('the empty log is anchored', async () => (await stateOf(daemon)) === 'level');
  await without(NUMBER);
  expect(await stateOf(daemon)).toBe('missing');
});

test('anchor: a kill between commit and anchor, a reset and a load leave a sound log sound', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home });
  for (let round = 0; round < 4; round++) {
    await read(daemon, 2);
    await daemon.stop('SIGKILL');
    daemon = await startKycloned({ home });
    expect(await verify(daemon)).toMatchObject({ ok: true, checked: (round + 1) * 2 });
    await until('it is anchored', async () => (await stateOf(daemon)) === 'level');
  }
  await daemon.control('PUT', '/_kyclone/snapshots/one');
  await read(daemon, 5);
  expect((await daemon.control('POST', '/_kyclone/snapshots/one/load')).status).toBe(200);
  expect((await verify(daemon))['ok']).toBe(true);
  await until('the loaded log is anchored', async () => (await stateOf(daemon)) === 'level');
  await daemon.control('POST', '/_kyclone/reset');
  expect(await verify(daemon)).toMatchObject({ ok: true, checked: 0 });
  await daemon.stop('SIGKILL');
  daemon = await startKycloned({ home });
  expect((await verify(daemon))['ok']).toBe(true);
});

test('anchor: a store from before its first entry, put back without an anchor, does not pass for one of an older version', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home });
  const { storeFile, dataDirectory } = daemon.paths;
  const anchor = join(dataDirectory, 'access-log.anchor');
  await daemon.stop('SIGKILL');
  const files = ['', '-wal'].filter((end) => existsSync(`${storeFile}${end}`));
  for (const end of files) copyFileSync(`${storeFile}${end}`, join(home, `first.db${end}`));
  daemon = await startKycloned({ home });
  await read(daemon);
  await daemon.stop();

  for (const end of files) copyFileSync(join(home, `first.db${end}`), `${storeFile}${end}`);
  rmSync(anchor);
  daemon = await startKycloned({ home });
  expect(await verify(daemon)).toMatchObject({ ok: false, anchor: { state: 'missing' } });
});
