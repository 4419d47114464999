import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { createWriteQueue, type WriteQueue } from '../../src/storage/writer.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';
import { commitsInLog } from '../support/wal.ts';

interface Store {
  readonly path: string;
  readonly queue: WriteQueue;
  /** Returns the names in the order in which they were stored. */
  names(): string[];
  /** Returns the names that remain after a crash at this moment. Opens a copy of the files for this. */
  namesAfterCrash(): string[];
}

/**
 * Makes a store on disk with a table of names. Its write-ahead log is empty, so that the log holds the test's own
 * commits only.
 */
function aStore(): Store {
  const path = join(tempDir(), 'vault.db');
  const database = openDatabase(path);
  database.exec('CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT');
  database.exec('CREATE TABLE children (of INTEGER NOT NULL REFERENCES names (id)) STRICT');
  database.pragma('wal_checkpoint(TRUNCATE)');
  const namesIn = (store: Database) =>
    store.prepare('SELECT name FROM names ORDER BY id').pluck().all() as string[];
  return {
    path,
    queue: createWriteQueue(database),
    names: () => namesIn(database),
    namesAfterCrash() {
      const copy = join(tempDir(), 'vault.db');
      for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
      const reopened = openDatabase(copy);
      const names = namesIn(reopened);
      reopened.close();
      return names;
    },
  };
}

const insert = (name: string) => (database: Database) =>
  database.prepare('INSERT INTO names (name) VALUES (?)').run(name).lastInsertRowid;

/** Inserts a row whose parent doesn't exist. SQLite finds that at COMMIT, and the commit fails. */
function breakCommit(database: Database): void {
  database.pragma('defer_foreign_keys = ON');
  database.exec('INSERT INTO children (of) VALUES (999)');
}

const outcomeUnknown = expect.objectContaining({
  code: 'internal_error',
  message: expect.stringContaining('outcome is unknown') as string,
}) as Error;

test('write: jobs of one turn are one commit, in the order in which they came', async () => {
  const store = aStore();
  const names = Array.from({ length: 50 }, (_, index) => `name ${index}`);
  const ids = await Promise.all(names.map((name) => store.queue.write(insert(name))));
  expect(ids).toEqual(names.map((_, index) => index + 1));
  expect(store.names()).toEqual(names);
  expect(commitsInLog(store.path)).toBe(1);
});

test('write: a job alone is a commit of its own, on disk when its promise settles', async () => {
  const store = aStore();
  await store.queue.write(insert('first'));
  expect(commitsInLog(store.path)).toBe(1);
  expect(store.namesAfterCrash()).toEqual(['first']);
  await store.queue.write(insert('second'));
  expect(commitsInLog(store.path)).toBe(2);
  expect(store.namesAfterCrash()).toEqual(['first', 'second']);
});

test('write: more jobs than a commit takes go into several, none lost, order kept', async () => {
  const store = aStore();
  const names = Array.from({ length: 600 }, (_, index) => `name ${index}`);
  await Promise.all(names.map((name) => store.queue.write(insert(name))));
  expect(store.names()).toEqual(names);
  expect(commitsInLog(store.path)).toBe(3);
});

