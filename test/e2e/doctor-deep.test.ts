/**
 * `doctor --deep` with the real daemon and the real command finds damage that a start and usual requests don't meet.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InstancePaths } from '../../src/kernel/files/paths.ts';
import { aPng } from '../support/builders.ts';
import { jsonOf, runCli } from '../support/cli.ts';
import { contentOf } from '../support/contents.ts';
import { damagePage, makeLarge, pagesWith, readPages } from '../support/damaged-pages.ts';
import { startKycloned, tempDir } from '../support/kycloned.ts';
import { aUser, DAMAGED, done, inStore } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';
import '../support/tier-all.ts';

const JANE = { 'id.first_name': 'Jane' };
/** The first byte of a page that holds an index's keys. */
const INDEX_LEAF = 10;

interface Found {
  readonly code: number;
  readonly ok: unknown;
  readonly store: { readonly name: string; readonly outcome: string; readonly message: string } | undefined;
}

async function doctor(home: string, argv: readonly string[] = []): Promise<Found> {
  const outcome = await runCli(['doctor', '--deep', '--json', ...argv], { home });
  const { ok, checks } = jsonOf(outcome);
  const store = (checks as Required<Found>['store'][]).find((check) => check?.name === 'store');
  return { code: outcome.code, ok, store };
}

/** A stopped store that exceeds the size that a start checks whole, and the index page that holds one of its ids. */
const largeStore = restoredInstance(async (daemon) => {
  const users = await Promise.all(Array.from({ length: 40 }, () => aUser(daemon, JANE)));
  await daemon.stop();
  const { storeFile } = daemon.paths;
  makeLarge(storeFile);
  const pages = readPages(storeFile);
  const id = users[7] ?? '';
  const page = pagesWith(storeFile, id).find((number) => pages[number - 1]?.content[0] === INDEX_LEAF);
  if (page === undefined) throw new Error('no page of an index holds the id');
  return { id, page };
});

const draftsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.part'));

test('doctor --deep: a sound store is reported as sound, served or stopped, and nothing of the copy stays', async () => {
  const { home, paths } = await largeStore();
  const snapshots = join(paths.dataDirectory, 'snapshots');
  const well = { code: 0, ok: true, store: { outcome: 'ok' } };
  expect(await doctor(home)).toMatchObject(well);
  const again = await startKycloned({ home });
  expect(await doctor(home)).toMatchObject(well);
  expect((await again.call('POST', '/users', { body: JANE })).status).toBe(200);
  again.process.kill('SIGKILL');
  await again.ended;
  // This store has a log that the daemon had no time to copy into the database.
  expect(await doctor(home)).toMatchObject(well);
  expect(draftsIn(snapshots)).toEqual([]);
});

test('doctor --deep: a damaged page that a start does not meet is found in a served store, and writes end', async () => {
  const { home, paths, id, page } = await largeStore();
  const from = (readPages(paths.storeFile)[page - 1]?.content.indexOf(id) ?? 0) + 14;
  damagePage(paths.storeFile, page, 'flipped', { from, length: 2 });
  const served = await startKycloned({ home });

  const found = await doctor(home);
  expect(found).toMatchObject({ code: 1, ok: false, store: { outcome: 'fail' } });
  expect(found.store?.message).toMatch(/damaged: .*Restore the data folder/s);
  expect(await served.call('POST', '/users', { body: JANE })).toMatchObject(DAMAGED);
  expect(draftsIn(join(paths.dataDirectory, 'snapshots'))).toEqual([]);
});

test('doctor --deep: a damaged page of a stopped store is found, and the progress goes to stderr', async () => {
  const { home, paths, page } = await largeStore();
  damagePage(paths.storeFile, page, 'zeros');
  const before = contentOf(paths.storeFile);
  const { code, stdout, stderr } = await runCli(['doctor', '--deep'], { home });
  expect(code).toBe(1);
  expect(stdout).toMatch(/fail +store +damaged: /);
  expect(stderr).toMatch(/Checking the store: 1 of \d+/);
  expect(contentOf(paths.storeFile).equals(before)).toBe(true);
});

test('doctor --deep: a sealed file that is missing is named, served or stopped, and no snapshot is made without it', async () => {
  const daemon = await startKycloned();
  const { home } = daemon;
  const id = await aUser(daemon, JANE);
  const upload = `/users/${id}/vault/document.id_card.front.image/upload`;
  await done(daemon.call('POST', upload, { headers: { 'content-type': 'image/png' }, body: aPng() }));
  const files = join(daemon.paths.dataDirectory, 'files');
  renameSync(files, join(home, 'moved'));
  const message = expect.stringContaining(`of document.id_card.front.image of ${id} is missing`) as string;
  const lost = { code: 1, ok: false, store: { outcome: 'fail', message } };

  expect(await doctor(home)).toMatchObject(lost);
  expect(await daemon.control('PUT', '/_kyclone/snapshots/before')).toMatchObject(DAMAGED);
  expect((await daemon.call('POST', '/users', { body: JANE })).status).toBe(200);
  await daemon.stop();
  expect(await doctor(home)).toMatchObject(lost);
  renameSync(join(home, 'moved'), files);
  expect(await doctor(home)).toMatchObject({ code: 0, store: { outcome: 'ok' } });
});

test.each([
  [
    'of a newer version',
    'schema 99',
    ({ storeFile }: InstancePaths) => inStore(storeFile, (store) => store.pragma('user_version = 99')),
  ],
  ['whose key is missing', 'is sealed', ({ vaultKeyFile }: InstancePaths) => rmSync(vaultKeyFile)],
  [
    'whose key is of another vault',
    'is sealed',
    ({ vaultKeyFile }: InstancePaths) => writeFileSync(vaultKeyFile, `# key\n${'a'.repeat(64)}\n`),
  ],
])('doctor --deep: a store %s, which start refuses, is not called sound', async (_, why, harm) => {
  const { home, paths } = await largeStore();
  harm(paths);
  const message = expect.stringMatching(`kyclone start refuses it: .*${why}`) as string;
  expect(await doctor(home)).toMatchObject({ code: 1, store: { outcome: 'fail', message } });
});

test('doctor --deep: an instance in memory has no pages to check', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  expect(await doctor(daemon.home)).toMatchObject({ code: 0, store: { outcome: 'ok' } });
});

test('doctor --deep: a stopped store in a folder of its own is found by --data-dir, which doctor names', async () => {
  const elsewhere = join(tempDir(), 'vault');
  const daemon = await startKycloned({ options: ['--data-dir', elsewhere] });
  const id = await aUser(daemon, JANE);
  await daemon.stop();
  const { store } = await doctor(daemon.home);
  expect(store).toMatchObject({ outcome: 'warn', message: expect.stringContaining('--data-dir') as string });

  const named = ['--data-dir', elsewhere];
  expect(await doctor(daemon.home, named)).toMatchObject({ code: 0, store: { outcome: 'ok' } });
  const file = join(elsewhere, 'vault.db');
  damagePage(file, pagesWith(file, id)[0] ?? 0, 'zeros');
  expect(await doctor(daemon.home, named)).toMatchObject({ code: 1, store: { outcome: 'fail' } });
});
