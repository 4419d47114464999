/** A deletion is one small commit; the rows of what was deleted go in slices (src/storage/debris.ts). */
import { expect, onTestFinished } from 'vitest';
import { countTransactions } from '../../src/nouns/bank-links/service/ledger-repository.ts';
import { insertLink } from '../../src/nouns/bank-links/service/links-repository.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { removeDebris, ROWS_PER_COMMIT, sweepDebris } from '../../src/storage/debris.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import { useGrantKey } from '../../src/vault/grants/index.ts';
import { test } from '../support/test-with.ts';

const MANY = 2 * ROWS_PER_COMMIT + 1;
const TABLES = { vault_values: 'entity', bank_transactions: 'link' } as const;

/** Fills the tables of entity 1 and of its link 1. */
function fill(database: Database, rows: number): void {
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})`;
  database.exec(`
    INSERT INTO root_keys VALUES (1, x'00', 0);
    INSERT INTO spaces VALUES (1, 'a', 'sandbox', 0);
    INSERT INTO entities (id, fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at)
      VALUES (1, 'fp_id_a', 1, 'user', 1, x'00', 0, 0), (2, 'fp_id_b', 1, 'user', 1, x'00', 0, 0);
    INSERT INTO bank_links (seq, id, space, entity, persona, anchor, institution, state, products, sealed_world, created_at)
      VALUES (1, 'link_a', 1, 1, 'default', 0, 'a', 'connected', '{}', x'00', 0);
    INSERT INTO bank_accounts (seq, id, link, world_key, sealed) VALUES (1, 'acct_a', 1, 'a', x'00');
    ${numbers} INSERT INTO vault_values SELECT 1, 'custom.f' || n, 1, x'00', 0 FROM numbers;
    INSERT INTO vault_values VALUES (2, 'id.city', 1, x'00', 0);
    ${numbers} INSERT INTO bank_transactions (link, account, ledger, id, day, pending, sealed)
      SELECT 1, 1, 'bank', 'txn_' || n, 0, 0, x'00' FROM numbers;`);
}

function aFilledStore() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  useGrantKey(database, new Uint8Array(32));
  fill(database, MANY);
  const rowsOf = (table: keyof typeof TABLES, parent: number) =>
    database.prepare(`SELECT count(*) FROM ${table} WHERE ${TABLES[table]} = ?`).pluck().get(parent);
  const queue = createWriteQueue(database);
  onTestFinished(() => queue.close());
  return { database, queue, rowsOf };
}

test('sweepDebris: removes what an entity and its link had, a slice in each commit, and nothing of another', async () => {
  const { database, queue, rowsOf } = aFilledStore();
  let commits = 0;
  queue.beforeCommit(() => {
    commits += 1;
  });
  await queue.free((store) => store.exec('DELETE FROM entities WHERE id = 1'));
  expect([rowsOf('vault_values', 1), rowsOf('bank_transactions', 1)]).toEqual([MANY, MANY]);
  // Other work has its turn between two slices.
  let between = -1;
  const sweeping = sweepDebris(queue);
  await queue.write(() => {
    between = Number(rowsOf('vault_values', 1)) + Number(rowsOf('bank_transactions', 1));
  });
  await sweeping;
  expect(between).toBeGreaterThan(0);
  expect(commits).toBe(1 + Math.ceil((2 * MANY + 2) / ROWS_PER_COMMIT));
  expect([rowsOf('vault_values', 1), rowsOf('bank_transactions', 1)]).toEqual([0, 0]);
  expect(rowsOf('vault_values', 2)).toBe(1);
  expect(database.prepare('SELECT count(*) FROM debris').pluck().get()).toBe(0);
});

test('removeDebris: a slice has a limited number of rows and of parents', () => {
  const { database, rowsOf } = aFilledStore();
  database.exec('DELETE FROM bank_links WHERE seq = 1');
  expect(removeDebris(database)).toBe(true);
  expect(rowsOf('bank_transactions', 1)).toBe(MANY - ROWS_PER_COMMIT);
  database.exec(`DELETE FROM bank_transactions;
    WITH RECURSIVE numbers (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
    INSERT INTO debris SELECT 'vault_values', n FROM numbers`);
  expect(removeDebris(database)).toBe(true);
});

test('debris: a new link or entity never takes the row id of one whose rows are left', async (service) => {
  const fp_id = await service.user({ 'id.first_name': 'Zoe' });
  service.database.exec('DELETE FROM entities');
  const next = await service.user({ 'id.last_name': 'Doe' });
  const { body } = await service.call('GET /users/{fp_id}/vault', { params: { fp_id: next } });
  expect(body).toEqual({ 'id.last_name': true });
  expect(fp_id).not.toBe(next);

  const store = aFilledStore();
  store.database.exec('DELETE FROM bank_links WHERE seq = 1');
  const row = {
    id: 'link_b',
    space: 1,
    entity: 2,
    external_id: null,
    persona: 'default',
    anchor: 0,
  } as const;
  const more = {
    institution: 'a',
    state: 'connected',
    error_code: null,
    products: {},
    last_synced_at: 0,
  } as const;
  const world = { due_at: null, sealed_world: new Uint8Array(1), created_at: 0 };
  const link = insertLink(store.database, { ...row, ...more, ...world });
  const all = { link, ledger: 'bank', accounts: null, first: null, last: null } as const;
  expect(countTransactions(store.database, all)).toBe(0);
});

test('debris: what a kill or a snapshot left is removed when the store is served', async (service) => {
  await service.user({ 'id.first_name': 'Zoe' });
  service.database.exec('DELETE FROM entities');
  const left = () => service.database.prepare('SELECT count(*) FROM vault_values').pluck().get();
  expect(left()).toBe(1);
  const params = { name: 'cut-off' };
  await service.call('PUT /_kyclone/snapshots/{name}', { params });
  await service.call('POST /_kyclone/snapshots/{name}/load', { params });
  // The sweep is ahead of it in the queue.
  await service.queue.write(() => undefined);
  expect(left()).toBe(0);
});
