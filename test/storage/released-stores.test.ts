/** This version opens the stores that released versions have written, and finds all their data. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaOf } from '../../src/storage/log-number.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { ask, PNG } from '../support/example-world.ts';
import { entriesOf, KEPT_KEY, keptVersions, layOut, readAll, type Kept } from '../support/kept-store.ts';
import { tempDir } from '../support/temp-dir.ts';

const versions = keptVersions();

test('released stores: the first version is among them', () => {
  expect(versions).toContain('0.1.0');
});

test.each(versions)('the store of %s opens, is migrated, and holds the same data', async (version) => {
  using home = tempDir();
  const holds = layOut(version, home.path);
  const storeFile = join(home.path, 'data', 'default', 'vault.db');
  expect(schemaIn(storeFile)).toBeGreaterThan(0);
  // The second start opens the store that the first start migrated.
  let entries = holds.accessLogEntries;
  for (let start = 0; start < 2; start++) {
    const options = clockOf(holds);
    await using daemon = await startDaemon({
      home: home.path,
      isDurable: true,
      environment: KEPT_KEY,
      options,
    });
    expect(await entriesOf(daemon)).toBe(entries);
    // Later on there is also what this test has made.
    const { reads = {} } = holds;
    if (start === 0) expectSame(await readAll(daemon, Object.keys(reads)), reads);
    await expectHeld(daemon, holds);
    entries = await entriesOf(daemon);
    await daemon.end();
    expect(schemaIn(storeFile)).toBe(MIGRATIONS.length);
  }
});

/** The clock stands where the store's own stood, since bank links refresh by themselves each night. */
function clockOf(holds: Kept): readonly string[] {
  const times = JSON.stringify(holds.reads ?? {}).match(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g) ?? [];
  const last = times.sort().at(-1);
  return last === undefined ? [] : ['--clock', last];
}

async function expectHeld(daemon: TestDaemon, holds: Kept): Promise<void> {
  for (const [nouns, entities] of [
    ['users', holds.users],
    ['businesses', holds.businesses],
  ] as const)
    for (const [id, values] of Object.entries(entities)) {
      const body = { fields: Object.keys(values), reason: 'a test' };
      expect(await ask(daemon, 'POST', `/${nouns}/${id}/vault/decrypt`, body)).toEqual(values);
    }
  const { user, identifier } = holds.image;
  const wanted = { scopes: ['decrypt_download'], fields: [identifier], reason: 'a test' };
  const { token } = await ask(daemon, 'POST', `/users/${user}/client_token`, wanted);
  const file = await fetch(`${daemon.url}/users/vault/decrypt/${String(token)}?reason=a%20test`);
  expect(Buffer.from(await file.arrayBuffer()).equals(PNG)).toBe(true);
  const verified = await ask(daemon, 'GET', `/users/${holds.verified.user}`);
  expect(verified).toMatchObject({ status: holds.verified.status });
  expect(await ask(daemon, 'GET', `/_kyclone/outcomes/${holds.outcomeRule}`)).toMatchObject({
    outcome: 'fail',
  });
  expect(await ask(daemon, 'GET', `/_kyclone/webhooks/${holds.webhook}`)).toMatchObject({
    id: holds.webhook,
  });
}

/**
 * Members that move with use, or that a later version answers otherwise: a snapshot of before seals gets one, and a
 * user's risk signals name no scopes of businesses (docs/contract.md §4.5). Neither is changed by a migration.
 */
const OTHERWISE = new Set(['last_used_at', 'deliveries', 'bytes', 'scopes', 'access_log_entries']);

/** A later version may answer with more members, and with nothing else. */
function expectSame(now: unknown, then: unknown, path = ''): void {
  if (Array.isArray(then)) {
    const list = now as unknown[];
    expect(list.length, `${path} ${JSON.stringify(now)}`).toBeGreaterThanOrEqual(then.length);
    if (!path.includes('access-log')) expect(list.length, path).toBe(then.length);
    then.forEach((each, index) => expectSame(list.at(index - then.length), each, `${path}[${index}]`));
  } else if (typeof then === 'object' && then !== null) {
    for (const [name, each] of Object.entries(then)) {
      const isGrowing = name === 'count' && path.includes('access-log');
      if (!OTHERWISE.has(name) && !isGrowing)
        expectSame((now as Record<string, unknown>)[name], each, `${path} ${name}`);
    }
  } else if (then === null && path.endsWith(' onboarding_id')) {
    // A document outside an onboarding has an empty one, where it was null (docs/contract.md §5).
    expect(['', null], path).toContain(now);
  } else expect(now, path).toEqual(then);
}

/** Returns the number of migrations that a closed store has been through: its schema in the header of the file. */
function schemaIn(storeFile: string): number {
  const header = Buffer.alloc(64);
  const file = openSync(storeFile, 'r');
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return schemaOf(header.readUInt32BE(60));
}
