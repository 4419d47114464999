import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import type { AccessEntry } from '../../src/vault/access-entry.ts';
import { beginAccessLog, createAccessLog, ROWS_PER_TURN } from '../../src/vault/access-log.ts';
import { createPrivateValues } from '../../src/vault/private-values.ts';
import { turnsDuring } from '../support/event-turns.ts';

const privateValues = createPrivateValues(new Uint8Array(32).fill(9));
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const OTHER_KEY = Uint8Array.from(KEY, (byte) => byte ^ 1);
const NOON = Date.UTC(2026, 0, 31, 12);

const entry = (change: Partial<AccessEntry> = {}): AccessEntry => ({
  at: NOON,
  operation: 'decrypt',
  tenant: 'default',
  environment: 'sandbox',
  fp_id: 'fp_id_jane',
  identifiers: ['id.ssn9', 'id.first_name:2'],
  actor: { kind: 'api_key', id: 'key_1' },
  outcome: 'granted',
  operator: null,
  reason: 'because “they” asked',
  request_id: 'req_1',
  ...change,
});

function aLog(key = KEY) {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const queue = createWriteQueue(database);
  beginAccessLog(database, key);
  const log = createAccessLog(queue, key, { privateValues });
  const append = (change: Partial<AccessEntry> = {}) =>
    queue.write((store) => log.append(store, entry(change)));
  return { database, queue, log, append, verify: () => log.verify(database) };
}

/** Makes a log of five entries. */
async function aFilledLog() {
  const filled = aLog();
  for (let number = 1; number <= 5; number++) await filled.append({ request_id: `req_${number}` });
  return filled;
}

const rowsOf = (database: Database) =>
  database.prepare('SELECT seq, entry, hash FROM access_log ORDER BY seq').all() as {
    seq: number;
    entry: string;
    hash: Uint8Array;
  }[];

const WHOLE_AND_EMPTY = {
  ok: true,
  checked: 0,
  head: null,
  first_bad_seq: null,
  anchor: { state: 'none', seq: null },
};

test('append: rows count from 1, and the chain verifies with the last hash as head', async () => {
  const { database, verify } = await aFilledLog();
  const rows = rowsOf(database);
  expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  const head = Buffer.from(rows.at(-1)?.hash ?? []).toString('hex');
  expect(await verify()).toEqual({ ...WHOLE_AND_EMPTY, checked: 5, head });
});

test('append: each hash is an HMAC over the hash before and the entry, computed by another program', async () => {
  const { database } = await aFilledLog();
  let previous = '0'.repeat(64);
  for (const { seq, entry: text, hash } of rowsOf(database)) {
    expect(JSON.parse(text)).toEqual({
      actor: { id: 'key_1', kind: 'api_key' },
      at: '2026-01-31T12:00:00.000Z',
      environment: 'sandbox',
      fp_id: 'fp_id_jane',
      identifiers: ['id.ssn9', 'id.first_name:2'],
      operation: 'decrypt',
      outcome: 'granted',
      prev_hash: previous,
      reason: 'because “they” asked',
      request_id: `req_${seq}`,
      seq,
      tenant: 'default',
    });
    // The canonical form has its members in alphabetical order and no blanks.
    const members = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(members)).toEqual(Object.keys(members).sort());
    expect(text).toBe(JSON.stringify(members));
    expect(Buffer.from(hash)).toEqual(
      createHmac('sha256', KEY)
        .update(previous + text)
        .digest(),
    );
    previous = Buffer.from(hash).toString('hex');
  }
});

test('append: an entry is compact JSON, whatever texts it holds', async () => {
  const { database, append, verify } = aLog();
  const odd = 'a "b" \\ \n \u0000 \u007f \ud800 \u2028 Zoë 😀';
  const entries: Partial<AccessEntry>[] = [
    { tenant: odd, environment: odd, fp_id: 'fp_"Zoë"', reason: odd, request_id: odd },
    { identifiers: [odd, '', odd], actor: { kind: odd, id: odd } },
    { identifiers: [], fp_id: null, reason: null },
  ];
  for (const each of entries) await append(each);

  const stored = rowsOf(database).map(({ entry: text }) => {
    const members = JSON.parse(text) as AccessEntry;
    expect(text).toBe(JSON.stringify(members));
    return members;
  });
  for (const [index, each] of entries.entries()) expect(stored[index]).toMatchObject(each);
  expect((await verify()).ok).toBe(true);
});

