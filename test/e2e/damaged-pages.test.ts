/**
 * Pages of the store that a disk has damaged. A start that sees the damage refuses by name. A daemon that meets it
 * later reports it and writes no more. An existing entity is never reported as absent.
 */
import { expect, test } from 'vitest';
import { contentOf } from '../support/contents.ts';
import { damagePage, makeLarge, pagesWith, readPages, type Damage } from '../support/damaged-pages.ts';
import { refusedStart, startKycloned, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED } from '../support/kycloned-calls.ts';
import { restoredInstance } from '../support/restored-instance.ts';

const JANE = { 'id.first_name': 'Jane' };
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

test.each<[Damage, 'the beginning' | 'the first key']>([
  ['zeros', 'the beginning'],
  ['noise', 'the first key'],
])(
  'start: a small store with a page of %s from %s on is refused by name, and nothing is changed',
  async (damage, place) => {
    const { home, paths, users } = await small();
    const page = indexPageOf(paths.storeFile, users[7] ?? '');
    const part = place === 'the beginning' ? {} : { from: keysBegin(paths.storeFile, page) };
    damagePage(paths.storeFile, page, damage, part);
    const before = contentOf(paths.storeFile);
    const refused = await refusedStart({ home });
    expect(refused).toMatchObject({ code: 1, announced: { code: 'vault_damaged' } });
    expect(refused.announced?.message).toContain(paths.storeFile);
    expect(refused.announced?.message).toContain('Restore the folder');
    expect(contentOf(paths.storeFile).equals(before)).toBe(true);
  },
);

test.each<[string, (file: string, id: string) => void]>([
  ['filled with zeros', (file, id) => damagePage(file, indexPageOf(file, id), 'zeros')],
  ['filled with noise', (file, id) => damagePage(file, indexPageOf(file, id), 'noise')],
  [
    'changed in the middle of a key',
    (file, id) => {
      const page = indexPageOf(file, id);
      const from = (readPages(file)[page - 1]?.content.indexOf(id) ?? 0) + 14;
      damagePage(file, page, 'flipped', { from, length: 2 });
    },
  ],
])(
  'read: with an index page %s, the start fails, or each user is found or vault_damaged, never 404, and writes stop',
  async (_what, harm) => {
    const { home, paths, users } = await large();
    harm(paths.storeFile, users[7] ?? '');
    // The check at the start may find the damage.
    const daemon = await startKycloned({ home }).catch((error: unknown) => error as Error);
    if (daemon instanceof Error) {
      expect(daemon.message).toContain('damaged');
      return;
    }

    const statuses = new Map<number, number>();
    for (const id of users) {
      const { status, body } = await daemon.call('GET', `/users/${id}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200)
        expect({ status, code: body['code'] }).toEqual({ status: 503, code: 'vault_damaged' });
    }
    expect(statuses.get(503)).toBeGreaterThan(0);

    expect(await daemon.call('POST', '/users', { body: JANE })).toMatchObject(DAMAGED);
    expect((await daemon.control('GET', '/_kyclone/info')).status).toBe(200);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  },
);

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

test('read: in an intact store, an unknown id is still 404', async () => {
  const { home, users } = await large();
  const daemon = await startKycloned({ home });
  for (const id of [`${users[3]}x`, 'fp_id_test_0', 'zzz', users[3]?.slice(0, -1)]) {
    expect((await daemon.call('GET', `/users/${id}`)).status).toBe(404);
  }
  expect((await daemon.call('POST', '/users', { body: JANE })).status).toBe(200);
});
