/**
 * R4: random damage to pages of the store. A start refuses it, or a request for an existing user, by id, by external
 * id, in the list, by a search, by a second create or for a value, either finds the user or fails with `vault_damaged`.
 * After a damaged page or seal nothing is written.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pagesOfTrees } from '../../support/damaged-pages.ts';
import { startKycloned, tempDir, type Kycloned, type Response } from '../../support/kycloned.ts';
import { decrypt } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';
import type { SeededRandom } from '../seeded.ts';

const COPIES_PER_ROUND = 6;
const USERS = 300;
/** The number of users asked for in each way. */
const ASKED = 30;
const PAGE_BYTES = 4_096;
/** Tables that the requests below read. */
const TABLES = ['entities', 'idempotency_ids', 'fingerprints', 'spaces', 'access_log', 'vault_values'];

interface User {
  readonly id: string;
  readonly external_id: string;
  readonly email: string;
}

export const damagedPages: TorturePromise = {
  id: 'R4',
  name: 'damaged-pages',
  says: 'each user of a damaged store is found or vault_damaged, never missing, and then nothing is written',
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const users = await aStore(home);
    const { dataDirectory, storeFile } = (await startAndStop(home)).paths;
    const whole = join(home, 'whole');
    cpSync(dataDirectory, whole, { recursive: true });
    for (;;) {
      for (let copy = 0; copy < COPIES_PER_ROUND; copy++) {
        // The whole folder, since an anchor that a later daemon has written refuses the store before its damage is met.
        rmSync(dataDirectory, { recursive: true });
        cpSync(whole, dataDirectory, { recursive: true });
        writeFileSync(storeFile, damage(storeFile, random));
        count('damaged stores');
        const daemon = await startKycloned({ home }).catch((error: unknown) => error as Error);
        if (daemon instanceof Error) {
          expect(daemon.message).toContain('damaged');
          count('refused starts');
        } else {
          if (await askForAll(daemon, users, random)) count('refused requests');
          await daemon.stop('SIGKILL');
        }
      }
      yield;
    }
  },
};

async function aStore(home: string): Promise<User[]> {
  const daemon = await startKycloned({ home });
  const users = await Promise.all(
    Array.from({ length: USERS }, async (_, number) => {
      const [external_id, email] = [`external-${1_000 + number}`, `user-${number}@example.com`];
      const headers = { 'x-external-id': external_id, 'x-idempotency-id': `try-${1_000 + number}` };
      const { id } = (await daemon.call('POST', '/users', { headers })).body as { id: string };
      const body = { 'id.email': email, 'id.first_name': 'Jane' };
      expect((await daemon.call('PATCH', `/users/${id}/vault`, { body })).status).toBe(200);
      return { id, external_id, email };
    }),
  );
  await daemon.stop();
  return users;
}

/** Starts and stops the daemon, so that it copies the log into the database file. */
async function startAndStop(home: string): Promise<Kycloned> {
  const daemon = await startKycloned({ home });
  await daemon.stop();
  return daemon;
}

/** Returns a copy of the store with damage in one page: the whole page, a part, or one byte. */
function damage(path: string, random: SeededRandom): Buffer {
  const pages = pagesOfTrees(path, `tbl_name IN ('${TABLES.join("', '")}')`).map(({ number }) => number);
  const bytes = readFileSync(path);
  const start = (random.pick(pages) - 1) * PAGE_BYTES;
  const length = random.pick([PAGE_BYTES, 512, 64, 8, 1]);
  const from = start + random.below(PAGE_BYTES - length + 1);
  if (random.once(2)) bytes.fill(0, from, from + length);
  else random.bytes(length).copy(bytes, from);
  return bytes;
}

/** Asks for each user in each way, in random order. Returns whether a request met damage. */
async function askForAll(daemon: Kycloned, users: readonly User[], random: SeededRandom): Promise<boolean> {
  const met = { damage: false };
  const isRight = (answer: Response, right: () => void) => {
    if (answer.body['code'] === 'vault_damaged') met.damage = true;
    else right();
  };
  /** A damaged value fails alone, and can be replaced: it doesn't end the writes. */
  const isRightValue = (body: Response['body'], right: () => void) => {
    if (body['code'] !== 'vault_damaged') right();
  };
  const listed = (answer: Response) => (answer.body['data'] as User[]).map(({ id }) => id);
  const ways: Record<string, (user: User) => Promise<void>> = {
    async id({ id }) {
      const answer = await daemon.call('GET', `/users/${id}`);
      isRight(answer, () => expect([answer.status, answer.body['id']], 'id').toEqual([200, id]));
    },
    async decrypt({ id, email }) {
      const { body } = await decrypt(daemon, id, ['id.email']);
      isRightValue(body, () => expect(body, 'decrypt').toEqual({ 'id.email': email }));
    },
    async external({ id, external_id }) {
      const answer = await daemon.call('GET', `/users?external_id=${external_id}`);
      isRight(answer, () => expect(listed(answer), 'external').toEqual([id]));
    },
    async search({ id, email }) {
      const answer = await daemon.call('POST', '/users/search', { body: { search: email } });
      isRightValue(answer.body, () => expect(listed(answer), 'search').toEqual([id]));
    },
    async inspector({ id, external_id }) {
      const answer = await daemon.control('GET', `/_kyclone/entities?q=${external_id}&page_size=100`);
      isRight(answer, () => expect(listed(answer), 'inspector').toContain(id));
    },
    async create({ id, external_id }) {
      const answer = await daemon.call('POST', '/users', { headers: { 'x-external-id': external_id } });
      isRight(answer, () => expect(answer.body['id'], 'create').toBe(id));
    },
    async idempotent({ id, external_id }) {
      const headers = { 'x-idempotency-id': external_id.replace('external', 'try') };
      const answer = await daemon.call('POST', '/users', { headers });
      isRight(answer, () => expect(answer.body['id'], 'idempotent').toBe(id));
    },
  };
  await readList(daemon, users, isRight);
  for (const way of random.shuffled(Object.keys(ways))) {
    for (const user of random.shuffled(users).slice(0, ASKED)) await ways[way]?.(user);
  }
  if (!met.damage) return false;
  const refused = await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
  expect([refused.status, refused.body['code']]).toEqual([503, 'vault_damaged']);
  return true;
}

/** Reads all pages of the list, until one of them is `vault_damaged`. */
async function readList(
  daemon: Kycloned,
  users: readonly User[],
  isRight: (answer: Response, right: () => void) => void,
): Promise<void> {
  const found: string[] = [];
  let next: string | undefined = '/users?page_size=100';
  while (next !== undefined) {
    const answer: Response = await daemon.call('GET', next);
    next = undefined;
    isRight(answer, () => {
      found.push(...(answer.body['data'] as User[]).map(({ id }) => id));
      const cursor = (answer.body['meta'] as { next?: string | null }).next;
      if (cursor) next = `/users?page_size=100&cursor=${encodeURIComponent(cursor)}`;
      else expect([...found].sort(), 'list').toEqual(users.map(({ id }) => id).sort());
    });
  }
}
