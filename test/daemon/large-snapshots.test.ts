/**
 * A snapshot of a store so large that its file is copied while other requests are served (contract §11). The snapshot
 * shows one moment. Later writes are in the store, but not in the snapshot.
 */
import { expect, test } from 'vitest';
import { startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, done } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

/** This number of values of nearly 32 KiB exceeds 8 MiB, the size from which the file is copied. */
const LARGE_VALUES = 280;
const SNAPSHOT = '/_kyclone/snapshots/large';

const countOf = async (daemon: Kycloned) =>
  ((await done(daemon.call('GET', '/users')))['meta'] as { count: number }).count;

test('snapshot: of a large store is of one moment, and loads whole', async () => {
  const daemon = await startKycloned();
  const id = await aUser(daemon, { 'id.city': 'Enclave' });
  for (let serial = 0; serial < LARGE_VALUES; serial++) {
    const body = { [`custom.large_${serial}`]: 'x'.repeat(32_000) };
    await done(daemon.call('PATCH', `/users/${id}/vault`, { body }));
  }
  const before = await countOf(daemon);
  const ending = new AbortController();
  let created = 0;
  const writing = (async () => {
    while (!ending.signal.aborted) {
      const user = await aUser(daemon, { 'id.city': `Enclave ${created}` });
      const body = { external_id: `customer-number-${created}` };
      await done(daemon.call('PATCH', `/users/${user}`, { body }));
      created += 1;
    }
  })();
  const saved = await done(daemon.control('PUT', SNAPSHOT)).finally(() => ending.abort());
  await writing;
  expect(await countOf(daemon)).toBe(before + created);

  await done(daemon.control('POST', `${SNAPSHOT}/load`));

  const after = await countOf(daemon);
  expect((saved['counts'] as { users: number }).users).toBe(after);
  expect(after).toBeGreaterThanOrEqual(before);
  expect(after).toBeLessThanOrEqual(before + created);
  // The last user may be in the snapshot without the change that followed. All earlier users have their change.
  for (let serial = 0; serial < after - before - 1; serial++) {
    const { meta } = await done(daemon.call('GET', `/users?external_id=customer-number-${serial}`));
    expect(meta).toMatchObject({ count: 1 });
  }
  const last = `custom.large_${LARGE_VALUES - 1}`;
  const values = await done(decrypt(daemon, id, ['id.city', last]));
  expect(values['id.city']).toBe('Enclave');
  expect(values[last]).toHaveLength(32_000);
  await daemon.stop();
});
