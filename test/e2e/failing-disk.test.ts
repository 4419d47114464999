/**
 * A disk that really fails beneath the daemon: the system refuses every write beyond a file size (RLIMIT_FSIZE). The
 * limit sweeps over everything that a commit writes. What was acknowledged must be stored, a failure must be reported,
 * and nothing may be half stored.
 */
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, listAll } from '../support/kycloned-calls.ts';
import { limitFiles } from '../support/file-size-limit.ts';

const DATA = {
  'id.first_name': 'Jane '.repeat(40),
  'id.last_name': 'Doe '.repeat(40),
  'custom.notes': 'something long '.repeat(300),
};
/** This value has no blind index, so the daemon writes nothing by itself after it. */
const UNINDEXED = { 'custom.notes': DATA['custom.notes'] };
const logBytes = (daemon: Kycloned) => statSync(`${daemon.paths.storeFile}-wal`).size;

async function expectWhole(daemon: Kycloned, id: string): Promise<void> {
  const read = await decrypt(daemon, id, Object.keys(DATA));
  expect(Object.keys(read.body)).toEqual(Object.keys(DATA));
  expect(read.body['custom.notes']).toBe(DATA['custom.notes']);
}

test('write: wherever the disk fails, acknowledged data are stored and the rest is complete or absent', async () => {
  const home = tempDir();
  const acknowledged: string[] = [];
  let failures = 0;
  for (let room = 0; room < 24; room += 3) {
    const daemon = await startKycloned({ home });
    acknowledged.push(await aUser(daemon, DATA));
    limitFiles(daemon, logBytes(daemon) + room * 1024);
    const answers = await Promise.all([1, 2, 3].map(() => daemon.call('POST', '/users', { body: DATA })));
    const refused = answers.filter(({ status }) => status !== 200);
    failures += refused.length;
    for (const { status, body } of answers) {
      if (status === 200) acknowledged.push(body['id'] as string);
      else expect([status, body['code']]).toEqual([507, 'storage_full']);
    }
    // Reads work, whatever the result of the writes.
    expect((await daemon.call('GET', '/users')).status).toBe(200);
    await daemon.stop('SIGKILL');
  }
  expect(failures).toBeGreaterThan(0);
  const daemon = await startKycloned({ home });
  const listed = await listAll<{ id: string }>((query) => daemon.call('GET', `/users${query}`));
  const users = listed.map(({ id }) => id);
  for (const id of acknowledged) expect(users).toContain(id);
  for (const id of users) await expectWhole(daemon, id);
  expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
});

test('decrypt: when its log entry cannot be written, no value leaves', async () => {
  const daemon = await startKycloned();
  const id = await aUser(daemon, UNINDEXED);
  limitFiles(daemon, logBytes(daemon));
  const answer = await decrypt(daemon, id, Object.keys(UNINDEXED));
  expect(answer.status).toBe(507);
  expect(answer.text).not.toContain('something long');
});

test('delete: a user is gone though the log cannot be emptied into the database', async () => {
  const daemon = await startKycloned();
  const [gone, kept] = [await aUser(daemon, DATA), await aUser(daemon, DATA)];
  // The log has room for the commit, but the database, which is one page long, can't grow to hold the log's content.
  await daemon.stop();
  const next = await startKycloned({ home: daemon.home });
  const body = { 'custom.more': DATA };
  expect((await next.call('PATCH', `/users/${kept}/vault`, { body })).status).toBe(200);
  limitFiles(next, statSync(next.paths.storeFile).size - 4096);
  const answer = await next.call('DELETE', `/users/${gone}`);
  expect([200, 500, 507]).toContain(answer.status);
  expect((await next.call('GET', `/users/${kept}`)).status).toBe(200);
  limitFiles(next, 'unlimited');
  expect(await next.stop()).toMatchObject({ code: 0, signal: null });
});
