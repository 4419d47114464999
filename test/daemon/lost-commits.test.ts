/**
 * A store that lacks commits which were acknowledged is not served as if nothing had happened: its anchor knows how far
 * it came, and a file and a log of different moments are recognised.
 */
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorFileOf } from '../../src/storage/store-position.ts';
import { runCli } from '../support/cli.ts';
import { pathsOf, refusedStart, startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

const environment = { KYCLONE_VAULT_KEY: '0f'.repeat(32) };

const HEADER_BYTES = 100;

const positionIn = (storeFile: string) =>
  (JSON.parse(readFileSync(anchorFileOf(storeFile), 'utf8')) as { position: number }).position;

async function countUsers(daemon: Kycloned): Promise<number> {
  return ((await daemon.call('GET', '/users?page_size=100')).body['data'] as unknown[]).length;
}

/** Adds a user, and waits until the anchor covers that. */
async function addAnchored(daemon: Kycloned): Promise<string> {
  const { storeFile } = daemon.paths;
  await until('there is an anchor', () => positionIn(storeFile) > 0);
  const before = positionIn(storeFile);
  const id = await aUser(daemon);
  await until('the anchor covers it', () => positionIn(storeFile) > before);
  return id;
}

/** A killed instance with one user in the file of its store, and two more in its log. */
async function killed() {
  const daemon = await startKycloned({ environment });
  const { home, paths } = daemon;
  await aUser(daemon);
  await daemon.stop();
  const again = await startKycloned({ home, environment });
  await addAnchored(again);
  await addAnchored(again);
  await again.stop('SIGKILL');
  return { home, ...paths };
}

async function refusal(home: string) {
  const refused = await refusedStart({ home, environment });
  expect(refused.code).toBe(1);
  return refused.announced;
}

test('start: without its log the store is refused by name; with the log put back nothing is missing', async () => {
  const { home, storeFile } = await killed();
  const log = readFileSync(`${storeFile}-wal`);
  const file = readFileSync(storeFile);
  const aside = join(home, 'aside');
  cpSync(`${storeFile}-wal`, aside);
  rmSync(`${storeFile}-wal`);
  for (let start = 0; start < 2; start++) {
    const refused = await refusal(home);
    expect(refused).toMatchObject({ code: 'store_missing' });
    expect(refused?.message).toContain(`${storeFile}-wal was removed`);
    expect(refused?.message).toContain('--accept-loss');
  }
  // Only the header says whether there is a log.
  expect(readFileSync(storeFile).subarray(HEADER_BYTES).equals(file.subarray(HEADER_BYTES))).toBe(true);

  cpSync(aside, `${storeFile}-wal`);
  expect(readFileSync(`${storeFile}-wal`).equals(log)).toBe(true);
  expect(await countUsers(await startKycloned({ home, environment }))).toBe(3);
});

test('start: a young store without its log is refused, and so is one whose file is of an earlier run', async () => {
  const daemon = await startKycloned({ environment });
  const { home, paths } = daemon;
  const { storeFile } = paths;
  for (let made = 0; made < 3; made++) await addAnchored(daemon);
  await daemon.stop('SIGKILL');
  rmSync(`${storeFile}-wal`);
  expect(await refusal(home)).toMatchObject({ code: 'store_missing' });

  const accepting = await startKycloned({ home, environment, options: ['--accept-loss'] });
  await accepting.stop();
  copyFileSync(storeFile, join(home, 'earlier.db'));
  const later = await startKycloned({ home, environment });
  await aUser(later);
  await later.stop();
  copyFileSync(join(home, 'earlier.db'), storeFile);
  expect(await refusal(home)).toMatchObject({ code: 'store_missing' });
});

test('start: a store alone, copied without its anchor, is refused', async () => {
  const { storeFile, home } = await killed();
  const other = tempDir();
  const target = pathsOf(other).storeFile;
  cpSync(home, other, { recursive: true });
  for (const path of [`${target}-wal`, anchorFileOf(target)]) rmSync(path);
  expect(existsSync(storeFile)).toBe(true);
  const refused = await refusal(other);
  expect(refused).toMatchObject({ code: 'store_missing' });
  expect(refused?.message).toContain(anchorFileOf(target));
});

test('start --accept-loss: goes on with what is there, says so, and need not be asked again', async () => {
  const { home, storeFile } = await killed();
  rmSync(`${storeFile}-wal`);
  const daemon = await startKycloned({ home, environment, options: ['--accept-loss'] });
  const users = await countUsers(daemon);
  expect(users).toBeLessThan(3);
  expect((await daemon.announced)?.notices?.join()).toContain('lacks its latest changes');
  const verify = async (one: Kycloned) => (await one.control('GET', '/_kyclone/access-log/verify')).body;
  expect(await verify(daemon)).toMatchObject({ ok: true });
  await aUser(daemon);
  await daemon.stop('SIGKILL');
  const again = await startKycloned({ home, environment });
  expect(await countUsers(again)).toBe(users + 1);
  expect(await verify(again)).toMatchObject({ ok: true });
});

test('start: a store without its file is refused though it left nothing but its anchor', async () => {
  const { home, storeFile } = await killed();
  for (const end of ['', '-wal']) rmSync(`${storeFile}${end}`);
  expect((await refusal(home))?.message).toContain(anchorFileOf(storeFile));
  expect(existsSync(storeFile)).toBe(false);
});

/** Copies the folder of a running instance: the store's file, then `meanwhile`, then all else. */
async function copied(meanwhile: (daemon: Kycloned, victim: string) => Promise<void>) {
  const daemon = await startKycloned({ environment });
  const victim = await aUser(daemon);
  await addAnchored(daemon);
  const { home, paths } = daemon;
  const other = tempDir();
  const { storeFile } = pathsOf(other);
  const file = readFileSync(paths.storeFile);
  await meanwhile(daemon, victim);
  cpSync(home, other, { recursive: true });
  writeFileSync(storeFile, file);
  await daemon.stop();
  return { other, storeFile };
}

test('start, doctor: a copy of a running folder whose file and log are of different moments is recognised', async () => {
  const { other, storeFile } = await copied(async (daemon, victim) => {
    // A deletion empties the log into the file, and the next commits begin it anew.
    expect((await daemon.call('DELETE', `/users/${victim}`)).status).toBe(200);
    await until('the log is empty', () => readFileSync(`${daemon.paths.storeFile}-wal`).length === 0);
    for (let made = 0; made < 3; made++) await aUser(daemon);
  });
  const checked = await runCli(['doctor', '--deep'], { home: other, environment });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('of different moments');
  const refused = await refusal(other);
  expect(refused).toMatchObject({ code: 'vault_damaged' });
  expect(refused?.message).toContain(storeFile);
  expect(refused?.message).toContain('kyclone snapshot create');
});

test('start: a copy of a running folder whose log was not begun anew meanwhile has everything', async () => {
  const { other } = await copied(async (daemon) => {
    for (let made = 0; made < 3; made++) await aUser(daemon);
  });
  const daemon = await startKycloned({ home: other, environment });
  expect(await countUsers(daemon)).toBe(5);
});

test('doctor --deep: a stopped store that lacks its latest changes is a problem', async () => {
  const { home, storeFile } = await killed();
  rmSync(`${storeFile}-wal`);
  const checked = await runCli(['doctor', '--deep'], { home, environment });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('lacks its latest changes');
});

test.each(['', 'x\n', '{"log":1}'])('start: an anchor that says %j counts as none', async (text) => {
  const { home, storeFile } = await killed();
  rmSync(`${storeFile}-wal`);
  writeFileSync(anchorFileOf(storeFile), text);
  expect(await refusal(home)).toMatchObject({ code: 'store_missing' });
});

test('start, doctor: a store beside the anchor of another vault is refused; --accept-loss goes on with it', async () => {
  const mine = await startKycloned({ environment });
  const { home, paths } = mine;
  await mine.stop();
  const other = await startKycloned({ environment });
  await addAnchored(other);
  await other.stop();
  copyFileSync(other.paths.storeFile, paths.storeFile);
  const why = `The anchor ${anchorFileOf(paths.storeFile)} is of another vault`;
  const refused = await refusal(home);
  expect(refused).toMatchObject({ code: 'store_missing' });
  expect(refused?.message).toContain(why);
  const checked = await runCli(['doctor', '--deep'], { home, environment });
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(why)]);

  const daemon = await startKycloned({ home, environment, options: ['--accept-loss'] });
  expect(await countUsers(daemon)).toBe(1);
  await daemon.stop();
  expect(
    (await (await startKycloned({ home, environment })).control('GET', '/_kyclone/access-log/verify')).body,
  ).toMatchObject({ ok: true });
});

test('doctor --deep: without a state folder a sound store is sound; a missing or empty one that left traces is a problem', async () => {
  const { home, storeFile } = await killed();
  const daemon = await startKycloned({ home, environment });
  await daemon.stop();
  rmSync(join(home, 'state'), { recursive: true });
  const deep = () => runCli(['doctor', '--deep'], { home, environment });
  expect((await deep()).stdout).toMatch(/ok +store +every page is whole/);
  for (const harm of [() => writeFileSync(storeFile, ''), () => rmSync(storeFile)]) {
    harm();
    const checked = await deep();
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(anchorFileOf(storeFile))]);
  }
});
