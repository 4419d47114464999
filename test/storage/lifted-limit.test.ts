/** A limit of the size of files that is lifted while a refused write is judged. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import { limitFileSize, liftFileSize } from '../support/file-size-limit.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

test('write: while the disk is full, room made since a refusal does not make its outcome unknown', async () => {
  const database = openDatabase(join(tempDir(), 'vault.db'));
  database.exec('CREATE TABLE remarks (text)');
  const queue = createWriteQueue(database);
  const note = (store: Database) =>
    store.prepare<[Buffer]>('INSERT INTO remarks VALUES (?)').run(Buffer.alloc(100_000));
  limitFileSize(50_000);
  await expect(queue.write(note)).rejects.toMatchObject({ code: 'storage_full' });
  queue.afterRollback(liftFileSize);

  await expect(queue.write(note)).rejects.toMatchObject({ code: 'storage_full' });

  expect(queue.isReadOnly).toBe(false);
  await queue.write(note);
  expect(queue.refusal).toBeUndefined();
});
