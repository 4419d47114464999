/** R1: kill -9 under load. */
import { auditBooks, newBooks } from '../../e2e/books.ts';
import { killUnderLoad } from '../../e2e/kill-under-load.ts';
import { startKycloned, tempDir } from '../../support/kycloned.ts';
import type { TorturePromise } from '../promise.ts';

const KILLS_BETWEEN_AUDITS = 5;

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
