/**
 * kill -9 a hundred times under write load. The client records what was acknowledged and what was in flight. After each
 * restart the two must agree: nothing acknowledged is missing, nothing is half stored, and the access log verifies.
 */
import { expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { launch, startKycloned, tempDir, until } from '../support/kycloned.ts';
import { auditBooks, newBooks } from './books.ts';
import { killUnderLoad } from './kill-under-load.ts';

const KILLS = 100;
const LEAST_ACKNOWLEDGED_PER_ROUND = 10;

test(`kill -9: ${KILLS} times under write load, no acknowledged write is lost and the access log verifies`, async () => {
  const home = tempDir();
  const books = newBooks();
  for (let round = 0; round < KILLS; round++) {
    await killUnderLoad(home, books, LEAST_ACKNOWLEDGED_PER_ROUND + (round % 7) * 5);
  }
  await auditBooks(await startKycloned({ home }), books);
  expect(books.acknowledgements).toBeGreaterThanOrEqual(KILLS * LEAST_ACKNOWLEDGED_PER_ROUND);
});

test('kill -9: during the first start, again and again, the next one makes or opens the vault', async () => {
  for (const stage of ['lockFile', 'storeFile', 'vaultKeyFile', 'credentialsFile', 'locatorFile'] as const) {
    const home = tempDir();
    const cut = launch({ home });
    await until(`${stage} is there`, () => existsSync(cut.paths[stage]));
    cut.process.kill('SIGKILL');
    await cut.ended;
    const daemon = await startKycloned({ home });
    expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
    const made = await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
    expect([stage, made.status]).toEqual([stage, 200]);
    await daemon.stop('SIGKILL');
  }
});
