/**
 * A new root key while files are stored. Kills in the middle are in torture/promises/keys-and-copies.ts and in
 * vault/keyring/rotation.test.ts.
 */
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import {
  bytesOf,
  decrypted,
  expectNoOrphans,
  expectSame,
  filesFolder,
  filesIn,
  FRONT,
  uploaded,
} from './file-calls.ts';
import '../support/tier-all.ts';

const contentOf = (fp_id: string, version: number) => bytesOf(`${fp_id} ${version}`, 100_000);

test('rotate: files that were stored before, meanwhile and after open, each version, and none is written again', async () => {
  const first = await startKycloned();
  const ids = await Promise.all(Array.from({ length: 8 }, () => aUser(first)));
  const storeNext = (daemon: Kycloned, version: number) =>
    Promise.all(
      ids.map((fp_id) => uploaded(daemon, { fp_id, identifier: FRONT }, contentOf(fp_id, version))),
    );
  await storeNext(first, 1);
  const before = filesIn(filesFolder(first));
  const meanwhile = storeNext(first, 2);
  const rotated = await first.control('POST', '/_kyclone/keyring/rotate?wait=true');
  expect(rotated).toMatchObject({ status: 200, body: { min_root_key_version: 2 } });
  await meanwhile;
  await storeNext(first, 3);
  expect(filesIn(filesFolder(first))).toEqual(expect.arrayContaining(before));
  await first.stop();
  const daemon = await startKycloned({ home: first.home });
  expectNoOrphans(daemon);
  for (const fp_id of ids) {
    const versions = await decrypted(daemon, fp_id, ...[1, 2, 3].map((version) => `${FRONT}:${version}`));
    for (const [index, bytes] of versions.entries()) expectSame(bytes, contentOf(fp_id, index + 1), fp_id);
  }
});
