/**
 * The access log by entity (src/vault/access-log-runs-repository.ts): the runs, what is behind them, and what they
 * hide.
 */
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import type { AccessEntry } from '../../src/vault/access-entry.ts';
import type { AccessFilter } from '../../src/vault/access-log-lists-repository.ts';
import { accessPage } from '../../src/vault/access-log-pages.ts';
import { countRuns, RUN_ROWS } from '../../src/vault/access-log-runs-repository.ts';
import { beginAccessLog, createAccessLog } from '../../src/vault/access-log.ts';
import { createPrivateValues } from '../../src/vault/private-values.ts';
import { turnsDuring } from '../support/event-turns.ts';
import '../support/tier-all.ts';

const privateValues = createPrivateValues(new Uint8Array(32).fill(9));
const KEY = new Uint8Array(32).fill(7);
const WHO = ['fp_id_ann', 'fp_id_bob', null, 'fp_id_cy', 'fp_id_ann'] as const;

/** Makes the n-th entry. The entries take turns among a few entities. */
const entry = (number: number): AccessEntry => ({
  at: Date.UTC(2026, 0, 31, 12) + number,
  operation: number % 3 === 0 ? 'integrity' : 'decrypt',
  tenant: 'default',
  environment: 'sandbox',
  fp_id: WHO[number % WHO.length] ?? null,
  identifiers: number % 7 === 0 ? ['id.ssn9:2'] : ['id.city'],
  actor: { kind: 'api_key', id: 'key_1' },
  outcome: 'granted',
  operator: null,
  reason: 'a test',
  request_id: `req_${number}`,
});

async function aLog(entries: number) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const queue = createWriteQueue(database);
  beginAccessLog(database, KEY);
  const log = createAccessLog(queue, KEY, { privateValues });
  let made = 0;
  const append = (count: number) =>
    Promise.all(Array.from({ length: count }, () => log.record(entry((made += 1)))));
  await append(entries);
  return { database, queue, log, append, verify: () => log.verify(database) };
}

/** Returns the numbers of the rows that match a filter. It reads every row of the log. */
function byLookingAtAll(database: Database, { fp_id, operation, identifier }: AccessFilter): number[] {
  const rows = database.prepare('SELECT seq, entry FROM access_log ORDER BY seq DESC').raw().all();
  return (rows as [number, string][]).flatMap(([seq, text]) => {
    const read = JSON.parse(text) as AccessEntry;
    const isOf = identifier === undefined || read.identifiers.some((name) => name.startsWith(identifier));
    const isMatch = (fp_id ?? read.fp_id) === read.fp_id && (operation ?? read.operation) === read.operation;
    return isOf && isMatch ? [seq] : [];
  });
}

/** Returns the numbers of all pages, and the count that each gave. */
async function pagesOf(database: Database, filter: AccessFilter, limit: number) {
  const seqs: number[] = [];
  const counts = new Set<number>();
  for (;;) {
    const { rows, count } = await accessPage(database, filter, { before: seqs.at(-1), limit });
    seqs.push(...rows.slice(0, limit).map(({ seq }) => seq));
    counts.add(count);
    if (rows.length <= limit) return { seqs, counts: [...counts] };
  }
}

async function expectAllListed(database: Database): Promise<void> {
  for (const filter of [
    {},
    { fp_id: 'fp_id_ann' },
    { fp_id: 'fp_id_bob', operation: 'integrity' },
    { fp_id: 'fp_id_cy', identifier: 'id.ssn9' },
    { fp_id: 'fp_id_nobody' },
    { operation: 'integrity' },
  ]) {
    const seqs = byLookingAtAll(database, filter);
    expect(await pagesOf(database, filter, 400)).toEqual({ seqs, counts: [seqs.length] });
  }
}

test('accessPage: leaves others a turn after each slice, and has nothing that is appended meanwhile', async () => {
  const { database, append } = await aLog(4 * RUN_ROWS + 10);
  const read = (filter: AccessFilter) =>
    turnsDuring(() => accessPage(database, filter, { before: undefined, limit: 2 }));
  for (const filter of [{ operation: 'download' }, { outcome: 'refused' }, { identifier: 'id.dob' }]) {
    const { result, turns } = await read(filter);
    expect(result).toEqual({ rows: [], count: 0 });
    expect(turns).toBeGreaterThanOrEqual(4);
  }
  // One entity has an index: its entries are few.
  expect((await read({ fp_id: 'fp_id_nobody' })).turns).toBeLessThanOrEqual(2);
  const reading = accessPage(database, { outcome: 'granted' }, { before: undefined, limit: 2 });
  await append(1);
  const { rows, count } = await reading;
  expect(count).toBe(4 * RUN_ROWS + 10);
  expect(rows.map(({ seq }) => seq)).toEqual([count, count - 1, count - 2]);
});

test('runs: lists and counts are those of all rows, whether in a run or behind the last', async () => {
  const { database, append, verify } = await aLog(RUN_ROWS - 1);
  expect(countRuns(database)).toBe(0);
  await expectAllListed(database);
  await append(RUN_ROWS + 1);
  expect(countRuns(database)).toBe(2);
  await expectAllListed(database);
  await append(300);
  await expectAllListed(database);
  expect(await verify()).toMatchObject({ ok: true, checked: 2 * RUN_ROWS + 300 });
});

test('runs: what a log from before there were any holds is put into them with the next commits', async () => {
  const { database, queue } = await aLog(5 * RUN_ROWS + 10);
  database.exec('DELETE FROM access_log_runs');
  await expectAllListed(database);

  const reopened = createAccessLog(queue, KEY, { privateValues });
  await reopened.record(entry(1));
  expect(countRuns(database)).toBe(4);
  await expectAllListed(database);
  await reopened.record(entry(2));
  expect(countRuns(database)).toBe(5);
  await expectAllListed(database);
});

test('runs: a commit that fails takes its run with it', async () => {
  const { database, queue, append } = await aLog(RUN_ROWS - 1);
  let isFailing = true;
  queue.beforeCommit(() => {
    if (!isFailing) return;
    isFailing = false;
    throw Object.assign(new Error('database or disk is full'), { name: 'SqliteError', code: 'SQLITE_FULL' });
  });

  await expect(append(1)).rejects.toMatchObject({ code: 'storage_full' });
  expect(countRuns(database)).toBe(0);
  await append(RUN_ROWS + 1);
  expect(countRuns(database)).toBe(2);
  await expectAllListed(database);
});

test('runs: a log that begins anew has none of the one before', async () => {
  const { database, queue, log, append } = await aLog(RUN_ROWS + 5);
  await queue.write((store) => log.clear(store));
  expect(countRuns(database)).toBe(0);
  await append(RUN_ROWS + 5);
  expect(countRuns(database)).toBe(1);
  await expectAllListed(database);
});

test.each([
  ['left out', 'DELETE FROM access_log_runs WHERE seq = 500', 500],
  ['given to another entity', "UPDATE access_log_runs SET fp_id = 'fp_id_eve' WHERE seq = 600", 600],
  ['made up', "INSERT INTO access_log_runs VALUES (0, 'fp_id_eve', 700)", 700],
])('verify: a row that its run has %s is named', async (_, edit, seq) => {
  const { database, verify } = await aLog(RUN_ROWS + 5);
  database.exec(edit);
  expect(await verify()).toMatchObject({ ok: false, first_bad_seq: seq });
});
