/**
 * A full disk, simulated with SQLite's limit of pages. The sweep lets the failure occur at each page: in the middle of
 * a job, between jobs, in the table and in its index.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { createWriteQueue } from '../../src/storage/writer.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const ROWS_PER_JOB = 20;
const JOBS = 4;
const REFUSAL = { code: 'storage_full', message: expect.stringContaining('nothing was stored') as string };

function aStore() {
  const path = join(tempDir(), 'vault.db');
  const database = openDatabase(path);
  database.exec(
    'CREATE TABLE remarks (id INTEGER PRIMARY KEY, job TEXT, text TEXT, UNIQUE (job, text)) STRICT',
  );
  const stored = () =>
    database.prepare('SELECT job, count(*) AS rows FROM remarks GROUP BY job ORDER BY job').all() as {
      job: string;
      rows: number;
    }[];
  return { path, database, queue: createWriteQueue(database), stored };
}

/** Writes several kilobytes in several statements, so that a failure can occur in the middle of the job. */
const job = (name: string) => (database: Database) => {
  for (let row = 0; row < ROWS_PER_JOB; row++) {
    database.prepare('INSERT INTO remarks (job, text) VALUES (?, ?)').run(name, `${row}`.repeat(400));
  }
};

function limitPages(database: Database, pages: number): void {
  expect(database.pragma(`max_page_count = ${pages}`, { simple: true })).toBe(pages);
}

function giveSpace(database: Database): void {
  database.pragma('max_page_count = 1000000');
}

const pagesOf = (database: Database) => database.pragma('page_count', { simple: true }) as number;

test('afterCommit: never after a batch that found the disk full, nor when there is space again', async () => {
  const { database, queue } = aStore();
  const seen: string[] = [];
  limitPages(database, pagesOf(database));
  const reporting = (name: string) => (current: Database) => {
    queue.afterCommit(() => void seen.push(name));
    job(name)(current);
  };
  await expect(queue.write(reporting('first'))).rejects.toMatchObject({ code: 'storage_full' });
  giveSpace(database);
  await queue.write(reporting('second'));
  expect(seen).toEqual(['second']);
});

test('write: wherever the disk gets full, each job is stored whole and acknowledged or not at all', async () => {
  const outcomes = new Set<string>();
  for (let room = 0; room < 40; room++) {
    const { path, database, queue, stored } = aStore();
    await queue.write(job('earlier'));
    limitPages(database, pagesOf(database) + room);
    const names = Array.from({ length: JOBS }, (_, index) => `job ${index}`);
    const settled = await Promise.allSettled(names.map((name) => queue.write(job(name))));
    const acknowledged = names.filter((_, index) => settled[index]?.status === 'fulfilled');
    for (const each of settled) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject(REFUSAL);
    }
    const expected = ['earlier', ...acknowledged].map((name) => ({ job: name, rows: ROWS_PER_JOB }));
    expect(stored()).toEqual(expected);
    expect(queue.isReadOnly).toBe(false);

    const copy = join(tempDir(), 'vault.db');
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
    const reopened = openDatabase(copy);
    expect(reopened.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(reopened.prepare('SELECT count(*) FROM remarks').pluck().get()).toBe(
      expected.length * ROWS_PER_JOB,
    );
    reopened.close();

    giveSpace(database);
    await queue.write(job('later'));
    expect(stored()).toHaveLength(expected.length + 1);
    database.close();
    outcomes.add(`${acknowledged.length}`);
  }
  // In the first round nothing fits on the disk, and in the last round everything does.
  expect(outcomes).toContain('0');
  expect(outcomes).toContain(`${JOBS}`);
});

test('write: a job that needs no space succeeds on a full disk', async () => {
  const { database, queue, stored } = aStore();
  await queue.write(job('first'));
  limitPages(database, pagesOf(database));
  await queue.write((store) => store.prepare('DELETE FROM remarks').run());
  expect(stored()).toEqual([]);
});
