/**
 * A disk that really fails beneath the daemon: the system refuses every write beyond a file size (RLIMIT_FSIZE). The
 * limit sweeps over everything that a commit writes. What was acknowledged must be stored, a failure must be reported,
 * and nothing may be half stored.
 */
import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { limitFiles } from './file-calls.ts';

const DATA = {
  'id.first_name': 'Jane '.repeat(40),
  'id.last_name': 'Doe '.repeat(40),
  'custom.notes': 'something long '.repeat(300),
};
/** This value has no blind index, so the daemon writes nothing by itself after it. */
const UNINDEXED = { 'custom.notes': DATA['custom.notes'] };
// The last refusal follows a commit of unknown outcome, which was one of these requests or the daemon's own work
// between them.
const REFUSALS = [
  [507, 'storage_full'],
  [500, 'internal_error'],
  [503, 'storage_failed'],
];

const logBytes = (daemon: Kycloned) => statSync(`${daemon.paths.storeFile}-wal`).size;

async function usersOf(daemon: Kycloned): Promise<string[]> {
  const { body } = await daemon.call('GET', '/users?page_size=100');
  return (body['data'] as { id: string }[]).map(({ id }) => id);
}

async function expectWhole(
  daemon: Kycloned,
  id: string,
  data: Readonly<Record<string, string>> = DATA,
): Promise<void> {
  const body = { fields: Object.keys(data), reason: 'a test' };
  const read = await daemon.call('POST', `/users/${id}/vault/decrypt`, { body });
  expect(Object.keys(read.body)).toEqual(Object.keys(data));
  expect(read.body['custom.notes']).toBe(data['custom.notes']);
}

test('write: wherever the disk fails, acknowledged data are stored and the rest is complete or absent', async () => {
  const home = tempDir();
  const acknowledged: string[] = [];
  let failures = 0;
  for (let room = 0; room < 24; room++) {
    const daemon = await startKycloned({ home });
    acknowledged.push((await daemon.call('POST', '/users', { body: DATA })).body['id'] as string);
    limitFiles(daemon, logBytes(daemon) + room * 1024);
    const answers = await Promise.all([1, 2, 3].map(() => daemon.call('POST', '/users', { body: DATA })));
    const refused = answers.filter(({ status }) => status !== 200);
    failures += refused.length;
    for (const { status, body } of answers) {
      if (status === 200) acknowledged.push(body['id'] as string);
      else expect(REFUSALS).toContainEqual([status, body['code']]);
    }
    // Reads work, whatever the result of the writes.
    expect((await daemon.call('GET', '/users')).status).toBe(200);
    await daemon.stop('SIGKILL');
  }
  expect(failures).toBeGreaterThan(0);
  const daemon = await startKycloned({ home });
  const users = await usersOf(daemon);
  for (const id of acknowledged) expect(users).toContain(id);
  for (const id of users) await expectWhole(daemon, id);
  expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
});

test('write: after a commit of unknown outcome the store is read-only until the daemon is restarted', async () => {
  const first = await startKycloned();
  const id = (await first.call('POST', '/users', { body: UNINDEXED })).body['id'] as string;
  limitFiles(first, logBytes(first));
  const failed = await first.call('POST', '/users', { body: UNINDEXED });
  // The code is 503 when the daemon's own work met the failing disk first.
  expect(REFUSALS.slice(1)).toContainEqual([failed.status, failed.body['code']]);
  if (failed.status === 500) expect(failed.body['message']).toContain('outcome is unknown');
  limitFiles(first, 'unlimited');
  expect(await first.call('POST', '/users', { body: UNINDEXED })).toMatchObject({
    status: 503,
    body: { code: 'storage_failed' },
  });
  expect(
    await first.call('PATCH', `/users/${id}/vault`, { body: { 'id.first_name': 'Janet' } }),
  ).toMatchObject({
    status: 503,
  });
  expect((await first.call('GET', `/users/${id}`)).status).toBe(200);
  expect(await first.stop()).toMatchObject({ code: 0, signal: null });
  expect(existsSync(first.paths.locatorFile)).toBe(false);
  const second = await startKycloned({ home: first.home });
  await expectWhole(second, id, UNINDEXED);
  expect((await second.call('POST', '/users', { body: UNINDEXED })).status).toBe(200);
});

test('decrypt: when its log entry cannot be written, no value leaves', async () => {
  const daemon = await startKycloned();
  const id = (await daemon.call('POST', '/users', { body: UNINDEXED })).body['id'] as string;
  limitFiles(daemon, logBytes(daemon));
  const body = { fields: Object.keys(UNINDEXED), reason: 'a test' };
  // The first code is 503 when the daemon's own work met the failing disk first.
  for (const expected of [[500, 503], [503]]) {
    const answer = await daemon.call('POST', `/users/${id}/vault/decrypt`, { body });
    expect(expected).toContain(answer.status);
    expect(answer.text).not.toContain('something long');
  }
});

test('delete: a user is gone though the log cannot be emptied into the database', async () => {
  const daemon = await startKycloned();
  const [gone, kept] = [
    (await daemon.call('POST', '/users', { body: DATA })).body['id'] as string,
    (await daemon.call('POST', '/users', { body: DATA })).body['id'] as string,
  ];
  // The log has room for the commit, but the database, which is one page long, can't grow to hold the log's content.
  await daemon.stop();
  const next = await startKycloned({ home: daemon.home });
  expect((await next.call('PATCH', `/users/${kept}/vault`, { body: { 'custom.more': DATA } })).status).toBe(
    200,
  );
  limitFiles(next, statSync(next.paths.storeFile).size - 4096);
  const answer = await next.call('DELETE', `/users/${gone}`);
  expect([200, 500, 507]).toContain(answer.status);
  expect((await next.call('GET', `/users/${kept}`)).status).toBe(200);
  limitFiles(next, 'unlimited');
  expect(await next.stop()).toMatchObject({ code: 0, signal: null });
});
