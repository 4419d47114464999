/**
 * kill -9 while banks are connected and transactions are imported. The client records what was acknowledged. After each
 * restart a link either exists with all the bank's data and with its numbers in the vault, or it doesn't exist and its
 * intent is still valid. Each import is stored completely or not at all.
 */
import { expect, test } from 'vitest';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, done } from '../support/kycloned-calls.ts';
import { entriesOf } from '../nouns/bank-links/a-bank.ts';
import { isGone } from './books.ts';
import '../support/tier-all.ts';

const KILLS = 3;
const ROWS = 100;
const PERSONA = 'student';
const FIRST_DAY = Date.UTC(2001, 0, 1);
const DAY_MS = 86_400_000;

/** One import, on a day without other transactions. All of its rows were sent together. */
interface Batch {
  readonly date: string;
  isAcknowledged: boolean;
}

interface Connection {
  readonly user: string;
  readonly intent_token: string;
  link: string | undefined;
}

interface Books {
  readonly batches: Batch[];
  readonly connections: Connection[];
  acknowledgements: number;
}

async function anIntent(daemon: Kycloned, persona: string): Promise<Connection> {
  const user = await aUser(daemon);
  const intent = { fp_id: user, persona };
  const { intent_token } = await done(
    daemon.control('POST', '/_kyclone/bank_link_intents', { body: intent }),
  );
  return { user, intent_token: intent_token as string, link: undefined };
}

const connect = (daemon: Kycloned, { intent_token }: Connection) =>
  daemon.call('POST', '/bank_links', { body: { intent_token } });

async function accountOf(daemon: Kycloned, link: string): Promise<{ id: string; current: string }> {
  const { accounts } = await done(daemon.call('GET', `/bank_links/${link}/accounts`));
  const [account] = accounts as { id: string; balances: { current: string } }[];
  return { id: account?.id ?? '', current: account?.balances.current ?? '' };
}

async function untilGone(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function importBatch(daemon: Kycloned, link: string, account: string, books: Books): Promise<void> {
  const date = new Date(FIRST_DAY + books.batches.length * DAY_MS).toISOString().slice(0, 10);
  const batch: Batch = { date, isAcknowledged: false };
  books.batches.push(batch);
  const row = { account_id: account, amount: '0.01', date, description: 'A cent' };
  const body = { transactions: Array.from({ length: ROWS }, () => row) };
  await done(daemon.call('POST', `/bank_links/${link}/import/transactions`, { body }));
  batch.isAcknowledged = true;
  books.acknowledgements += 1;
}

async function connectOne(daemon: Kycloned, books: Books): Promise<void> {
  const connection = await anIntent(daemon, PERSONA);
  books.connections.push(connection);
  connection.link = (await done(connect(daemon, connection)))['id'] as string;
  books.acknowledgements += 1;
}

async function auditBatches(daemon: Kycloned, link: string, { batches }: Books): Promise<void> {
  let imported = 0;
  for (const { date, isAcknowledged } of batches) {
    const path = `/bank_links/${link}/transactions?size=1&start_date=${date}&end_date=${date}`;
    const { total } = await done(daemon.call('GET', path));
    expect([date, total]).toEqual([date, isAcknowledged || total !== 0 ? ROWS : 0]);
    imported += total as number;
  }
  const { current } = await accountOf(daemon, link);
  expect(current).toBe(`${Math.floor(imported / 100)}.${String(imported % 100).padStart(2, '0')}`);
}

async function auditConnection(daemon: Kycloned, connection: Connection): Promise<void> {
  const { bank_links, vault } = await done(daemon.control('GET', `/_kyclone/entities/${connection.user}`));
  const [found] = bank_links as { id: string; created_at: string }[];
  const numbers = (vault as unknown[]).length;
  if (connection.link !== undefined) expect(found?.id).toBe(connection.link);
  if (!found) {
    expect(numbers).toBe(0);
    connection.link = (await done(connect(daemon, connection)))['id'] as string;
    return;
  }
  // The checking account has five values in the vault, and one more is derived from them.
  expect(numbers).toBe(6);
  expect((await connect(daemon, connection)).status).toBe(409);
  const { total } = await done(daemon.call('GET', `/bank_links/${found.id}/transactions?size=1`));
  expect(total).toBe(entriesOf(found, PERSONA, -1).length);
}

test('kill -9: links and imports are stored completely or not at all', async () => {
  const home = tempDir();
  const books: Books = { batches: [], connections: [], acknowledgements: 0 };
  let target: { link: string; account: string } | undefined;
  for (let round = 0; round < KILLS; round++) {
    const daemon = await startKycloned({ home });
    if (!target) {
      const link = (await done(connect(daemon, await anIntent(daemon, 'empty'))))['id'] as string;
      const { id, current } = await accountOf(daemon, link);
      expect(current).toBe('0.00');
      target = { link, account: id };
    }
    const { link, account } = target;
    await auditBatches(daemon, link, books);
    const writers = [
      ...[1, 2].map(() => untilGone(() => importBatch(daemon, link, account, books))),
      ...[1, 2].map(() => untilGone(() => connectOne(daemon, books))),
    ];
    const enough = books.acknowledgements + 3 + round;
    await Promise.race([
      Promise.all(writers),
      until('enough is written', () => books.acknowledgements >= enough),
    ]);
    await daemon.stop('SIGKILL');
    await Promise.all(writers);
  }
  const daemon = await startKycloned({ home });
  await auditBatches(daemon, target?.link ?? '', books);
  for (const connection of books.connections) await auditConnection(daemon, connection);
  expect(books.acknowledgements).toBeGreaterThanOrEqual(KILLS * 3);
});
