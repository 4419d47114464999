/**
 * The counts and items of lists, compared with all rows of the store after writes, refusals, rollbacks and
 * replacements.
 */
import { expect } from 'vitest';
import { aReadyUser, KYC } from '../../support/builders.ts';
import { LIVE_KEY, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const STATUSES = ['pass', 'fail', 'incomplete', 'pending', 'none'] as const;

interface Row {
  readonly fp_id: string;
  readonly external_id: string | null;
  readonly kind: string;
  readonly status: string;
  readonly created_at: number;
}

/** Returns the rows of a tenant's environment in the order of the list. */
function rowsOf({ database }: TestService, tenant: string, environment: string): Row[] {
  return database
    .prepare(
      `SELECT fp_id, external_id, kind, status, created_at FROM entities NOT INDEXED
       WHERE space = (SELECT id FROM spaces WHERE tenant = ? AND environment = ?)
       ORDER BY created_at DESC, fp_id DESC`,
    )
    .all(tenant, environment) as Row[];
}

/** Returns all pages of an inspector list, two items at a time. */
async function pagesOf(service: TestService, query: Record<string, unknown>) {
  const ids: string[] = [];
  let counted: number | undefined;
  let cursor: string | null | undefined;
  do {
    const { body } = await service.call('GET /_kyclone/entities', {
      query: { ...query, page_size: 2, ...(cursor && { cursor }) },
    });
    ids.push(...body.data.map(({ id }) => id));
    counted ??= body.meta.count;
    expect(body.meta.count).toBe(counted);
    cursor = body.meta.next;
  } while (cursor);
  return { ids, count: counted };
}

async function expectTrueLists(service: TestService): Promise<void> {
  for (const [tenant, environment] of [
    ['default', 'sandbox'],
    ['default', 'live'],
    ['elsewhere', 'sandbox'],
  ] as const) {
    const all = rowsOf(service, tenant, environment);
    const asked: [Record<string, unknown>, (row: Row) => boolean][] = [
      [{}, () => true],
      ...(['user', 'business'] as const).map((kind) => [{ kind }, (row: Row) => row.kind === kind] as never),
      ...STATUSES.map((status) => [{ status }, (row: Row) => row.status === status] as never),
      [{ status: 'none', kind: 'user' }, (row: Row) => row.status === 'none' && row.kind === 'user'],
      ...['', ...words`f fp_id_ fp_bid_ fp_id_1 customer- customer-1 z`, all[0]?.fp_id ?? 'none'].map(
        (q) =>
          [{ q }, (row: Row) => row.fp_id.startsWith(q) || (row.external_id ?? '\0').startsWith(q)] as never,
      ),
    ];
    for (const [query, matches] of asked) {
      const expected = all.filter(matches).map(({ fp_id }) => fp_id);
      const { ids, count } = await pagesOf(service, { ...query, tenant, environment });
      expect(ids, JSON.stringify(query)).toEqual(expected);
      expect(count, JSON.stringify(query)).toBe(expected.length);
    }
  }
  const every = service.database.prepare('SELECT kind FROM entities NOT INDEXED').pluck().all();
  expect((await service.call('GET /_kyclone/info')).body.counts).toMatchObject({
    users: every.filter((kind) => kind === 'user').length,
    businesses: every.filter((kind) => kind === 'business').length,
  });
  const { entities_by_root_key_version: byKey } = (await service.call('GET /_kyclone/keyring')).body;
  expect(Object.values(byKey).reduce((sum, entities) => sum + entities, 0)).toBe(every.length);
}

async function populate(service: TestService, elsewhere: string): Promise<string[]> {
  const ids: string[] = [];
  // The clock is frozen, so all entities have the same time and are sorted by their ids.
  for (let serial = 0; serial < 5; serial++) {
    const headers = { 'x-external-id': `customer-${serial}` };
    const fp_id = (await service.call('POST /users', { headers })).body.id;
    await service.call('PATCH /users/{fp_id}/vault', { params: { fp_id }, body: aReadyUser() });
    ids.push(fp_id);
    await service.call('POST /users', { as: LIVE_KEY, headers });
    await service.call('POST /businesses', { as: elsewhere, headers });
  }
  service.clock.advance(1_000);
  await service.business();
  await service.user();
  return ids;
}

test('lists: show and count what there is, of their own tenant and environment, in every order of events', async (service) => {
  const elsewhere = await service.key({ tenant: 'elsewhere' });
  await expectTrueLists(service);
  const [one = '', other = '', last = ''] = await populate(service, elsewhere);
  await expectTrueLists(service);

  for (const [fp_id, fixture_result] of [
    [one, 'fail'],
    [other, 'pass'],
  ] as const) {
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, fixture_result } });
  }
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: last } });
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: other } });
  await expectTrueLists(service);

  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'before' }, query: {} });
  await service.call('POST /_kyclone/keyring/rotate', { query: { wait: true } });
  await service.call('POST /_kyclone/reset');
  await expectTrueLists(service);
  await service.user();
  await service.call('POST /_kyclone/snapshots/{name}/load', { params: { name: 'before' }, query: {} });
  await expectTrueLists(service);
});

test('counts: a job that fails and a batch that fails leave them as they were', async (service) => {
  const fp_id = await service.user();
  const count = async () => (await service.call('GET /_kyclone/info')).body.counts.users;
  expect(await count()).toBe(1);

  const copy = `INSERT INTO entities (fp_id, space, kind, root_key_version, sealed_key, created_at, updated_at)
    SELECT ?, space, kind, root_key_version, sealed_key, created_at, updated_at FROM entities WHERE fp_id = ?`;
  const jobs = await Promise.allSettled([
    service.queue.write((database) => database.prepare(copy).run('fp_id_kept', fp_id)),
    service.queue.write((database) => {
      database.prepare(copy).run('fp_id_gone', fp_id);
      database.prepare("UPDATE entities SET status = 'fail' WHERE fp_id = ?").run(fp_id);
      throw new Error('no');
    }),
  ]);
  expect(jobs.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await count()).toBe(2);
  const failed = await service.call('GET /_kyclone/entities', { query: { status: 'fail' } });
  expect(failed.body.meta.count).toBe(0);

  service.queue.beforeCommit(() => {
    throw new Error('the commit fails');
  });
  await expect(
    service.queue.write((database) => database.prepare(copy).run('fp_id_lost', fp_id)),
  ).rejects.toThrow();
  expect(await count()).toBe(2);
});
