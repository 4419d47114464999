/**
 * kill -9 during the reset of a store so large that a new file replaces it. At the next start everything is there or
 * nothing, and what a reset keeps is there in both cases. An acknowledged reset was done.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, done } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

const KILLS = 5;
/** This many values of nearly 32 KiB exceed 2 MiB, the size from which a store counts as large. */
const LARGE_VALUES = 72;
const LAST = `custom.large_${LARGE_VALUES - 1}`;
const FIELDS = ['id.city', LAST];
/** The rounds spread their kills over the duration of a reset. */
const MS_BETWEEN_KILLS = 10;

async function fill(daemon: Kycloned): Promise<string> {
  const user = await aUser(daemon, { 'id.city': 'Enclave' });
  for (let serial = 0; serial < LARGE_VALUES; serial++) {
    const body = { [`custom.large_${serial}`]: 'x'.repeat(32_000) };
    await done(daemon.call('PATCH', `/users/${user}/vault`, { body }));
  }
  await decrypt(daemon, user, FIELDS);
  return user;
}

/**
 * Returns whether the user is there. A user that is there has all of its data and its log entries; otherwise nothing of
 * it is left.
 */
async function audit(daemon: Kycloned, user: string): Promise<boolean> {
  const { body: log } = await daemon.control('GET', '/_kyclone/access-log/verify');
  const { body: info } = await daemon.control('GET', '/_kyclone/info');
  const { status } = await daemon.call('GET', `/users/${user}`);
  const isThere = status === 200;
  expect([status, (info['counts'] as { users: number }).users]).toEqual(isThere ? [200, 1] : [404, 0]);
  expect(log).toMatchObject({ ok: true });
  expect((log as { checked: number }).checked > 0).toBe(isThere);
  const { body: hooks } = await daemon.control('GET', '/_kyclone/webhooks');
  expect((hooks['meta'] as { count: number }).count).toBe(1);
  if (isThere) {
    const { body } = await decrypt(daemon, user, FIELDS);
    expect(body['id.city']).toBe('Enclave');
    expect(body[LAST]).toHaveLength(32_000);
  }
  return isThere;
}

test('kill -9: a reset of a large store is done as a whole or not at all', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home });
  await daemon.control('POST', '/_kyclone/webhooks', { body: { url: 'http://127.0.0.1:9/hooks' } });
  let user = await fill(daemon);
  let done = 0;
  for (let round = 0; round < KILLS; round++) {
    const reset = daemon.control('POST', '/_kyclone/reset').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (round === KILLS - 1) await reset;
    else await pause(round * MS_BETWEEN_KILLS);
    await daemon.stop('SIGKILL');
    const isAcknowledged = await reset;
    daemon = await startKycloned({ home });
    const isThere = await audit(daemon, user);
    if (isAcknowledged) expect(isThere).toBe(false);
    if (isThere) continue;
    done += 1;
    user = await fill(daemon);
  }
  expect(done).toBeGreaterThan(0);
  await daemon.stop();
  const folder = join(home, 'data/default');
  expect(readdirSync(folder).filter((name) => name.startsWith('vault.db'))).toEqual(['vault.db']);
  expect(existsSync(join(folder, 'snapshots')) ? readdirSync(join(folder, 'snapshots')) : []).toEqual([]);
});
