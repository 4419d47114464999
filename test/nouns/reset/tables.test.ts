/** POST /_kyclone/reset (contract §11), table by table: it deletes what the samples of all endpoints have created. */
import { expect, test } from 'vitest';
import { endpoints } from '../../../src/contract/registry.ts';
import { samples, setStage } from '../../support/samples.ts';
import { asRaw, startService, type TestService } from '../../support/service.ts';

/** The tables that a reset keeps: keys, what the user has set up, and what the vault needs. */
const KEPT: ReadonlySet<string> = new Set([
  'fingerprint_listing',
  ...['api_keys', 'spaces', 'playbooks', 'webhooks', 'proxy_configurations'],
  ...['keyring_slots', 'root_keys', 'instance_keys', 'instance_values', 'tombstones'],
]);
/** These endpoints change the whole instance. */
const NOT_SENT = /^POST \/_kyclone\/(?:reset|snapshots|keyring)/;

const filled = ({ database }: TestService): string[] => {
  const tables =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return (database.prepare(tables).pluck().all() as string[]).filter(
    (table) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() !== 0,
  );
};

test('reset: empties every table but those that are named here', async () => {
  await using service = await startService();
  const stage = await setStage(service);
  for (const { key } of endpoints) {
    if (key.startsWith('POST ') && !NOT_SENT.test(key))
      await service.send(asRaw(key, await samples[key](stage)));
  }
  const emptied = filled(service).filter((table) => !KEPT.has(table));
  expect(emptied).toEqual(
    expect.arrayContaining(['entities', 'vault_values', 'fault_rules', 'outcome_rules']),
  );

  await service.call('POST /_kyclone/reset');

  const left = filled(service).filter((table) => !KEPT.has(table));
  expect(
    left,
    'src/nouns/reset/service.ts leaves these tables: empty them there, or name them in KEPT',
  ).toEqual([]);
});
