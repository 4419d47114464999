/** Lists of many events and deliveries are read in slices, between which other requests have their turn. */
import { expect, onTestFinished, test } from 'vitest';
import {
  listDeliveries,
  scanDeliveries,
  scanEvents,
} from '../../../src/nouns/webhooks/service/repository.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { ROWS_PER_TURN, scannedPage } from '../../../src/storage/scanned-page.ts';
import { turnsDuring } from '../../support/event-turns.ts';

const EVENTS = 2 * ROWS_PER_TURN + 5;

/** Each third event is of another kind, and each has a delivery to one of two endpoints of different tenants. */
function aStore() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${EVENTS})`;
  database.exec(`
    INSERT INTO spaces VALUES (1, 'a', 'sandbox', 0), (2, 'b', 'sandbox', 0);
    INSERT INTO webhooks (id, space, url, kinds, enabled, created_at, sealed_secret)
      VALUES ('whk_a', 1, 'http://a', '["*"]', 1, 0, x'00'), ('whk_b', 2, 'http://b', '["*"]', 1, 0, x'00');
    ${numbers} INSERT INTO events (seq, id, space, kind, fp_id, body, created_at)
      SELECT n, 'evt_' || n, 1 + n % 2, iif(n % 3 = 0, 'vault.updated', 'onboarding.completed'), 'fp_id_a', '{}', n
      FROM numbers;
    ${numbers} INSERT INTO deliveries (seq, id, event, webhook, status, created_at)
      SELECT n, 'dlv_' || n, 'evt_' || n, iif(n % 2, 'whk_b', 'whk_a'), iif(n = 2, 'failed', 'delivered'), 0
      FROM numbers;`);
  return database;
}

const ofSpace = Array.from({ length: EVENTS }, (_, at) => EVENTS - at).filter((n) => n % 2 === 0);

test.each([
  [{}, ofSpace],
  [{ status: 'failed' }, [2]],
  [{ status: 'pending' }, []],
  [{ kind: 'vault.updated' }, ofSpace.filter((n) => n % 3 === 0)],
  [{ event_id: 'evt_4' }, [4]],
  [{ event_id: 'evt_3' }, []],
  [{ webhook_id: 'whk_a', kind: 'vault.updated' }, ofSpace.filter((n) => n % 3 === 0)],
] as const)('deliveries: %j gives every page and the count', async (filter, expected) => {
  const database = aStore();
  const scan = (below: number) => scanDeliveries(database, { space: 1, ...filter }, below);
  const shown: number[] = [];
  for (let before: number | undefined; ; before = shown.at(-1)) {
    const page = await scannedPage(database, scan, { before, limit: 500 });
    expect(page.count).toBe(expected.length);
    shown.push(...listDeliveries(database, page.seqs.slice(0, 500)).map(({ seq }) => seq));
    if (page.seqs.length <= 500) break;
  }
  expect(shown).toEqual(expected);
});

test.each([
  [{}, ofSpace.length],
  [{ since: EVENTS - 3 }, 2],
  [{ event_id: 'evt_4' }, 1],
  [{ event_id: 'evt_3' }, 0],
  [{ kind: 'vault.updated', fp_id: 'fp_id_a' }, ofSpace.filter((n) => n % 3 === 0).length],
  [{ fp_id: 'fp_id_b' }, 0],
] as const)('events: %j gives the count', async (filter, count) => {
  const database = aStore();
  const scan = (below: number) => scanEvents(database, { space: 1, ...filter }, below);
  expect(await scannedPage(database, scan, { before: undefined, limit: 1 })).toMatchObject({ count });
});

test('scannedPage: leaves others a turn after each slice, and none after a few rows of an index', async () => {
  const database = aStore();
  const read = (filter: { status: 'pending' } | { event_id: string }) =>
    turnsDuring(() =>
      scannedPage(database, (below) => scanDeliveries(database, { space: 1, ...filter }, below), {
        before: undefined,
        limit: 1,
      }),
    );
  expect((await read({ status: 'pending' })).turns).toBeGreaterThanOrEqual(2);
  expect((await read({ event_id: 'evt_2' })).turns).toBe(0);
});
