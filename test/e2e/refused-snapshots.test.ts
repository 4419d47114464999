/**
 * When the file system refuses work on snapshots, the daemon reports that refusal, and never a missing or damaged
 * snapshot or a bug.
 */
import '../support/tier-all.ts';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startKycloned } from '../support/kycloned.ts';
import { inject } from '../torture/strace.ts';
import { missingTools } from '../torture/tools.ts';

test('snapshots: a folder that cannot be used is named with the path, and is no 404, no damage and no 500', async () => {
  const daemon = await startKycloned();
  expect((await daemon.control('PUT', '/_kyclone/snapshots/one')).status).toBe(200);
  const folder = join(daemon.paths.dataDirectory, 'snapshots');
  renameSync(folder, `${folder}.aside`);
  writeFileSync(folder, 'no folder');
  for (const [method, path] of [
    ['GET', '/_kyclone/snapshots/one'],
    ['POST', '/_kyclone/snapshots/one/load'],
    ['GET', '/_kyclone/snapshots'],
  ] as const) {
    const { status, body } = await daemon.control(method, path);
    expect({ path, status, code: body['code'] }).toEqual({ path, status: 503, code: 'storage_failed' });
    expect(body['message']).toContain(folder);
  }
});

describe.skipIf(missingTools(['strace']).length > 0 && process.env['CI'] === undefined)(
  'a disk that fails',
  () => {
    const REFUSALS = [
      [503, 'storage_failed'],
      [507, 'storage_full'],
    ];
    const CALLS = 'pwrite64 ftruncate fsync,fdatasync rename openat pread64 lstat,newfstatat,statx'.split(
      ' ',
    );

    test.each(CALLS.flatMap((calls) => ['EIO', 'ENOSPC'].map((error) => [calls, error] as const)))(
      'PUT /_kyclone/snapshots/{name}: %s fails with %s, and the answer names it',
      async (calls, error) => {
        const daemon = await startKycloned();
        const folder = join(daemon.paths.dataDirectory, 'snapshots');
        expect((await daemon.control('PUT', '/_kyclone/snapshots/first')).status).toBe(200);
        const stop = await inject(daemon.locator.pid, { calls, effect: `error=${error}`, when: '1+' });
        const { status, body } = await daemon.control('PUT', '/_kyclone/snapshots/one');
        await stop();
        expect(REFUSALS, JSON.stringify(body)).toContainEqual([status, body['code']]);
        if (error === 'EIO') expect(body['code'], JSON.stringify(body)).toBe('storage_failed');
        expect(readdirSync(folder)).toEqual(['first.kysnap']);
        expect((await daemon.control('PUT', '/_kyclone/snapshots/one')).status).toBe(200);
      },
    );
  },
);