test('write: a job that throws is rolled back alone', async () => {
  const store = aStore();
  const failing = (database: Database) => {
    insert('half of it')(database);
    throw new ServiceError('conflict', 'changed its mind');
  };
  const settled = await Promise.allSettled([
    store.queue.write(insert('before')),
    store.queue.write(failing),
    store.queue.write(insert('after')),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(settled[1]).toMatchObject({ reason: { code: 'conflict', message: 'changed its mind' } });
  expect(store.names()).toEqual(['before', 'after']);
  expect(store.namesAfterCrash()).toEqual(['before', 'after']);
  expect(commitsInLog(store.path)).toBe(1);
  expect(store.queue.isReadOnly).toBe(false);
});

test('write: a job sees the changes of earlier jobs in the same commit', async () => {
  const store = aStore();
  const count = (database: Database) =>
    database.prepare('SELECT count(*) FROM names').pluck().get() as number;
  const [, counted] = await Promise.all([store.queue.write(insert('name')), store.queue.write(count)]);
  expect(counted).toBe(1);
});

test('write: when every job of a turn fails the commit hook is not called and the store continues', async () => {
  const store = aStore();
  let hooked = 0;
  store.queue.beforeCommit(() => void (hooked += 1));
  const fail = () => {
    throw new Error('no');
  };
  await Promise.allSettled([store.queue.write(fail), store.queue.write(fail)]);
  expect(hooked).toBe(0);
  await store.queue.write(insert('name'));
  expect(hooked).toBe(1);
  expect(store.names()).toEqual(['name']);
});

test('write: a COMMIT that fails rejects every job of it with an unknown outcome', async () => {
  const store = aStore();
  await store.queue.write(insert('earlier'));
  const settled = await Promise.allSettled([
    store.queue.write(insert('one')),
    store.queue.write(breakCommit),
    store.queue.write(insert('two')),
  ]);
  for (const each of settled) expect(each).toEqual({ status: 'rejected', reason: outcomeUnknown });
  expect(store.names()).toEqual(['earlier']);
});

test('write: after a failed COMMIT the store is read-only, and still reads', async () => {
  const store = aStore();
  await store.queue.write(insert('earlier'));
  await expect(store.queue.write(breakCommit)).rejects.toEqual(outcomeUnknown);
  expect(store.queue.isReadOnly).toBe(true);
  await expect(store.queue.write(insert('later'))).rejects.toMatchObject({ code: 'storage_failed' });
  expect(store.names()).toEqual(['earlier']);
  expect(store.namesAfterCrash()).toEqual(['earlier']);
});

test('beforeCommit: a hook that throws fails the batch like its COMMIT', async () => {
  const store = aStore();
  store.queue.beforeCommit(() => {
    throw new Error('the hook is broken');
  });
  await expect(store.queue.write(insert('name'))).rejects.toEqual(outcomeUnknown);
  expect(store.names()).toEqual([]);
  expect(store.queue.isReadOnly).toBe(true);
});

test('afterCommit: is called once the commit is on disk, in order, and before its job is acknowledged', async () => {
  const store = aStore();
  const seen: string[] = [];
  const job = (name: string) =>
    store.queue
      .write((database) => {
        insert(name)(database);
        store.queue.afterCommit(() => void seen.push(`${name} of ${store.namesAfterCrash().length}`));
        expect(seen).toEqual([]);
      })
      .then(() => void seen.push(`${name} acknowledged`));
  await Promise.all([job('one'), job('two')]);
  expect(seen).toEqual(['one of 2', 'two of 2', 'one acknowledged', 'two acknowledged']);
  await store.queue.write(insert('three'));
  expect(seen).toHaveLength(4);
});

test('afterCommit: never after a job that was rolled back, although the others of its commit succeed', async () => {
  const store = aStore();
  const seen: string[] = [];
  const job = (name: string, fails: boolean) => (database: Database) => {
    store.queue.afterCommit(() => void seen.push(name));
    insert(name)(database);
    if (fails) throw new Error('changed its mind');
  };
  await Promise.allSettled([
    store.queue.write(job('one', false)),
    store.queue.write(job('two', true)),
    store.queue.write(job('three', false)),
  ]);
  expect(seen).toEqual(['one', 'three']);
  expect(store.names()).toEqual(['one', 'three']);
});

test('afterCommit: never after a COMMIT that failed, nor with the next one', async () => {
  const store = aStore();
  const seen: string[] = [];
  const job = (name: string) => () => store.queue.afterCommit(() => void seen.push(name));
  await Promise.allSettled([store.queue.write(job('one')), store.queue.write(breakCommit)]);
  await Promise.allSettled([store.queue.write(insert('later'))]);
  expect(seen).toEqual([]);
});

test('afterCommit: an effect that throws takes nothing back, and keeps no other from being called', async () => {
  const store = aStore();
  const seen: string[] = [];
  const warned = once(process, 'warning');
  await store.queue.write((database) => {
    insert('one')(database);
    store.queue.afterCommit(() => {
      throw new TypeError('a defect');
    });
    store.queue.afterCommit(() => void seen.push('the other'));
  });
  expect([store.namesAfterCrash(), seen, store.queue.isReadOnly]).toEqual([['one'], ['the other'], false]);
  expect(await warned).toMatchObject([{ message: 'After a commit: TypeError' }]);
});

test('afterCommit: an effect may write, and that is another commit', async () => {
  const store = aStore();
  let following: Promise<unknown> | undefined;
  await store.queue.write(() =>
    store.queue.afterCommit(() => void (following = store.queue.write(insert('second')))),
  );
  await following;
  expect(store.namesAfterCrash()).toEqual(['second']);
});

test('afterRollback: is called for a job and for a whole batch that was rolled back, for nothing else', async () => {
  const store = aStore();
  let calls = 0;
  store.queue.afterRollback(() => void (calls += 1));
  await store.queue.write(insert('name'));
  expect(calls).toBe(0);
  const fail = () => {
    throw new Error('no');
  };
  await Promise.allSettled([store.queue.write(fail), store.queue.write(insert('other'))]);
  expect(calls).toBe(1);
  await Promise.allSettled([store.queue.write(breakCommit)]);
  expect(calls).toBe(2);
});

test('close: commits what waits, refuses what comes later', async () => {
  const store = aStore();
  const waiting = store.queue.write(insert('in time'));
  store.queue.close();
  const late = store.queue.write(insert('too late'));
  await expect(waiting).resolves.toBe(1);
  await expect(late).rejects.toMatchObject({ code: 'not_ready' });
  expect(store.namesAfterCrash()).toEqual(['in time']);
});

test('write: a store that was closed under the queue rejects and crashes nothing', async () => {
  const store = aStore();
  store.queue.database.close();
  await expect(store.queue.write(insert('name'))).rejects.toBeInstanceOf(Error);
});

test('scrub: empties the log after the turn', async () => {
  const store = aStore();
  await store.queue.write(insert('name'));
  store.queue.scrub();
  await new Promise(setImmediate);
  expect(commitsInLog(store.path)).toBe(0);
  expect(store.namesAfterCrash()).toEqual(['name']);
});

/** Gathers names, so that one call inserts several at once. Each call is recorded. */
function gathering(store: Store) {
  const calls: string[][] = [];
  const put = store.queue.gather<string>((database, names) => {
    calls.push([...names]);
    for (const name of names) insert(name)(database);
  });
  return { put, calls };
}

test('gather: rows beside one another are written by one call, in their order among other jobs', async () => {
  const store = aStore();
  const { put, calls } = gathering(store);
  await Promise.all([put('one'), put('two'), store.queue.write(insert('job')), put('three'), put('four')]);
  expect(calls).toEqual([
    ['one', 'two'],
    ['three', 'four'],
  ]);
  expect(store.names()).toEqual(['one', 'two', 'job', 'three', 'four']);
  expect(commitsInLog(store.path)).toBe(1);
});

test('gather: rows of two kinds are not mixed', async () => {
  const store = aStore();
  const [one, other] = [gathering(store), gathering(store)];
  await Promise.all([one.put('a'), other.put('b'), one.put('c')]);
  expect([one.calls, other.calls]).toEqual([[['a'], ['c']], [['b']]]);
  expect(store.names()).toEqual(['a', 'b', 'c']);
});

test.each([
  ['with other jobs', ['before', 'after']],
  ['alone', []],
])('gather: rows that throw fail together, %s', async (_, others) => {
  const store = aStore();
  const { put } = gathering(store);
  await store.queue.write(insert('taken'));
  const results = await Promise.allSettled([
    ...others.slice(0, 1).map((name) => store.queue.write(insert(name))),
    put('one'),
    put('taken'),
    put('two'),
    ...others.slice(1).map((name) => store.queue.write(insert(name))),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    ...others.slice(0, 1).map(() => 'fulfilled'),
    ...Array.from({ length: 3 }, () => 'rejected'),
    ...others.slice(1).map(() => 'fulfilled'),
  ]);
  expect(store.names()).toEqual(['taken', ...others]);
});

test('gather: a job that throws beside them takes none of them with it', async () => {
  const store = aStore();
  const { put } = gathering(store);
  const failing = store.queue.write(() => {
    throw new Error('no');
  });
  await Promise.all([put('one'), expect(failing).rejects.toThrow('no'), put('two')]);
  expect(store.names()).toEqual(['one', 'two']);
});
