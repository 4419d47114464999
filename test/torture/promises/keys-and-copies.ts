/** R11, R12, R14: a deletion leaves no bytes, a copy under load is whole, and a new root key disturbs no client. */
import { expect } from 'vitest';
import { auditBooks, newBooks, verifyLog, writeTogether, writeUntilGone } from '../../e2e/books.ts';
import { countKept, sealedIn } from '../../e2e/canary.ts';
import { bytesOf, FRONT, uploaded } from '../../e2e/file-calls.ts';
import { startKycloned, tempDir, until } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';

const PEOPLE = 6;
const WRITES_EACH = 20;

export const shred: TorturePromise = {
  id: 'R11',
  name: 'shred',
  says: 'what is deleted leaves neither its sealed bytes nor its key in any file',
  async *rounds({ random, count }: Run) {
    for (;;) {
      const home = tempDir();
      const first = await startKycloned({ home });
      const ids: string[] = [];
      for (let person = 0; person < PEOPLE; person++) {
        const body = { 'id.first_name': `Name ${person}`, 'custom.long': 'x'.repeat(random.between(1, 900)) };
        const fp_id = (await first.call('POST', '/users', { body })).body['id'] as string;
        await uploaded(first, { fp_id, identifier: FRONT }, bytesOf(fp_id, 5_000));
        ids.push(fp_id);
      }
      await first.stop();
      const gone = random.shuffled(ids).slice(0, random.between(1, PEOPLE));
      const list = gone.map((id) => `'${id}'`).join();
      const entities = `(SELECT id FROM entities WHERE fp_id IN (${list}))`;
      const sealed = [
        ...sealedIn(first, `SELECT sealed FROM vault_values WHERE entity IN ${entities}`),
        ...sealedIn(first, `SELECT sealed_key FROM entities WHERE id IN ${entities}`),
      ].map((bytes) => bytes.subarray(26));
      expect(countKept(home, sealed)).toBe(sealed.length);
      const daemon = await startKycloned({ home });
      for (const id of gone) expect((await daemon.call('DELETE', `/users/${id}`)).status).toBe(200);
      if (random.once(2)) await until('the log is emptied', () => countKept(home, sealed) === 0);
      await daemon.stop();
      expect(countKept(home, sealed)).toBe(0);
      count('deleted users', gone.length);
      count('sealed values', sealed.length);
      yield;
    }
  },
};

export const backup: TorturePromise = {
  id: 'R12',
  name: 'backup',
  says: 'a snapshot under load holds what was acknowledged before it, each write whole',
  async *rounds({ count }: Run) {
    const daemon = await startKycloned();
    for (let round = 0; ; round++) {
      const before = newBooks();
      await writeTogether(daemon, before, { writes: 4 });
      const meanwhile = newBooks();
      const load = writeUntilGone(daemon, meanwhile, { writes: WRITES_EACH });
      const saved = await daemon.control('PUT', `/_kyclone/snapshots/round-${round}`);
      expect(saved.status, saved.text).toBe(200);
      await load;
      // This change comes after the snapshot; the load must revert it.
      const [account] = before.accounts;
      const path = `/users/${account?.id ?? ''}/vault`;
      expect((await daemon.call('PATCH', path, { body: { 'custom.number': -1 } })).status).toBe(200);
      const loaded = await daemon.control('POST', `/_kyclone/snapshots/round-${round}/load`, { body: {} });
      expect(loaded.status, loaded.text).toBe(200);
      await verifyLog(daemon, 0);
      before.decryptions = 0;
      await auditBooks(daemon, before);
      expect((await daemon.control('DELETE', `/_kyclone/snapshots/round-${round}`)).status).toBe(200);
      count('snapshots');
      count('writes', before.acknowledgements);
      yield;
    }
  },
};

export const rotation: TorturePromise = {
  id: 'R14',
  name: 'rotation',
  says: 'a new root key under load, killed or not: everything opens, the old key goes',
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const books = newBooks();
    let version = 1;
    for (;;) {
      const daemon = await startKycloned({ home });
      const load = writeTogether(daemon, books, { writes: WRITES_EACH });
      const isKilled = random.once(2);
      const enough = books.acknowledgements + random.between(1, 40);
      await until('the load moves on', () => books.acknowledgements >= enough);
      if (isKilled) {
        const rotated = await daemon.control('POST', '/_kyclone/keyring/rotate');
        expect(rotated.status, rotated.text).toBe(200);
        await daemon.stop('SIGKILL');
      } else {
        const rotated = await daemon.control('POST', '/_kyclone/keyring/rotate?wait=true');
        expect(rotated.status, rotated.text).toBe(200);
      }
      version += 1;
      await load;
      if (!isKilled) await daemon.stop();
      const next = await startKycloned({ home });
      await auditBooks(next, books);
      await until('the old key is gone', async () => {
        const { body } = await next.control('GET', '/_kyclone/keyring');
        expect(body['root_key_version']).toBe(version);
        return body['min_root_key_version'] === version;
      });
      await next.stop();
      count('rotations');
      yield;
    }
  },
};
