/** A large vault is emptied in slices, and one commit makes that take effect. */
import { expect } from 'vitest';
import { ROWS_PER_COMMIT, sweepAhead } from '../../../src/vault/values-ahead.ts';
import type { EntityRow } from '../../../src/nouns/entities/service/index.ts';
import { createRemovalInTurns } from '../../../src/nouns/vault/service/removing-all.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { aStore } from '../../vault/a-store.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const NAMES = Array.from({ length: 2 * ROWS_PER_COMMIT + 1 }, (_, at) => `custom.f${at}`).sort();

async function aLargeVault(service: TestService) {
  const fp_id = await service.user({ 'id.ssn9': '078051120' });
  const body = Object.fromEntries(NAMES.map((name) => [name, 'x']));
  await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id }, body });
  const params = { fp_id };
  return {
    params,
    present: async () =>
      Object.keys((await service.call('GET /users/{fp_id}/vault', { params })).body).length,
    rows: () => service.database.prepare('SELECT count(*) FROM vault_values').pluck().get() as number,
    removeAll: async (more: { purge?: boolean } = {}) =>
      (await service.call('DELETE /users/{fp_id}/vault', { params, body: { delete_all: true, ...more } }))
        .body,
    version: () => service.database.prepare('SELECT vault_version FROM entities').pluck().get() as number,
  };
}

/** The distinct results of `look` before each commit. */
function lookingAtEachCommit<T>(service: TestService, look: () => T): { seen: T[]; commits: () => number } {
  const seen: T[] = [];
  let commits = 0;
  service.queue.beforeCommit(() => {
    commits += 1;
    const now = look();
    if (!seen.includes(now)) seen.push(now);
  });
  return { seen, commits: () => commits };
}

test('delete_all: a large vault is whole until it is empty, over several commits', async (service) => {
  const vault = await aLargeVault(service);
  const current = service.database.prepare(`SELECT count(*) FROM (
    SELECT max(version), sealed FROM vault_values JOIN entities ON entities.id = entity
    WHERE version <= vault_version GROUP BY identifier) WHERE sealed IS NOT NULL`);
  const { seen, commits } = lookingAtEachCommit(service, () => current.pluck().get());
  const answer = await vault.removeAll();
  expect(Object.keys(answer).sort()).toEqual([...NAMES, 'id.ssn4', 'id.ssn9', 'id.us_tax_id'].sort());
  expect(seen).toEqual([NAMES.length + 1, 0]);
  expect(commits()).toBeGreaterThanOrEqual(4);
  expect([await vault.present(), vault.version()]).toEqual([0, 3]);
  expect((await service.call('POST /users/search', { body: { search: '078051120' } })).body.data).toEqual([]);
  // Earlier versions are still there.
  const headers = { 'x-fp-vault-version': '2' };
  const before = await service.call('GET /users/{fp_id}/vault', { params: vault.params, headers });
  expect(Object.keys(before.body)).toHaveLength(NAMES.length + 3);
  const events = (await service.call('GET /_kyclone/events')).body.data.filter(
    ({ kind }) => kind === 'vault.updated',
  );
  for (const { body } of events.slice(0, 1)) expect(body['fields']).toEqual([...NAMES, 'id.ssn9']);
});

test('delete_all: with a write in between both take effect, one after the other', async () => {
  const store = aStore();
  const { database, vault, clock } = store;
  const jane = store.create(Object.fromEntries(NAMES.map((name) => [name, 'x'])));
  const queue = createWriteQueue(database);
  let written: Promise<unknown> | undefined;
  let commits = 0;
  queue.beforeCommit(() => {
    commits += 1;
    // It is in the queue before the next slice.
    if (commits === 2)
      written = queue.write(() => {
        store.write(jane, { 'id.city': 'Springfield' });
      });
  });
  const current = () => store.entity(jane) as EntityRow;
  const recorded: unknown[] = [];
  const removal = await createRemovalInTurns({ queue, vault, clock })(current(), current, {
    purge: false,
    record: () => recorded.push(store.entity(jane).vault_version),
  });
  await written;
  queue.close();
  expect(Object.keys(removal?.answer ?? {})).toContain('id.city');
  expect(removal?.version).toBe(3);
  // Once, in the job that makes it take effect.
  expect(recorded).toEqual([2]);
  expect(vault.present(database, current(), 3)).toEqual([]);
  const deletions = database.prepare(
    'SELECT version, count(*) FROM vault_values WHERE sealed IS NULL GROUP BY version',
  );
  expect(deletions.raw().all()).toEqual([[3, NAMES.length + 1]]);
});

test('delete_all: twice at once deletes once', async (service) => {
  const vault = await aLargeVault(service);
  await Promise.all([vault.removeAll(), vault.removeAll()]);
  expect([await vault.present(), vault.version()]).toEqual([0, 3]);
});

test('delete_all: purge destroys the history of a large vault', async (service) => {
  const vault = await aLargeVault(service);
  await vault.removeAll({ purge: true });
  expect([vault.rows(), vault.version()]).toEqual([0, 3]);
});

test('delete_all: what a kill left is read by nobody, and dropped by the next write or start', async (service) => {
  const vault = await aLargeVault(service);
  const cutOff = () =>
    service.database.exec(`INSERT INTO values_ahead SELECT id, 'x' FROM entities;
      INSERT INTO vault_values SELECT entity, identifier, vault_version + 1, NULL, 0
      FROM vault_values JOIN entities ON entities.id = entity WHERE sealed IS NOT NULL GROUP BY identifier`);
  const rows = vault.rows();
  cutOff();
  expect(vault.rows()).toBeGreaterThan(rows);
  expect(await vault.present()).toBe(NAMES.length + 3);
  const all = { params: vault.params, query: {} };
  const { data } = (await service.call('GET /_kyclone/entities/{fp_id}/timeline', all)).body;
  expect(data.filter(({ kind }) => kind === 'vault')).toHaveLength(2);
  await sweepAhead(service.queue);
  expect(vault.rows()).toBe(rows);
  cutOff();
  const body = { 'id.city': 'Springfield' };
  await service.call('PATCH /users/{fp_id}/vault', { params: vault.params, body });
  expect([vault.rows(), await vault.present()]).toEqual([rows + 1, NAMES.length + 4]);
  cutOff();
  await vault.removeAll();
  expect(await vault.present()).toBe(0);
  expect(vault.rows()).toBe(2 * (rows + 1));
});
