/** R6, R7: a full disk, a read-only folder, too few open files, and a data folder that is gone. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { auditBooks, newBooks, writeTogether } from '../../e2e/books.ts';
import { limitFiles } from '../../support/file-size-limit.ts';
import { startKycloned, tempDir, until, type Kycloned } from '../../support/kycloned.ts';
import { canMountSmallDisks, smallDisk } from '../../support/small-disk.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { countingRefusals, isStorageRefusal } from './failing-calls.ts';

const DISK_MIB = 8;
const WRITES_EACH = 10;

export const fullDisk: TorturePromise = {
  id: 'R6',
  name: 'full-disk',
  says: 'a full disk: refused by name, reading goes on, and writing when there is room again',
  needs: ['prlimit'],
  async *rounds({ random, count }: Run) {
    const disk = canMountSmallDisks() ? smallDisk(DISK_MIB) : undefined;
    const home = disk === undefined ? tempDir() : join(disk.path, 'home');
    const books = newBooks();
    for (;;) {
      let daemon = await startKycloned({ home });
      const room = random.below(20) * 4_096;
      if (disk === undefined) limitFiles(daemon, 200_000 + room);
      else disk.fill(room);
      await writeTogether(daemon, books, { writes: WRITES_EACH, mayRefuse: countingRefusals(count) });
      expect((await daemon.call('GET', '/users')).status).toBe(200);
      if (disk === undefined) limitFiles(daemon, 'unlimited');
      else disk.free();
      const after = await daemon.call('POST', '/users', {
        body: { 'id.first_name': 'Name 0', 'custom.number': 0 },
      });
      // A commit of unknown outcome makes the store read-only until the next start.
      expect(after.status === 200 || isStorageRefusal(after), after.text).toBe(true);
      await daemon.stop(random.pick(['SIGKILL', 'SIGTERM']));
      daemon = await startKycloned({ home });
      await auditBooks(daemon, books);
      // The home is deleted, so that a small disk lasts for many rounds.
      await daemon.stop();
      if (disk !== undefined) {
        rmSync(home, { recursive: true, force: true });
        books.accounts.length = 0;
        books.decryptions = 0;
      }
      count('full disks');
      yield;
    }
  },
};

/** Limits the number of files that the daemon may have open. */
function limitOpenFiles({ locator }: Kycloned, count: number): void {
  execFileSync('prlimit', ['--pid', String(locator.pid), `--nofile=${count}:4096`]);
}

export const openFiles: TorturePromise = {
  id: 'R7',
  name: 'open-files',
  says: 'too few open files: nothing is lost, and the daemon serves again when there are enough',
  needs: ['prlimit'],
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const books = newBooks();
    for (;;) {
      const daemon = await startKycloned({ home });
      limitOpenFiles(daemon, random.between(20, 40));
      await writeTogether(daemon, books, { mayRefuse: () => true, writes: 4 });
      limitOpenFiles(daemon, 4_096);
      await until('it serves again', async () => {
        const answer = await daemon.call('GET', '/users').catch(() => undefined);
        return answer?.status === 200;
      });
      await daemon.stop('SIGKILL');
      const next = await startKycloned({ home });
      await auditBooks(next, books);
      await next.stop();
      count('limits');
      yield;
    }
  },
};

export const removedFolder: TorturePromise = {
  id: 'R7',
  name: 'removed-folder',
  says: 'a data folder that is removed under a running daemon: no write is acknowledged any more',
  async *rounds({ count }: Run) {
    for (;;) {
      const daemon = await startKycloned();
      const write = () => daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
      expect((await write()).status).toBe(200);
      rmSync(daemon.paths.dataDirectory, { recursive: true, force: true });
      await until('writes are refused', async () => (await write()).status === 503);
      expect((await write()).body['code']).toEqual(expect.any(String));
      await daemon.stop();
      count('removed folders');
      yield;
    }
  },
};
