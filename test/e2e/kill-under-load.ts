/** One round of kill -9: start, check the records, write, kill in the middle. */
import { startKycloned, until } from '../support/kycloned.ts';
import { anAgent, auditAll, verifyLog, WRITERS, writeTogether, type Books } from './books.ts';

/** Kills the daemon as soon as `enough` more writes are acknowledged, while others are in flight. */
export async function killUnderLoad(home: string, books: Books, enough: number): Promise<void> {
  const daemon = await startKycloned({ home });
  const agent = anAgent();
  await verifyLog(daemon, books.decryptions);
  await auditAll(daemon, books.accounts.slice(-3 * WRITERS), agent);
  const before = books.acknowledgements;
  const writing = writeTogether(daemon, books, { agent });
  await Promise.race([writing, until('enough is written', () => books.acknowledgements >= before + enough)]);
  await daemon.stop('SIGKILL');
  await writing;
  agent.destroy();
}