test('append: an operator is sealed in the entry for its row, and hashed as sealed', async () => {
  const { database, log, append, verify } = aLog();
  await append({ operator: 'Zoë Desk' });
  await append({ operator: 'Zoë Desk' });

  const [first, second] = rowsOf(database).map(({ entry: text }) => {
    // Base64 has neither of these.
    expect(text).not.toMatch(/Zoë| Desk/);
    return JSON.parse(text) as { seq: number; operator: string };
  });
  if (!first || !second) throw new Error('two entries were appended');
  expect(log.operatorOf(first)).toBe('Zoë Desk');
  expect(() => log.operatorOf({ ...first, operator: second.operator })).toThrow();
  expect(Object.keys(first)).toEqual(Object.keys(first).sort());
  expect(await verify()).toMatchObject({ ok: true, checked: 2 });
  database
    .prepare('UPDATE access_log SET entry = replace(entry, ?, ?) WHERE seq = 1')
    .run(first.operator, second.operator);
  expect(await verify()).toMatchObject({ ok: false, first_bad_seq: 1 });
});

test('append: a commit that ran out of space leaves the chain whole, and it goes on after', async () => {
  const { database, queue, log, append, verify } = aLog();
  await append();
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.pragma(`max_page_count = ${pages}`);
  const full = queue.write((store) => {
    for (let count = 0; count < 200; count++) log.append(store, entry());
  });
  await expect(full).rejects.toMatchObject({ code: 'storage_full' });
  expect(await verify()).toMatchObject({ ok: true, checked: 1 });
  database.pragma('max_page_count = 100000');
  await append();
  expect(await verify()).toMatchObject({ ok: true, checked: 2 });
});

test('append: a log that is opened again goes on where it was', async () => {
  const { database, verify } = await aFilledLog();
  const queue = createWriteQueue(database);
  const again = createAccessLog(queue, KEY, { privateValues });
  await queue.write((store) => again.append(store, entry()));
  expect(await verify()).toMatchObject({ ok: true, checked: 6 });
});

test.each([
  ['a changed reason', `UPDATE access_log SET entry = replace(entry, 'because', 'becaus3') WHERE seq = 3`, 3],
  [
    'a changed outcome',
    `UPDATE access_log SET entry = replace(entry, 'granted', 'refused') WHERE seq = 1`,
    1,
  ],
  ['a changed name', `UPDATE access_log SET entry = replace(entry, 'id.ssn9', 'id.city') WHERE seq = 5`, 5],
  ['another entity to be found by', `UPDATE access_log SET fp_id = 'fp_id_john' WHERE seq = 2`, 2],
  ['no entity to be found by', `UPDATE access_log SET fp_id = NULL WHERE seq = 2`, 2],
  ['a changed hash', `UPDATE access_log SET hash = zeroblob(32) WHERE seq = 4`, 4],
  ['a shorter hash', `UPDATE access_log SET hash = substr(hash, 1, 31) WHERE seq = 4`, 4],
  ['a removed row', 'DELETE FROM access_log WHERE seq = 3', 4],
  ['the first row removed', 'DELETE FROM access_log WHERE seq = 1', 2],
  ['the last row removed', 'DELETE FROM access_log WHERE seq = 5', 5],
  ['the last two removed', 'DELETE FROM access_log WHERE seq > 3', 4],
  ['every row removed', 'DELETE FROM access_log', 1],
  [
    'every row removed and the head too',
    `DELETE FROM access_log; DELETE FROM instance_values WHERE name = 'access log head'`,
    1,
  ],
  [
    'two rows in each other’s place',
    'UPDATE access_log SET seq = -2 WHERE seq = 2; UPDATE access_log SET seq = 2 WHERE seq = 3; UPDATE access_log SET seq = 3 WHERE seq = -2',
    2,
  ],
  [
    'a row twice',
    'INSERT INTO access_log (seq, fp_id, entry, hash) SELECT 6, fp_id, entry, hash FROM access_log WHERE seq = 5',
    6,
  ],
  ['a row moved up', 'UPDATE access_log SET seq = 9 WHERE seq = 5', 9],
])('verify: finds %s', async (_what, sql, firstBad) => {
  const { database, verify } = await aFilledLog();
  database.exec(sql);
  expect(await verify()).toMatchObject({ ok: false, first_bad_seq: firstBad });
});

test('verify: finds a whole chain that was made under another key', async () => {
  const { database } = await aFilledLog();
  const queue = createWriteQueue(database);
  database.exec('DELETE FROM access_log');
  const forged = createAccessLog(queue, OTHER_KEY, { privateValues });
  await queue.write((store) => forged.append(store, entry({ reason: 'forged' })));
  expect(await forged.verify(database)).toMatchObject({ ok: true, checked: 1 });
  expect(await createAccessLog(queue, KEY, { privateValues }).verify(database)).toMatchObject({
    ok: false,
    first_bad_seq: 1,
  });
});

