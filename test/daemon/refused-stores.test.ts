/** Errors of the disk while the store is opened. Each start reports the file, the reason, and the remedy. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentsOf } from '../support/contents.ts';
import { refusedStart, startKycloned } from '../support/kycloned.ts';
import { aUser, inStore } from '../support/kycloned-calls.ts';
import { canMountSmallDisks, smallDisk } from '../support/small-disk.ts';
import { underInjection } from '../torture/strace.ts';
import { missingTools } from '../torture/tools.ts';
import { bytesOf } from '../support/store-bytes.ts';

async function aStoppedStore(options: readonly string[] = []) {
  const daemon = await startKycloned({ options });
  await aUser(daemon, { 'id.first_name': 'Jane' });
  await daemon.stop();
  return daemon;
}

test.skipIf(!canMountSmallDisks())(
  'start: a store on a read-only disk is named, with what to check',
  async () => {
    const disk = smallDisk(16);
    const folder = join(disk.path, 'data');
    const options = ['--data-dir', folder];
    const { home } = await aStoppedStore(options);
    const before = contentsOf(folder);
    execFileSync('mount', ['-o', 'remount,ro', disk.path]);
    const refused = await refusedStart({ home, options });
    execFileSync('mount', ['-o', 'remount,rw', disk.path]);
    expect(refused).toMatchObject({ code: 1, announced: { code: 'storage_failed' } });
    expect(refused.announced?.message).toMatch(
      /: the file system is read-only \(EROFS\); choose a folder that can be written to, then start again$/,
    );
    expect(refused.announced?.message).toContain(join(folder, 'vault.db'));
    expect(contentsOf(folder)).toEqual(before);
  },
);

test('start: a folder in the place of the store is named', async () => {
  const { home, paths } = await aStoppedStore();
  rmSync(paths.storeFile);
  mkdirSync(paths.storeFile);
  const refused = await refusedStart({ home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'storage_failed' } });
  expect(refused.announced?.message).toContain(
    `The store ${paths.storeFile} cannot be opened: SQLite says SQLITE_CANTOPEN`,
  );
});

test.each([
  ['its head', (bytes: Buffer) => bytes.fill('x', 0, 100)],
  ['the page of its schema', (bytes: Buffer) => bytes.fill(0xff, 100, 4_000)],
  ['all but its head', (bytes: Buffer) => bytes.fill(0xff, 100)],
])('start: a store with damage to %s is named as damaged, and kept', async (_, damage) => {
  const { home, paths } = await aStoppedStore();
  writeFileSync(paths.storeFile, damage(inStore(paths.storeFile, bytesOf)));
  const before = contentsOf(dirname(paths.storeFile));
  const refused = await refusedStart({ home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
  expect(refused.announced?.message).toContain(`The store ${paths.storeFile} is damaged`);
  expect(refused.announced?.hint).toMatch(/[Rr]estore .* from a copy/);
  expect(contentsOf(dirname(paths.storeFile))).toEqual(before);
});

describe.skipIf(missingTools(['strace']).length > 0 && process.env['CI'] === undefined)(
  'failing calls',
  () => {
    test.each([
      [
        'pwrite64',
        'EIO',
        '-wal',
        'storage_failed',
        /read or written: SQLite says SQLITE_IOERR.*; check its disk, then start again$/,
      ],
      ['pwrite64', 'ENOSPC', '-wal', 'storage_full', /is full.*: free some space and start again$/],
      [
        'openat',
        'EACCES',
        '',
        'storage_failed',
        /cannot be opened: SQLite says SQLITE_CANTOPEN.*; check its folder/,
      ],
    ])(
      'start: %s fails with %s on vault.db%s: the store, the reason and the remedy',
      async (calls, error, file, code, why) => {
        const { home, paths } = await aStoppedStore();
        const path = `${paths.storeFile}${file}`;
        const under = underInjection({ calls, effect: `error=${error}`, when: '1+', path });
        const refused = await refusedStart({ home, under });
        expect(refused).toMatchObject({ code: 1, announced: { code } });
        expect(refused.announced?.message).toMatch(why);
        expect(refused.announced?.message).toContain(paths.storeFile);
      },
    );
  },
);
