/** A file that somebody has overwritten on disk: what mends it, and what takes it away. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startKycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import {
  BACK,
  bytesOf,
  decrypted,
  deleteFromVault,
  expectSame,
  filesFolder,
  filesInStore,
  FRONT,
  uploaded,
} from './file-calls.ts';
import '../support/tier-all.ts';

test('files: a damaged one is mended by uploading it again, and goes with a purge or its user', async () => {
  const daemon = await startKycloned();
  const [alice, bruno] = [await aUser(daemon), await aUser(daemon)];
  const store = async (fp_id: string, identifier: string) =>
    await uploaded(daemon, { fp_id, identifier }, bytesOf(`${fp_id} ${identifier}`, 200_000));
  for (const identifier of [FRONT, BACK]) for (const id of [alice, bruno]) await store(id, identifier);
  for (const { name } of filesInStore(daemon)) writeFileSync(join(filesFolder(daemon), name), 'nothing');

  expect(await store(alice, BACK)).toBe(3);
  expectSame((await decrypted(daemon, alice, BACK))[0], bytesOf(`${alice} ${BACK}`, 200_000));
  const purged = await deleteFromVault(daemon, alice, { fields: [FRONT], purge: true });
  expect([purged.status, purged.body]).toEqual([200, { [FRONT]: true }]);
  expect((await daemon.call('DELETE', `/users/${bruno}`)).status).toBe(200);
  const left = filesInStore(daemon).map((row) => `${row.fp_id} ${row.identifier}:${row.version}`);
  expect(left.sort()).toEqual([`${alice} ${BACK}:2`, `${alice} ${BACK}:3`]);
});
