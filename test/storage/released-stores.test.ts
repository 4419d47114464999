/** This version opens the stores that released versions have written, and finds all their data. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations/index.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { ask, PNG } from '../support/example-world.ts';
import { entriesOf, KEPT_KEY, keptVersions, layOut, type Kept } from '../support/kept-store.ts';
import { tempDir } from '../support/temp-dir.ts';

const versions = keptVersions();

test('released stores: the first version is among them', () => {
  expect(versions).toContain('0.1.0');
});

test.each(versions)('the store of %s opens, is migrated, and holds the same data', async (version) => {
  using home = tempDir();
  const holds = layOut(version, home.path);
  const storeFile = join(home.path, 'data', 'default', 'vault.db');
  expect(schemaOf(storeFile)).toBeGreaterThan(0);
  // The second start opens the store that the first start migrated.
  let entries = holds.accessLogEntries;
  for (let start = 0; start < 2; start++) {
    await using daemon = await startDaemon({ home: home.path, isDurable: true, environment: KEPT_KEY });
    expect(await entriesOf(daemon)).toBe(entries);
    await expectHeld(daemon, holds);
    entries = await entriesOf(daemon);
    await daemon.end();
    expect(schemaOf(storeFile)).toBe(MIGRATIONS.length);
  }
});

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

/** Returns the number of migrations that a closed store has been through: `user_version` in the header of the file. */
function schemaOf(storeFile: string): number {
  const header = Buffer.alloc(64);
  const file = openSync(storeFile, 'r');
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return header.readUInt32BE(60);
}
