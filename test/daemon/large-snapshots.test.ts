/**
 * A snapshot of a store so large that its file is copied while other requests are served (contract §11). The snapshot
 * shows one moment. Later writes are in the store, but not in the snapshot.
 */
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import '../support/tier-all.ts';

/** This number of values of nearly 32 KiB exceeds 8 MiB, the size from which the file is copied. */
const LARGE_VALUES = 280;
const SNAPSHOT = '/_kyclone/snapshots/large';

async function ok(call: ReturnType<Kycloned['call']>) {
  const { status, body, text } = await call;
  expect([status, text]).toEqual([200, text]);
  return body;
}

const countOf = async (daemon: Kycloned) =>
  ((await ok(daemon.call('GET', '/users')))['meta'] as { count: number }).count;

test('snapshot: of a large store is of one moment, and loads whole', async () => {
  const daemon = await startKycloned();
  const { id } = await ok(daemon.call('POST', '/users', { body: { 'id.city': 'Enclave' } }));
  for (let serial = 0; serial < LARGE_VALUES; serial++) {
    const body = { [`custom.large_${serial}`]: 'x'.repeat(32_000) };
    await ok(daemon.call('PATCH', `/users/${String(id)}/vault`, { body }));
  }
  const before = await countOf(daemon);
  const done = new AbortController();
  let created = 0;
  const writing = (async () => {
    while (!done.signal.aborted) {
      const body = { 'id.city': `Enclave ${created}` };
      const user = await ok(daemon.call('POST', '/users', { body }));
      await ok(
        daemon.call('PATCH', `/users/${String(user['id'])}`, {
          body: { external_id: `customer-number-${created}` },
        }),
      );
      created += 1;
    }
  })();
  const saved = await ok(daemon.control('PUT', SNAPSHOT)).finally(() => done.abort());
  await writing;
  expect(await countOf(daemon)).toBe(before + created);

  await ok(daemon.control('POST', `${SNAPSHOT}/load`));

  const after = await countOf(daemon);
  expect((saved['counts'] as { users: number }).users).toBe(after);
  expect(after).toBeGreaterThanOrEqual(before);
  expect(after).toBeLessThanOrEqual(before + created);
  // The last user may be in the snapshot without the change that followed. All earlier users have their change.
  for (let serial = 0; serial < after - before - 1; serial++) {
    const { meta } = await ok(daemon.call('GET', `/users?external_id=customer-number-${serial}`));
    expect(meta).toMatchObject({ count: 1 });
  }
  const last = `custom.large_${LARGE_VALUES - 1}`;
  const decrypted = { fields: ['id.city', last], reason: 'a test' };
  const values = await ok(daemon.call('POST', `/users/${String(id)}/vault/decrypt`, { body: decrypted }));
  expect(values['id.city']).toBe('Enclave');
  expect(values[last]).toHaveLength(32_000);
  await daemon.stop();
});
