/**
 * Pages of the store that a disk has damaged. A start that sees the damage refuses by name. A daemon that meets it
 * later reports it and writes no more.
 */
import { expect, test } from 'vitest';
import { contentOf } from '../support/contents.ts';
import { damagePage, makeLarge, pagesWith, readPages } from '../support/damaged-pages.ts';
import { refusedStart, startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, inStore } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';

const JANE = { 'id.first_name': 'Jane', 'id.email': 'jane@example.com' };
const USERS = 120;
/** The first byte of a page that holds an index's keys: of inner pages and of leaves. */
const INDEX_PAGES = [2, 10];
/** The first byte of a leaf that holds a table's rows. */
const TABLE_LEAF = 13;

async function fill(daemon: Kycloned): Promise<{ users: string[] }> {
  return { users: await Promise.all(Array.from({ length: USERS }, () => aUser(daemon, JANE))) };
}

const small = restoredInstance(fill);
const large = restoredInstance(async (daemon) => {
  const filled = await fill(daemon);
  await daemon.stop();
  makeLarge(daemon.paths.storeFile);
  return filled;
});

/**
 * Checks that the id is the first column of an entry with two columns. Other indexes also hold ids, but behind other
 * columns.
 */
function beginsWith(content: Uint8Array, id: string): boolean {
  const at = Buffer.from(content).indexOf(id);
  const [headBytes, typeOfId] = [3, 13 + 2 * id.length];
  return content[at - 3] === headBytes && content[at - 2] === typeOfId;
}

/** Returns the page of the index over ids that holds this id. */
function indexPageOf(file: string, id: string): number {
  const pages = readPages(file);
  const found = pagesWith(file, id).find((number) => {
    const content = pages[number - 1]?.content;
    return content && INDEX_PAGES.includes(content[0] ?? 0) && beginsWith(content, id);
  });
  if (found === undefined) throw new Error('no page of an index holds the id');
  return found;
}

/** Returns where the keys of an index page begin. The bytes between the page's head and the keys are unused. */
function keysBegin(file: string, page: number): number {
  const content = readPages(file)[page - 1]?.content ?? new Uint8Array();
  return Buffer.from(content).readUInt16BE(5);
}

test.each<[string, (file: string, id: string) => void]>([
  ['filled with zeros', (file, id) => damagePage(file, indexPageOf(file, id), 'zeros')],
  [
    'of noise from the first key on',
    (file, id) => {
      const page = indexPageOf(file, id);
      damagePage(file, page, 'noise', { from: keysBegin(file, page) });
    },
  ],
  [
    'changed in the middle of a key',
    (file, id) => {
      const page = indexPageOf(file, id);
      const from = (readPages(file)[page - 1]?.content.indexOf(id) ?? 0) + 14;
      damagePage(file, page, 'flipped', { from, length: 2 });
    },
  ],
])('start: a store with an index page %s is refused by name, and nothing is changed', async (_what, harm) => {
  const { home, paths, users } = await small();
  harm(paths.storeFile, users[7] ?? '');
  const before = contentOf(paths.storeFile);
  const refused = await refusedStart({ home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
  expect(refused.announced?.message).toContain(paths.storeFile);
  expect(refused.announced?.hint).toContain('from a copy');
  expect(contentOf(paths.storeFile).equals(before)).toBe(true);
});

test('start: a fingerprint that its table has lost refuses the start', async () => {
  const { home, paths } = await small();
  inStore(paths.storeFile, (store) => store.exec('UPDATE fingerprints SET digest = zeroblob(16)'));
  const { announced } = await refusedStart({ home });
  expect(announced).toMatchObject({ code: 'vault_damaged' });
  expect(announced?.message).toContain('fingerprint');
});

test('read: where a large store meets a damaged page, writes stop and other reads go on', async () => {
  const { home, paths, users } = await large();
  damagePage(paths.storeFile, indexPageOf(paths.storeFile, users[7] ?? ''), 'noise');
  const daemon = await startKycloned({ home });

  expect(await daemon.call('GET', `/users/${users[7]}`)).toMatchObject(DAMAGED);
  expect(await daemon.call('POST', '/users', { body: JANE })).toMatchObject(DAMAGED);
  expect((await daemon.control('GET', '/_kyclone/info')).status).toBe(200);
  expect(await daemon.stop()).toMatchObject({ code: 0 });
});

test('start: of a large store each table is read at some places, and a damaged page there refuses the start', async () => {
  const { home, paths, users } = await large();
  const pages = readPages(paths.storeFile);
  const ofTable = pagesWith(paths.storeFile, users[60] ?? '').find(
    (number) => pages[number - 1]?.content[0] === TABLE_LEAF,
  );
  damagePage(paths.storeFile, ofTable ?? 0, 'noise');
  const refused = await refusedStart({ home });
  expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
});
