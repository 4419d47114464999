/** A damaged or edited store is not saved as a snapshot, and doesn't replace a sound snapshot. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { damagePage, makeLarge, pagesWith, readPages } from '../support/damaged-pages.ts';
import { contentOf } from '../support/contents.ts';
import { refusedStart, startKycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, inStore } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';
import '../support/tier-all.ts';

/** The first byte of a leaf that holds rows: of a table sorted by its key, and of one with row ids. */
const LEAVES = [10, 13];
/** This identifier can be found in the file of the store, because identifiers are not sealed. */
const MARK = 'custom.the_mark_of_this_test';

const withJane = restoredInstance(async (daemon) => {
  await aUser(daemon, { 'id.first_name': 'Jane' });
  return {};
});

test('save: a page of a large store that is damaged meanwhile prevents the save, and earlier snapshots stay', async () => {
  const first = await startKycloned();
  for (let index = 0; index < 40; index++) await aUser(first, { [MARK]: 'x'.repeat(900) });
  await first.stop();
  const { storeFile, dataDirectory } = first.paths;
  makeLarge(storeFile);

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

  expect(saved).toMatchObject(DAMAGED);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect((await daemon.control('GET', '/_kyclone/snapshots/good')).status).toBe(200);
  await daemon.stop();
});

test('save: gathered statistics do no harm', async () => {
  const { home, paths } = await withJane();
  inStore(paths.storeFile, (store) => store.exec('ANALYZE'));
  const daemon = await startKycloned({ home });
  expect((await daemon.control('PUT', '/_kyclone/snapshots/good')).status).toBe(200);
  expect((await daemon.control('POST', '/_kyclone/snapshots/good/load')).status).toBe(200);
});

test.each([
  ['trigger sly', 'CREATE TRIGGER sly BEFORE DELETE ON entities BEGIN SELECT raise(ignore); END'],
  ['view entities_too', 'CREATE VIEW entities_too AS SELECT * FROM entities'],
  ['table more', 'CREATE TABLE more (id INTEGER)'],
  ['index entities_by_id', 'CREATE INDEX entities_by_id ON entities (id)'],
])('start: a store with a foreign %s is refused by name, and nothing is changed', async (object, sql) => {
  const { home, paths } = await withJane();
  inStore(paths.storeFile, (store) => store.exec(sql));
  const before = contentOf(paths.storeFile);
  const refused = await refusedStart({ home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
  expect(refused.announced?.message).toContain(object);
  expect(refused.announced?.message).toContain(paths.storeFile);
  expect(contentOf(paths.storeFile).equals(before)).toBe(true);
});
