/**
 * Files that are deleted while they are read or written: with their entity, by a purge, or by a reset. A download ends
 * whole or is cut off, an upload finds no entity, and no file stays on disk.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startKycloned, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt } from '../support/kycloned-calls.ts';
import {
  aToken,
  bytesOf,
  decrypted,
  deleteFromVault,
  downloadUnderWay,
  downloadWith,
  expectNoOrphans,
  expectSame,
  expectWholeOrCutOff,
  filesFolder,
  filesIn,
  FRONT,
  uploaded,
  uploadUnderWay,
} from './file-calls.ts';
import '../support/tier-all.ts';

const MIB = 1024 * 1024;
/** More bytes than the sockets between daemon and client hold, so a download that nobody reads can't finish. */
const LARGE = bytesOf('large', 10 * MIB);

async function aUserWithFile(daemon: Kycloned, content = LARGE) {
  const target = { fp_id: await aUser(daemon), identifier: FRONT };
  await uploaded(daemon, target, content);
  return { ...target, token: await aToken(daemon, target) };
}

/** Returns the sealed files that the daemon has open. */
function openFiles(daemon: Kycloned): string[] {
  const handles = `/proc/${daemon.process.pid ?? 0}/fd`;
  return readdirSync(handles).flatMap((handle) => {
    try {
      const path = readlinkSync(`${handles}/${handle}`);
      return path.startsWith(filesFolder(daemon)) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const WAYS_TO_GO: [string, (daemon: Kycloned, fp_id: string) => Promise<{ status: number; text: string }>][] =
  [
    ['its user is deleted', (daemon, fp_id) => daemon.call('DELETE', `/users/${fp_id}`)],
    ['it is purged', (daemon, fp_id) => deleteFromVault(daemon, fp_id, { fields: [FRONT], purge: true })],
    ['the instance is reset', (daemon) => daemon.control('POST', '/_kyclone/reset', { body: {} })],
  ];

test.each(WAYS_TO_GO)(
  'download: while %s, it ends whole or cut off, and the file is gone at once',
  async (_way, remove) => {
    const daemon = await startKycloned();
    const { fp_id, token } = await aUserWithFile(daemon);
    const download = await downloadUnderWay(daemon, token);
    expect(download.status).toBe(200);
    expect(openFiles(daemon)).toHaveLength(1);
    const gone = await remove(daemon, fp_id);
    expect(gone.status, gone.text).toBe(200);
    expect(filesIn(filesFolder(daemon))).toEqual([]);
    expectWholeOrCutOff(await download.rest(), LARGE);
    await until('the file is closed', () => openFiles(daemon).length === 0);
    expect([401, 404]).toContain((await downloadWith(daemon, token)).status);
  },
);

test('download: returns the requested file while another replaces it', async () => {
  const daemon = await startKycloned();
  const { fp_id, token } = await aUserWithFile(daemon);
  const download = await downloadUnderWay(daemon, token);
  const other = bytesOf('other', 10 * MIB);
  await uploaded(daemon, { fp_id, identifier: FRONT }, other);
  const { bytes, isWhole } = await download.rest();
  expect(isWhole).toBe(true);
  expectSame(bytes, LARGE);
  expectSame((await downloadWith(daemon, token)).bytes, other);
});

/**
 * Returns undefined for a response that broke off because its files were deleted after they were verified and before
 * they were sent.
 */
async function orCutOff<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ((error as { code?: string }).code === 'ECONNRESET') return undefined;
    throw error;
  }
}

test('download: of many while their user is deleted, each is whole, cut off or refused', async () => {
  const daemon = await startKycloned();
  const content = bytesOf('content', MIB);
  const statuses = new Set<number>();
  for (const round of [0, 2, 6]) {
    const { fp_id, token } = await aUserWithFile(daemon, content);
    const downloads = Array.from({ length: 2 * round }, () => downloadWith(daemon, token));
    const reads = Array.from({ length: round }, () => orCutOff(decrypt(daemon, fp_id, [FRONT])));
    const removal = daemon.call('DELETE', `/users/${fp_id}`);
    const more = Array.from({ length: 8 }, () => downloadWith(daemon, token));
    for (const answer of await Promise.all([...downloads, ...more])) {
      statuses.add(answer.status);
      if (answer.status === 200) expectWholeOrCutOff(answer, content);
    }
    for (const answer of await Promise.all(reads)) {
      if (answer === undefined) continue;
      statuses.add(answer.status);
      if (answer.status === 200) expectSame(Buffer.from(answer.body[FRONT] as string, 'base64'), content);
    }
    expect((await removal).status).toBe(200);
    expect(filesIn(filesFolder(daemon))).toEqual([]);
  }
  for (const status of statuses) expect([200, 401, 404]).toContain(status);
  await until('all files are closed', () => openFiles(daemon).length === 0);
});

test('upload: while the instance is reset, it is refused and leaves no file', async () => {
  const daemon = await startKycloned();
  const upload = await uploadUnderWay(daemon, { fp_id: await aUser(daemon), identifier: FRONT }, LARGE);
  expect((await daemon.control('POST', '/_kyclone/reset', { body: {} })).status).toBe(200);
  expect((await upload.finish()).status).toBe(404);
  expect(filesIn(filesFolder(daemon))).toEqual([]);
});

test('upload: while its identifier is purged, it is a version after the purge', async () => {
  const daemon = await startKycloned();
  const { fp_id } = await aUserWithFile(daemon);
  const next = bytesOf('next', 10 * MIB);
  const upload = await uploadUnderWay(daemon, { fp_id, identifier: FRONT }, next);
  expect((await deleteFromVault(daemon, fp_id, { fields: [FRONT], purge: true })).status).toBe(200);
  expect((await upload.finish()).status).toBe(200);
  const [current, first] = await decrypted(daemon, fp_id, FRONT, `${FRONT}:1`);
  expectSame(current, next);
  expect(first).toBeUndefined();
  expectNoOrphans(daemon);
});
