/** R6, R7: a full disk, a read-only folder, too few open files, and a data folder that is gone. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { anAgent, auditBooks, newBooks, writeTogether, type Books } from '../../e2e/books.ts';
import { limitFiles } from '../../support/file-size-limit.ts';
import { whenFinished } from '../../support/finishing.ts';
import { startKycloned, tempDir, until, type Kycloned } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { isStorageRefusal } from './failing-calls.ts';

const DISK_MIB = 8;
const WRITES_EACH = 10;

/** Mounts a small disk, where the machine permits it. */
function aSmallDisk(): string | undefined {
  const folder = join(tempDir(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0700`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  whenFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

async function writeSome(daemon: Kycloned, books: Books, count: Run['count']): Promise<number> {
  const agent = anAgent();
  let refusals = 0;
  await writeTogether(daemon, books, {
    agent,
    writes: WRITES_EACH,
    mayRefuse: (answer) => {
      const isRefused = isStorageRefusal(answer);
      refusals += isRefused ? 1 : 0;
      return isRefused;
    },
  });
  agent.destroy();
  if (refusals > 0) count('refusals', refusals);
  return refusals;
}

/** Fills the disk except for `bytesLeft` bytes; returns a function that frees it again. */
function fill(folder: string, bytesLeft: number): () => void {
  const filler = join(folder, 'filler');
  const free = Number(
    execFileSync('df', ['-B1', '--output=avail', folder]).toString().trim().split('\n').at(-1),
  );
  writeFileSync(filler, Buffer.alloc(Math.max(free - bytesLeft, 0)));
  return () => rmSync(filler, { force: true });
}

export const fullDisk: TorturePromise = {
  id: 'R6',
  name: 'full-disk',
  says: 'a full disk: refused by name, reading goes on, and writing when there is room again',
  needs: ['prlimit'],
  async *rounds({ random, count }: Run) {
    const disk = aSmallDisk();
    const home = disk === undefined ? tempDir() : join(disk, 'home');
    const books = newBooks();
    for (;;) {
      let daemon = await startKycloned({ home });
      const room = random.below(20) * 4_096;
      const makeRoom = disk === undefined ? limit(daemon, room) : fill(disk, room);
      await writeSome(daemon, books, count);
      expect((await daemon.call('GET', '/users')).status).toBe(200);
      makeRoom();
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

function limit(daemon: Kycloned, room: number): () => void {
  limitFiles(daemon, 200_000 + room);
  return () => limitFiles(daemon, 'unlimited');
}

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
      const agent = anAgent();
      await writeTogether(daemon, books, { agent, mayRefuse: () => true, writes: 4 });
      agent.destroy();
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
