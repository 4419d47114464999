/** A damaged or edited store is not saved as a snapshot, and doesn't replace a sound snapshot. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { expect, test } from 'vitest';
import { damagePage, pagesWith, readPages } from '../support/damaged-pages.ts';
import { refusedStart, startKycloned } from '../support/kycloned.ts';

/** The first byte of a leaf that holds rows: of a table sorted by its key, and of one with row ids. */
const LEAVES = [10, 13];
/** This identifier can be found in the file of the store, because identifiers are not sealed. */
const MARK = 'custom.the_mark_of_this_test';

test('save: a page of a large store that is damaged meanwhile prevents the save, and earlier snapshots stay', async () => {
  const first = await startKycloned();
  for (let index = 0; index < 40; index++)
    await first.call('POST', '/users', { body: { [MARK]: 'x'.repeat(900) } });
  await first.stop();
  const { storeFile, dataDirectory } = first.paths;
  const store = openBinding(storeFile);
  store.pragma('foreign_keys = OFF');
  store
    .prepare(
      `WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 30000)
       INSERT INTO risk_signals SELECT hex(randomblob(75)), n, 'none', n FROM rows`,
    )
    .run();
  store.close();

  const daemon = await startKycloned({ home: first.home });
  expect((await daemon.control('PUT', '/_kyclone/snapshots/good')).status).toBe(200);
  const file = join(dataDirectory, 'snapshots', 'good.kysnap');
  const before = readFileSync(file);
  const pages = readPages(storeFile);
  const page = pagesWith(storeFile, MARK).find((number) =>
    LEAVES.includes(pages[number - 1]?.content[0] ?? 0),
  );
  damagePage(storeFile, page ?? 0, 'noise', { from: 0, length: 600 });

  const saved = await daemon.control('PUT', '/_kyclone/snapshots/good?overwrite=true');

  expect(saved).toMatchObject({ status: 503, body: { code: 'vault_damaged' } });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect((await daemon.control('GET', '/_kyclone/snapshots/good')).status).toBe(200);
  await daemon.stop();
});

test('save: gathered statistics do no harm', async () => {
  const first = await startKycloned();
  await first.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
  await first.stop();
  const store = openBinding(first.paths.storeFile);
  store.exec('ANALYZE');
  store.close();
  const daemon = await startKycloned({ home: first.home });
  expect((await daemon.control('PUT', '/_kyclone/snapshots/good')).status).toBe(200);
  expect((await daemon.control('POST', '/_kyclone/snapshots/good/load')).status).toBe(200);
});

test.each([
  ['trigger sly', 'CREATE TRIGGER sly BEFORE DELETE ON entities BEGIN SELECT raise(ignore); END'],
  ['view entities_too', 'CREATE VIEW entities_too AS SELECT * FROM entities'],
  ['table more', 'CREATE TABLE more (id INTEGER)'],
  ['index entities_by_id', 'CREATE INDEX entities_by_id ON entities (id)'],
])('start: a store with a foreign %s is refused by name, and nothing is changed', async (object, sql) => {
  const daemon = await startKycloned();
  await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
  await daemon.stop();
  const store = openBinding(daemon.paths.storeFile);
  store.exec(sql);
  store.close();
  const before = readFileSync(daemon.paths.storeFile);
  const refused = await refusedStart({ home: daemon.home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
  expect(refused.announced?.message).toContain(object);
  expect(refused.announced?.message).toContain(daemon.paths.storeFile);
  expect(readFileSync(daemon.paths.storeFile).equals(before)).toBe(true);
});
