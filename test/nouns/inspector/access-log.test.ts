/** The access log (contract §11): its filters, and what verification detects. */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { NOON, startService, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { testWith } from '../../support/test-with.ts';

/** Makes four entries a second apart: granted, integrity, refused, and one about a second user. */
async function aLog() {
  const service = await startService();
  const [first, second] = [await service.user(), await service.user()];
  const body = { external_id: 'customer-17' };
  await service.call('PATCH /users/{fp_id}', { params: { fp_id: second }, body });
  const vault = vaultOf(service, first);
  await vault.decrypt(['id.ssn9', 'id.city:1'], { reason: 'one' });
  service.clock.advance(1000);
  await service.call('POST /users/{fp_id}/vault/integrity', {
    params: { fp_id: first },
    body: { fields: ['id.city'], signing_key: 'ab' },
  });
  service.clock.advance(1000);
  const blind = vaultOf(service, first, await service.key({ permissions: [] }));
  await blind.refusedDecrypt({ fields: ['id.ssn9'], reason: 'three' });
  service.clock.advance(1000);
  await vaultOf(service, second).decrypt(['id.email'], { reason: 'four' });
  return { service, first, second, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const test = testWith(aLog);

const verify = async (service: TestService) => (await service.call('GET /_kyclone/access-log/verify')).body;
const change = (service: TestService, sql: string) => service.database.exec(sql);

describe('filters', () => {
  const found = async (service: TestService, query: RequestOf<'GET /_kyclone/access-log'>['query']) => {
    const { data, meta } = (await service.call('GET /_kyclone/access-log', { query })).body;
    expect(meta.count).toBe(data.length);
    return data.map(({ seq }) => seq);
  };
  const since = (ms: number) => ({ since: new Date(NOON + ms).toISOString() });
  test.eachWith([
    [{ operation: 'integrity' as const }, [2]],
    [{ operation: 'search' as const }, []],
    [{ outcome: 'refused' as const }, [3]],
    [{ outcome: 'granted' as const }, [4, 2, 1]],
    [{ identifier: 'id.ssn9' }, [3, 1]],
    [{ identifier: 'id.city' }, [2, 1]],
    [{ identifier: 'id.cit' }, []],
    [{ identifier: 'id' }, []],
    [since(1000), [4, 3, 2]],
    [since(3001), []],
    [{ until: since(2000).since }, [2, 1]],
    [{ ...since(1000), until: since(1001).since }, [2]],
    [{ q: 'FOUR id.email' }, [4]],
    [{ q: 'four id.ssn9' }, []],
    [{ q: 'refused' }, [3]],
    [{ environment: 'sandbox' as const }, [4, 3, 2, 1]],
    [{ environment: 'live' as const }, []],
    [{ external_id: 'nobody' }, []],
    [{ ...since(1000), outcome: 'granted' as const, operation: 'decrypt' as const }, [4]],
  ])('access-log: %j', async (log, query, expected) => {
    expect(await found(log.service, query)).toEqual(expected);
  });

  test('access-log: by entity', async ({ service, first, second }) => {
    expect(await found(service, { fp_id: first })).toEqual([3, 2, 1]);
    expect(await found(service, { external_id: 'customer-17' })).toEqual([4]);
    expect(await found(service, { fp_id: second })).toEqual([4]);
    expect(await found(service, { fp_id: 'nobody' })).toEqual([]);
  });
});

test('verify: a log is whole, each entry after the hash of the one before', async (log) => {
  const { data } = (await log.service.call('GET /_kyclone/access-log')).body;

  expect(await verify(log.service)).toEqual({
    ok: true,
    checked: 4,
    head: data[0]?.hash,
    first_bad_seq: null,
    anchor: { state: 'none', seq: null },
  });
  for (const [index, entry] of data.entries()) {
    expect(entry.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(entry.prev_hash).toBe(data[index + 1]?.hash ?? '0'.repeat(64));
  }
});

test('verify: detects a removed sealed head', async (log) => {
  change(log.service, "DELETE FROM instance_values WHERE name LIKE 'access log%'");

  expect((await verify(log.service)).ok).toBe(false);
});
