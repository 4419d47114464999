/** R1: kill -9 under load. */
import {
  auditAll,
  auditBooks,
  newBooks,
  verifyLog,
  WRITERS,
  writeTogether,
  type Books,
} from '../../e2e/books.ts';
import { startKycloned, tempDir, until } from '../../support/kycloned.ts';
import type { TorturePromise } from '../promise.ts';

const KILLS_BETWEEN_AUDITS = 5;

/** Kills the daemon as soon as `enough` more writes are acknowledged, while others are in flight. */
async function killUnderLoad(home: string, books: Books, enough: number): Promise<void> {
  const daemon = await startKycloned({ home });
  await verifyLog(daemon, books.decryptions);
  await auditAll(daemon, books.accounts.slice(-3 * WRITERS));
  const before = books.acknowledgements;
  const writing = writeTogether(daemon, books);
  await Promise.race([writing, until('enough is written', () => books.acknowledgements >= before + enough)]);
  await daemon.stop('SIGKILL');
  await writing;
}

export const killNine: TorturePromise = {
  id: 'R1',
  name: 'kill-nine',
  says: 'kill -9 under load: no acknowledged write lost',
  weight: 4,
  async *rounds({ random, count }) {
    const home = tempDir();
    const books = newBooks();
    for (;;) {
      for (let kill = 0; kill < KILLS_BETWEEN_AUDITS; kill++) {
        const before = books.acknowledgements;
        await killUnderLoad(home, books, random.between(0, 60));
        count('kills');
        count('writes', books.acknowledgements - before);
      }
      const daemon = await startKycloned({ home });
      await auditBooks(daemon, books);
      await daemon.stop();
      yield;
    }
  },
};
