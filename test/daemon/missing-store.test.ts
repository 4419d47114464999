/** A missing store. A start never takes it for a new one, and a running daemon writes no more. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { anchorFileOf } from '../../src/storage/store-position.ts';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { refusedStart, startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';

const MISSING = { status: 503, body: { code: 'store_missing' } };
const JANE = { 'id.first_name': 'Jane' };
const IMAGE = 'document.id_card.front.image';

const environment = { KYCLONE_VAULT_KEY: '0f'.repeat(32) };

/** A stopped instance with a user who has a file. */
const stoppedWithFile = restoredInstance(async (daemon) => {
  const user = await aUser(daemon, JANE);
  const uploaded = await daemon.call('POST', `/users/${user}/vault/${IMAGE}/upload`, {
    body: 'not an image, but bytes',
    headers: { 'content-type': 'image/png' },
  });
  expect(uploaded.status).toBe(200);
  return { files: join(daemon.paths.dataDirectory, 'files') };
}, environment);

test.each<[string, (file: string) => void]>([
  ['moved away', (file) => renameSync(file, `${file}.elsewhere`)],
  ['emptied', (file) => writeFileSync(file, '')],
])(
  'start: a store that was %s is not replaced by a new one, and its sealed files are kept',
  async (_what, harm) => {
    const { home, paths, files } = await stoppedWithFile();
    const before = readdirSync(files);
    expect(before).toHaveLength(1);
    copyFileSync(paths.storeFile, `${paths.storeFile}.copy`);
    harm(paths.storeFile);

    const refused = await refusedStart({ home, environment });
    expect(refused).toMatchObject({ code: 1, announced: { code: 'store_missing' } });
    expect(refused.announced?.message).toContain(paths.storeFile);
    expect(refused.announced?.message).toContain(files);
    expect(readdirSync(files)).toEqual(before);

    renameSync(`${paths.storeFile}.copy`, paths.storeFile);
    const again = await startKycloned({ home, environment });
    expect((await again.call('GET', '/users')).body['data']).toHaveLength(1);
  },
);

test('start: a missing store beside snapshots only, or beside its log only, is refused, and nothing is made', async () => {
  const daemon = await startKycloned();
  await aUser(daemon, JANE);
  expect((await daemon.control('PUT', '/_kyclone/snapshots/kept')).status).toBe(200);
  await daemon.stop('SIGKILL');
  const { storeFile, dataDirectory } = daemon.paths;
  rmSync(storeFile);
  const both = await refusedStart({ home: daemon.home });
  expect(both).toMatchObject({ code: 1, announced: { code: 'store_missing' } });
  expect(both.announced?.message).toContain(join(dataDirectory, 'snapshots'));
  expect(existsSync(storeFile)).toBe(false);
  expect(existsSync(`${storeFile}-wal`)).toBe(true);

  rmSync(join(dataDirectory, 'snapshots'), { recursive: true });
  const logOnly = await refusedStart({ home: daemon.home });
  expect(logOnly.announced).toMatchObject({ code: 'store_missing' });
  expect(logOnly.announced?.message).toContain(`${storeFile}-wal`);
  expect(existsSync(`${storeFile}-wal`)).toBe(true);

  // SQLite would remove the log of an empty file when it opens it.
  writeFileSync(storeFile, '');
  expect((await refusedStart({ home: daemon.home })).announced).toMatchObject({ code: 'store_missing' });
  expect(existsSync(`${storeFile}-wal`)).toBe(true);
});

test('start: a blank database in the place of the store is refused beside sealed files', async () => {
  const { home, paths, files } = await stoppedWithFile();
  rmSync(paths.storeFile);
  const blank = openBinding(paths.storeFile);
  blank.exec('CREATE TABLE notes (id); DROP TABLE notes');
  blank.close();

  const refused = await refusedStart({ home, environment });
  expect(refused.announced).toMatchObject({ code: 'store_missing' });
  expect(refused.announced?.message).toContain(files);
  expect(readdirSync(files)).toHaveLength(1);
});

test('start: beside a store of the same key without entities, sealed files are not swept', async () => {
  const { home, paths, files } = await stoppedWithFile();
  const other = await startKycloned({ environment });
  await other.stop();
  copyFileSync(other.paths.storeFile, paths.storeFile);
  // Its anchor, too: which of the two stores has more commits depends on how long each ran.
  copyFileSync(anchorFileOf(other.paths.storeFile), anchorFileOf(paths.storeFile));

  await startKycloned({ home, environment });
  expect(readdirSync(files)).toHaveLength(1);
});

