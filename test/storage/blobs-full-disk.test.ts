/** A disk that takes no more bytes of a blob. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { limitFileSize } from '../support/file-size-limit.ts';
import { aBlobStore } from '../vault/files/a-blob-store.ts';

test('write: wherever the disk takes no more, it is storage_full and neither file nor handle is left', async () => {
  const { blobs, entries, openHandles } = aBlobStore();
  for (const room of [0, 1, 999, 1000, 1001, 2500, 2999]) {
    limitFileSize(room);
    const writer = await blobs.create();
    const writing = (async () => {
      for (let part = 0; part < 3; part++) await writer.write(Buffer.alloc(1000));
    })();
    await expect(writing).rejects.toMatchObject({ code: 'storage_full' });
    expect(entries()).toEqual([]);
    expect(openHandles()).toBe(0);
  }
});

test('write: what just fits is stored, and the message of a full disk says that nothing was stored', async () => {
  const { blobs, folder, entries } = aBlobStore();
  limitFileSize(8);
  const fits = await blobs.create();
  await fits.write(Buffer.from('fourmore'));
  expect(readFileSync(join(folder, await fits.commit()), 'utf8')).toBe('fourmore');
  await expect((await blobs.create()).write(Buffer.from('four more'))).rejects.toThrow('nothing was stored');
  expect(entries()).toHaveLength(1);
});
