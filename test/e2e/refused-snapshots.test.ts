/** What the file system refuses while snapshots are kept is told as that: neither a missing nor a damaged one, nor a bug. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startKycloned } from '../support/kycloned.ts';

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
    expect({ path, status, code: body['code'] }).toEqual({ path, status: 503, code: 'not_ready' });
    expect(body['message']).toContain(folder);
  }
});