test('verify: finds an old end of the chain that was put back with its old head left behind', async () => {
  const { database, append, verify } = await aFilledLog();
  const head = () =>
    database
      .prepare(`SELECT value FROM instance_values WHERE name = 'access log head'`)
      .pluck()
      .get() as string;
  const before = head();
  await append();
  expect(head()).not.toBe(before);
  database.exec('DELETE FROM access_log WHERE seq = 6');
  expect(await verify()).toMatchObject({ ok: false, first_bad_seq: 6 });
  await append();
  expect((await verify()).ok).toBe(false);
});

test('record: entries of one commit are one chain, each with its own text, and shown in their order', async () => {
  const { queue, log, verify, database, append } = aLog();
  const entries = Array.from({ length: 60 }, (_, index) => entry({ request_id: `req_${index}` }));
  const [, last] = await Promise.all([
    Promise.all(entries.slice(0, 30).map((each) => log.record(each))),
    append({ request_id: 'within a job' }).then(() =>
      Promise.all(entries.slice(30).map((each) => log.record(each))),
    ),
  ]);
  expect(last).toHaveLength(30);
  expect(queue.isReadOnly).toBe(false);
  expect(rowsOf(database).map((row) => (JSON.parse(row.entry) as AccessEntry).request_id)).toEqual([
    ...entries.slice(0, 30).map(({ request_id }) => request_id),
    'within a job',
    ...entries.slice(30).map(({ request_id }) => request_id),
  ]);
  expect(await verify()).toMatchObject({ ok: true, checked: 61 });
});

test('record: a job that fails between entries leaves no gap in the chain', async () => {
  const { queue, log, verify } = aLog();
  const failing = queue.write((database) => {
    log.append(database, entry({ request_id: 'rolled back' }));
    throw new Error('no');
  });
  await Promise.all([log.record(entry()), expect(failing).rejects.toThrow('no'), log.record(entry())]);
  expect(await verify()).toMatchObject({ ok: true, checked: 2 });
});

/** Makes a log of so many slices, and one row more. */
async function aLongLog(slices = 3) {
  const made = aLog();
  const rows = slices * ROWS_PER_TURN + 1;
  await Promise.all(Array.from({ length: rows }, () => made.log.record(entry())));
  return { ...made, rows };
}

test('verify: reads all of a log that ends with a slice', async () => {
  const { log, verify } = aLog();
  const rows = 2 * ROWS_PER_TURN;
  await Promise.all(Array.from({ length: rows }, () => log.record(entry())));
  expect(await verify()).toMatchObject({ ok: true, checked: rows });
});

test('verify: leaves others a turn after each slice of rows', async () => {
  const { verify, rows } = await aLongLog();
  const { result, turns } = await turnsDuring(verify);
  expect(result).toMatchObject({ ok: true, checked: rows });
  expect(turns).toBeGreaterThanOrEqual(3);
});

test('verify: judges the log of its beginning, whatever is appended meanwhile', async () => {
  const { database, verify, append, rows } = await aLongLog();
  const head = Buffer.from(rowsOf(database).at(-1)?.hash ?? []).toString('hex');
  const verifying = verify();
  await append();
  await append();
  expect(rowsOf(database)).toHaveLength(rows + 2);
  expect(await verifying).toMatchObject({ ok: true, checked: rows, head, first_bad_seq: null });
  expect(await verify()).toMatchObject({ ok: true, checked: rows + 2 });
});

test('verify: a row that is changed before its slice, and a last row that is gone by then, are found', async () => {
  const { database, verify, rows } = await aLongLog();
  let verifying = verify();
  database.exec(`DELETE FROM access_log WHERE seq = ${rows}`);
  expect(await verifying).toMatchObject({ ok: false, checked: rows - 1, first_bad_seq: rows });
  verifying = verify();
  database.exec(`UPDATE access_log SET hash = zeroblob(32) WHERE seq = ${rows - 1}`);
  expect(await verifying).toMatchObject({ ok: false, first_bad_seq: rows - 1 });
});

test('verify: begins again when another log is begun meanwhile', async () => {
  const { queue, log, verify, append } = await aLongLog();
  const verifying = verify();
  await queue.write((store) => log.clear(store));
  await append();
  expect(await verifying).toMatchObject({ ok: true, first_bad_seq: null });
  expect(await verify()).toMatchObject({ ok: true, checked: 1 });
});

test('verify: says that the state was replaced meanwhile, once its store is closed', async () => {
  const { database, verify } = await aLongLog();
  const verifying = verify();
  database.close();
  await expect(verifying).rejects.toMatchObject({ code: 'not_ready' });
});
