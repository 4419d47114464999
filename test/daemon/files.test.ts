/** The folder of sealed files during the life of a daemon: its place, its permissions, and what a start finds in it. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exchange, refusedStart, startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import {
  bytesOf,
  download,
  expectSame,
  filesFolder,
  filesIn,
  FRONT,
  uploaded,
  uploadUnderWay,
} from '../e2e/file-calls.ts';
import '../support/tier-all.ts';

const CONTENT = bytesOf('content', 200_000);

const modeOf = (path: string) => statSync(path).mode & 0o777;
/** Returns the folder of sealed files of an ephemeral instance. */
const stateFiles = ({ paths }: Pick<Kycloned, 'paths'>) => join(paths.stateDirectory, 'files');

async function aFile(daemon: Kycloned) {
  const target = { fp_id: await aUser(daemon), identifier: FRONT };
  await uploaded(daemon, target, CONTENT);
  return target;
}

async function expectStored(daemon: Kycloned, target: { fp_id: string; identifier: string }): Promise<void> {
  const { status, bytes } = await download(daemon, target);
  expect(status).toBe(200);
  expectSame(bytes, CONTENT);
}

test('start: stored files are available after a restart, under their names', async () => {
  const first = await startKycloned();
  const target = await aFile(first);
  const names = filesIn(filesFolder(first));
  await first.stop();
  const second = await startKycloned({ home: first.home });
  expect(filesIn(filesFolder(second))).toEqual(names);
  await expectStored(second, target);
});

test('start: files that no row names and unfinished ones are swept, those in use are not', async () => {
  const first = await startKycloned();
  const target = await aFile(first);
  const folder = filesFolder(first);
  const names = filesIn(folder);
  await first.stop();
  const orphan = 'f'.repeat(32);
  for (const name of [orphan, `.${orphan}.part`, `.${names[0] ?? ''}.part`, `${names[0] ?? ''}.part`]) {
    writeFileSync(join(folder, name), 'what a killed daemon may leave');
  }
  const second = await startKycloned({ home: first.home });
  expect(filesIn(folder)).toEqual(names);
  await expectStored(second, target);
});

test('start: --data-dir keeps the files beside the store', async () => {
  const home = tempDir();
  const elsewhere = join(home, 'elsewhere');
  const daemon = await startKycloned({ home, options: ['--data-dir', elsewhere] });
  const target = await aFile(daemon);
  expect(readdirSync(elsewhere).sort()).toEqual(['access-log.anchor', 'files', 'vault.db', 'vault.db-wal']);
  expect(filesIn(join(elsewhere, 'files'))).toHaveLength(1);
  expect(existsSync(filesFolder(daemon))).toBe(false);
  await expectStored(daemon, target);
});

test('start: a second daemon on the same data directory is refused and sweeps nothing', async () => {
  const home = tempDir();
  const elsewhere = join(home, 'elsewhere');
  const options = ['--data-dir', elsewhere];
  const folder = join(elsewhere, 'files');
  const first = await startKycloned({ home, options });
  const target = { fp_id: await aUser(first), identifier: FRONT };
  const upload = await uploadUnderWay(first, target, CONTENT, folder);
  for (const instance of ['default', 'other']) {
    expect((await refusedStart({ home, instance, options })).code).toBe(8);
  }
  expect((await upload.finish()).status).toBe(200);
  await expectStored(first, target);
});

test('stop: an upload that never ends does not keep the daemon, and nothing of it is left', async () => {
  const first = await startKycloned();
  const target = await aFile(first);
  const names = filesIn(filesFolder(first));
  await uploadUnderWay(first, { ...target, identifier: 'custom.other' }, CONTENT);
  expect(await first.stop()).toMatchObject({ code: 0, signal: null });
  expect(filesIn(filesFolder(first))).toEqual(names);
  await expectStored(await startKycloned({ home: first.home }), target);
});

test('stop: an upload under way is stored before the daemon stops', async () => {
  const first = await startKycloned();
  const target = { fp_id: await aUser(first), identifier: FRONT };
  const upload = await uploadUnderWay(first, target, CONTENT);
  first.process.kill('SIGTERM');
  const ready = () =>
    exchange(`${first.url}/_kyclone/ready`, 'GET').then(
      ({ status }) => status,
      () => 503,
    );
  await until('the daemon stops', async () => (await ready()) === 503);
  expect((await upload.finish()).status).toBe(200);
  expect(await first.ended).toMatchObject({ code: 0, signal: null });
  await expectStored(await startKycloned({ home: first.home }), target);
});

test('ephemeral: files are kept in the state folder, sealed, and only there', async () => {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const target = await aFile(daemon);
  const [name = ''] = filesIn(stateFiles(daemon));
  const path = join(stateFiles(daemon), name);
  expect([modeOf(stateFiles(daemon)), modeOf(path)]).toEqual([0o700, 0o600]);
  expect(readFileSync(path).includes(CONTENT.subarray(1_000, 1_032))).toBe(false);
  expect(existsSync(daemon.paths.dataDirectory)).toBe(false);
  await expectStored(daemon, target);
});

test('ephemeral: a start deletes the files of a killed instance, and a stop its own', async () => {
  const first = await startKycloned({ options: ['--ephemeral'] });
  const { fp_id } = await aFile(first);
  await uploadUnderWay(first, { fp_id, identifier: 'custom.other' }, CONTENT, stateFiles(first));
  await first.stop('SIGKILL');
  expect(filesIn(stateFiles(first))).toHaveLength(2);
  const second = await startKycloned({ home: first.home, options: ['--ephemeral'] });
  expect(filesIn(stateFiles(second))).toEqual([]);
  const other = { fp_id: (await aFile(second)).fp_id, identifier: 'custom.other' };
  await uploadUnderWay(second, other, bytesOf('never ends', 8_000_000), stateFiles(second));
  expect(await second.stop()).toMatchObject({ code: 0, signal: null });
  expect(existsSync(stateFiles(second))).toBe(false);
});

test('ephemeral: a second one of the same name is refused and leaves the files of the first', async () => {
  const first = await startKycloned({ options: ['--ephemeral'] });
  const target = await aFile(first);
  expect((await refusedStart({ home: first.home, options: ['--ephemeral'] })).code).toBe(8);
  await expectStored(first, target);
});

test('ephemeral: a start that is refused for its port leaves no folder of files', async () => {
  const other = await startKycloned();
  const { port } = new URL(other.url);
  const home = tempDir();
  expect((await refusedStart({ home, options: ['--ephemeral'], port: Number(port) })).code).toBe(8);
  const state = join(home, 'state', 'default');
  expect(existsSync(state) ? readdirSync(state) : []).not.toContain('files');
});
