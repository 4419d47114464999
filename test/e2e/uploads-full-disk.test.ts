/**
 * A disk that really takes no more while files stream in: the system refuses every write beyond a file size
 * (RLIMIT_FSIZE). A failed upload reports it and leaves nothing, neither visible nor on disk, and the instance keeps
 * working.
 */
import { statSync } from 'node:fs';
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { limitFiles } from '../support/file-size-limit.ts';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import {
  bytesOf,
  decrypted,
  download,
  expectNoOrphans,
  expectSame,
  filesFolder,
  filesIn,
  FRONT,
  upload,
  uploaded,
} from './file-calls.ts';

/** The parts of a stored file: a header, then chunks with a tag each. */
const HEADER = 8;
const SEALED_CHUNK = 65_536 + 16;
/** The bytes of one page in the write-ahead log. */
const FRAME = 4_096 + 24;
/** Twice the size that the write-ahead log reaches here. The log can grow, and only files are too long for the disk. */
const ROOM = HEADER + 32 * SEALED_CHUNK;

const logBytes = ({ paths }: Kycloned) => statSync(`${paths.storeFile}-wal`).size;

/** Makes a user with a small file, then limits the size of files. */
async function aCrampedUser(daemon: Kycloned, room = ROOM) {
  const fp_id = await aUser(daemon);
  const small = bytesOf('small', 100);
  await uploaded(daemon, { fp_id, identifier: 'custom.small' }, small);
  limitFiles(daemon, room);
  return { fp_id, small, large: bytesOf('large', 2 * ROOM) };
}

/** Checks that nothing of the upload is visible, and that the earlier file is unchanged. */
async function expectNothingStored(daemon: Kycloned, fp_id: string): Promise<void> {
  const { body, headers } = await daemon.call('GET', `/users/${fp_id}/vault`);
  expect([body, headers['x-fp-vault-version']]).toEqual([{ 'custom.small': true }, '1']);
  expect((await daemon.call('GET', `/users/${fp_id}/documents`)).body).toEqual([]);
  expect(await decrypted(daemon, fp_id, FRONT, 'custom.small')).toEqual([undefined, bytesOf('small', 100)]);
  expect(filesIn(filesFolder(daemon))).toHaveLength(1);
}

test('upload: a disk that is full anywhere in the file is 507, leaves nothing, and the instance continues', async () => {
  const daemon = await startKycloned();
  for (const more of [-1, 0, 16, 40_000]) {
    const { fp_id, small, large } = await aCrampedUser(daemon, ROOM + more);
    const refused = await upload(daemon, { fp_id, identifier: FRONT }, large);
    expect([more, refused.status, refused.code]).toEqual([more, 507, 'storage_full']);
    await expectNothingStored(daemon, fp_id);
    // A file that fits is still stored, although the limit stays.
    expect(await uploaded(daemon, { fp_id, identifier: FRONT }, small)).toBe(2);
    limitFiles(daemon, 'unlimited');
    expect(await uploaded(daemon, { fp_id, identifier: FRONT }, large)).toBe(3);
    expectSame((await download(daemon, { fp_id, identifier: FRONT })).bytes, large);
    expect((await daemon.call('DELETE', `/users/${fp_id}`)).status).toBe(200);
    expect(filesIn(filesFolder(daemon))).toEqual([]);
  }
});

test('upload: after a 507 the same connection serves the next request', async () => {
  const daemon = await startKycloned();
  const { fp_id, small, large } = await aCrampedUser(daemon);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const target = { fp_id, identifier: FRONT };
  for (let round = 0; round < 2; round++) {
    expect((await upload(daemon, target, large, { agent })).status).toBe(507);
    expect((await upload(daemon, target, small, { agent })).status).toBe(200);
  }
  agent.destroy();
});

test('upload: of many at once, those that fit are stored and the others leave nothing', async () => {
  const daemon = await startKycloned();
  const { fp_id, small, large } = await aCrampedUser(daemon);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      upload(daemon, { fp_id, identifier: `document.custom.n${index}` }, index % 2 === 0 ? large : small),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    answers.map((_, index) => (index % 2 === 0 ? 507 : 200)),
  );
  const present = (await daemon.call('GET', `/users/${fp_id}/vault`)).body;
  const names = answers.flatMap((_, index) => (index % 2 === 0 ? [] : [`document.custom.n${index}`]));
  expect(Object.keys(present)).toEqual(['custom.small', ...names].sort());
  expectNoOrphans(daemon);
});

test('upload: in place of a file, when it finds the disk full, the one before stays', async () => {
  const daemon = await startKycloned();
  const { fp_id, small, large } = await aCrampedUser(daemon);
  expect((await upload(daemon, { fp_id, identifier: 'custom.small' }, large)).status).toBe(507);
  expectSame((await download(daemon, { fp_id, identifier: 'custom.small' })).bytes, small);
});

test('upload: wherever the disk fails beneath its row, it is whole or absent after a restart', async () => {
  const home = tempDir();
  const content = bytesOf('content', 1_000);
  const outcomes = new Set<string>();
  // Each round leaves room for one more page of the log; every second round lacks a few bytes.
  for (const room of [0, 1, 2, 3, 5, 10]) {
    const daemon = await startKycloned({ home });
    const fp_id = await aUser(daemon);
    limitFiles(daemon, logBytes(daemon) + room * FRAME - (room % 2) * 100);
    const { status, code } = await upload(daemon, { fp_id, identifier: FRONT }, content);
    expect(['200 undefined', '507 storage_full']).toContain(`${status} ${String(code)}`);
    expect((await daemon.call('GET', `/users/${fp_id}`)).status).toBe(200);
    await daemon.stop('SIGKILL');
    const next = await startKycloned({ home });
    expectNoOrphans(next);
    const [stored] = await decrypted(next, fp_id, FRONT);
    const { body: documents } = await next.call('GET', `/users/${fp_id}/documents`);
    expect(documents).toHaveLength(stored ? 1 : 0);
    if (stored) expectSame(stored, content);
    if (status === 200) expect([room, stored?.length]).toEqual([room, content.length]);
    else expect([room, stored]).toEqual([room, undefined]);
    outcomes.add(`${status}`);
    await next.stop();
  }
  expect([...outcomes].sort()).toEqual(['200', '507']);
});
