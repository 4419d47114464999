/** The query plans of SQLite for every reading endpoint: none scans all entities or all values to return a few. */
import { expect } from 'vitest';
import { endpoints } from '../../../src/contract/registry.ts';
import type { Database } from '../../../src/storage/database.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import { samples, setStage } from '../../support/samples.ts';
import { asRaw } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

/** These endpoints read everything on purpose. */
const OF_ALL: ReadonlySet<string> = new Set([
  'GET /_kyclone/store/check',
  'GET /_kyclone/access-log/verify',
  'GET /_kyclone/snapshots/{name}/diff',
  'GET /_kyclone/snapshots/{name}/content',
]);
const LARGE = /^SCAN (?:\w+ AS )?(?:entities|vault_values|fingerprints|other)\b/;

/** Records all statements that are prepared from now on; `plans` returns their query plans. */
function preparing(database: Database): { plans(): string[] } {
  const texts = new Set<string>();
  const prepare = database.prepare.bind(database);
  database.prepare = (sql: string) => {
    texts.add(sql);
    return prepare(sql);
  };
  return {
    plans: () =>
      [...texts].flatMap((sql) => {
        const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...nothings(sql)) as { detail: string }[];
        return steps.map(({ detail }) => `${detail} | ${sql}`);
      }),
  };
}

/** Returns nulls for the parameters. A plan needs no values, but the binding requires them. */
function nothings(sql: string): unknown[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
  return names.length > 0 ? [Object.fromEntries(names)] : Array.from(sql.matchAll(/\?/g), () => null);
}

test('plans: no reading endpoint scans a table that grows with the users', async (service) => {
  const stage = await setStage(service);
  // The first call counts a store's entities; the test looks at what follows.
  await service.call('GET /_kyclone/info');
  const prepared = preparing(service.database);

  for (const { key } of endpoints) {
    const isRead = key.startsWith('GET ') || key.endsWith('/search');
    if (!isRead || OF_ALL.has(key) || key === 'GET /_kyclone/stream') continue;
    expect((await service.send(asRaw(key, await samples[key](stage)))).status, key).toBe(200);
  }

  expect(prepared.plans().length).toBeGreaterThan(100);
  expect(prepared.plans().filter((plan) => LARGE.test(plan))).toEqual([]);
});

test.eachWith([
  ['GET /_kyclone/entities', {}],
  ['GET /_kyclone/entities', { kind: 'business' }],
  ['GET /_kyclone/entities', { status: 'pass' }],
  ['GET /_kyclone/entities', { q: 'fp_id_a' }],
  ['GET /_kyclone/entities', { q: 'fp' }],
  ['GET /_kyclone/entities', { q: 'customer', status: 'none' }],
  ['GET /users', {}],
  ['GET /users', { external_id: 'customer-1' }],
] as const)('plans: %s of %j is in the order of an index, or of a few rows', async (service, key, query) => {
  const fp_id = await service.user(aReadyUser());
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC } });
  await service.user();
  await service.call('GET /_kyclone/info');
  const prepared = preparing(service.database);

  const first = await service.call(key, { query: { ...query, page_size: 1 } });
  const { next } = (first.body as { meta: { next: string | null } }).meta;
  if (next !== null) await service.call(key, { query: { ...query, page_size: 1, cursor: next } });

  const plans = prepared.plans();
  expect(plans.filter((plan) => LARGE.test(plan))).toEqual([]);
  const sorted = plans.filter((plan) => plan.startsWith('USE TEMP B-TREE FOR'));
  expect(sorted.filter((plan) => !plan.includes('WHERE id IN'))).toEqual([]);
});

test.eachWith([
  'name:"a b"',
  ...'jane tag:wave status:pass jane@example.com label:active fp_id_a doc_a'.split(' '),
])('plans: a search for %s reads no index of all entities', async (service, search) => {
  await service.user(aReadyUser());
  await service.call('GET /_kyclone/info');
  const prepared = preparing(service.database);

  const ask = () => service.call('POST /_kyclone/search', { body: { search } });
  while ((await ask()).body.reading !== null);

  const ofAll = /\bentities_by_age\b/;
  // The first search by a part of a vault value reads that part of all vaults.
  const OF_PARTS = 'root_key_version';
  const plans = prepared.plans().filter((plan) => !plan.includes(OF_PARTS));
  expect(plans.length).toBeGreaterThan(0);
  expect(plans.filter((plan) => ofAll.test(plan))).toEqual([]);
});