test('start: a folder without a store, files, snapshots or an anchor is a new instance', async () => {
  const home = tempDir();
  const { paths, stop } = await startKycloned({ home });
  await stop();
  rmSync(paths.storeFile);
  rmSync(anchorFileOf(paths.storeFile));
  mkdirSync(join(paths.dataDirectory, 'files'), { recursive: true });
  const again = await startKycloned({ home });
  expect((await again.call('GET', '/users')).status).toBe(200);
});

test.each<[string, (daemon: Kycloned) => void]>([
  ['the data folder was removed', ({ paths }) => rmSync(paths.dataDirectory, { recursive: true })],
  ['the store was moved', ({ paths }) => renameSync(paths.storeFile, `${paths.storeFile}.elsewhere`)],
  [
    'another file took the place of the store',
    ({ paths: { storeFile } }) => {
      copyFileSync(storeFile, `${storeFile}.copy`);
      renameSync(`${storeFile}.copy`, storeFile);
    },
  ],
  ['the log was removed', ({ paths }) => rmSync(`${paths.storeFile}-wal`)],
])(
  'write: under a running daemon %s: it stops writing, reports it, and stops cleanly',
  async (_what, harm) => {
    const daemon = await startKycloned();
    const id = await aUser(daemon, JANE);
    harm(daemon);

    // Each commit checks the store itself, so the test need not wait.
    const refused = await daemon.call('POST', '/users', { body: JANE });
    expect(refused).toMatchObject(MISSING);
    expect(refused.body['message']).toContain(daemon.paths.storeFile);
    expect(await daemon.call('DELETE', `/users/${id}`)).toMatchObject(MISSING);
    const upload = await daemon.call('POST', `/users/${id}/vault/${IMAGE}/upload`, {
      body: 'bytes',
      headers: { 'content-type': 'image/png' },
    });
    expect(upload).toMatchObject(MISSING);
    expect(existsSync(join(daemon.paths.dataDirectory, 'files'))).toBe(false);
    expect((await daemon.call('GET', `/users/${id}`)).status).toBe(200);

    await until('the instance says that it is not ready', async () => {
      const { status, body } = await daemon.control('GET', '/_kyclone/ready');
      return status === 503 && body['reason'] === 'store_missing';
    });
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  },
);

test('write: when the store is back in its place, the daemon writes again', async () => {
  const daemon = await startKycloned();
  const { storeFile } = daemon.paths;
  renameSync(storeFile, `${storeFile}.elsewhere`);
  expect(await daemon.call('POST', '/users', { body: JANE })).toMatchObject(MISSING);
  renameSync(`${storeFile}.elsewhere`, storeFile);
  await aUser(daemon, JANE);
  await until(
    'it is ready again',
    async () => (await daemon.control('GET', '/_kyclone/ready')).status === 200,
  );
});

test('snapshot: with the data folder removed, the first try saves the state, which opens elsewhere', async () => {
  const daemon = await startKycloned({ environment });
  await aUser(daemon, JANE);
  rmSync(daemon.paths.dataDirectory, { recursive: true });
  const file = join(tempDir(), 'rescue.kysnap');
  expect(await runCli(['snapshot', 'create', '--file', file], { home: daemon.home })).toMatchObject({
    code: 0,
  });
  await daemon.stop();
  const options = ['--import', file];
  const other = await startKycloned({ home: daemon.home, instance: 'other', environment, options });
  expect((await other.call('GET', '/users')).body['meta']).toMatchObject({ count: 1 });
});

test('load: with the store moved away, a snapshot is not loaded and the old state is served', async () => {
  const daemon = await startKycloned();
  const id = await aUser(daemon, JANE);
  expect((await daemon.control('PUT', '/_kyclone/snapshots/kept')).status).toBe(200);
  renameSync(daemon.paths.storeFile, `${daemon.paths.storeFile}.elsewhere`);
  expect(await daemon.control('POST', '/_kyclone/snapshots/kept/load')).toMatchObject(MISSING);
  expect(existsSync(daemon.paths.storeFile)).toBe(false);
  expect((await daemon.call('GET', `/users/${id}`)).status).toBe(200);
});
