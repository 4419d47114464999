/** R22: a store whose files were removed, replaced or copied is complete, or refused by name. */
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { anchorFileOf, readAnchored } from '../../../src/storage/store-position.ts';
import { auditBooks, newBooks, writeTogether, type Books } from '../../e2e/books.ts';
import { launch, pathsOf, startKycloned, tempDir, until, type Kycloned } from '../../support/kycloned.ts';
import { decrypt } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';

const WRITES_EACH = 6;
const REFUSALS = ['store_missing', 'vault_damaged'];

const writeSome = (daemon: Kycloned, books: Books) => writeTogether(daemon, books, { writes: WRITES_EACH });

/** Waits until the anchor covers everything that was written. */
async function anchored({ paths: { storeFile } }: Kycloned, write: () => Promise<unknown>): Promise<void> {
  const position = () => readAnchored(storeFile)?.position ?? 0;
  const before = position();
  await write();
  await until('the anchor has followed', () => position() > before);
  // A mark that began before the last write doesn't cover it.
  const first = position();
  await write();
  await until('the anchor has followed again', () => position() > first);
}

/** Starts the daemon unless it is refused, with an error of `named`; by default any with a message. */
export async function startOrRefuse(
  home: string,
  { options = [], named }: { options?: readonly string[]; named?: readonly string[] } = {},
): Promise<Kycloned | undefined> {
  const tried = launch({ home, options });
  const announced = await tried.announced;
  if (announced?.type !== 'ready') {
    const { code } = await tried.ended;
    if (named !== undefined) expect(named, announced?.message).toContain(announced?.code);
    if (code === null || code === 0 || !announced?.message || /unexpected/i.test(announced.message)) {
      throw new Error(`a damaged store is refused without a word: ${announced?.message ?? 'nothing'}`);
    }
    return undefined;
  }
  tried.process.kill('SIGKILL');
  await tried.ended;
  return startKycloned({ home, options });
}

export const lostFiles: TorturePromise = {
  id: 'R22',
  name: 'lost-files',
  says: 'a store without its log or anchor, or with an earlier file: complete, or refused by name',
  async *rounds({ random, count }: Run) {
    for (;;) {
      const home = tempDir();
      const books = newBooks();
      const first = await startKycloned({ home });
      const { storeFile } = first.paths;
      await writeSome(first, books);
      await first.stop();
      copyFileSync(storeFile, join(home, 'earlier.db'));
      const daemon = await startKycloned({ home });
      await anchored(daemon, () => writeSome(daemon, books));
      await daemon.stop(random.pick(['SIGKILL', 'SIGTERM']));
      const harm = random.pick(['no log', 'no anchor', 'an earlier file', 'only an earlier file']);
      if (harm !== 'no anchor' && harm !== 'an earlier file') rmSync(`${storeFile}-wal`, { force: true });
      if (harm === 'no anchor') rmSync(anchorFileOf(storeFile));
      if (harm.includes('earlier')) copyFileSync(join(home, 'earlier.db'), storeFile);
      count(harm);
      const after = await startOrRefuse(home, { named: REFUSALS });
      if (after === undefined) count('refusals');
      else await auditBooks(after, books);
      await after?.stop();
      yield;
    }
  },
};

export const copiedFolder: TorturePromise = {
  id: 'R22',
  name: 'copied-folder',
  says: 'a copy of the folder of a running instance: as of one moment, or refused by name',
  async *rounds({ count }: Run) {
    const home = tempDir();
    const daemon = await startKycloned({ home });
    const books = newBooks();
    for (;;) {
      const earlier = newBooks();
      await writeSome(daemon, earlier);
      const victim = (await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } })).body['id'];
      const other = tempDir();
      const writing = writeSome(daemon, books);
      // Deleting empties the log into the file.
      const deleting = daemon.call('DELETE', `/users/${String(victim)}`);
      cpSync(home, other, { recursive: true, filter: (path) => existsSync(path) });
      await Promise.all([writing, deleting]);
      const { lockFile, locatorFile } = pathsOf(other);
      for (const path of [lockFile, locatorFile]) rmSync(path, { force: true });
      const copy = await startOrRefuse(other, { named: REFUSALS });
      count('copies');
      if (copy === undefined) count('refusals');
      else {
        for (const { id } of earlier.accounts) {
          const read = await decrypt(copy, String(id), ['id.first_name', 'custom.number']);
          expect(read.status, read.text).toBe(200);
        }
        await copy.stop();
      }
      yield;
    }
  },
};
