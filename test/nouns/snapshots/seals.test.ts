/** Snapshots are files that anybody may have edited, so each is verified whole before any part of it is used. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openBinding } from '../../../src/storage/binding.ts';
import { expect } from 'vitest';
import { FILE_SEAL_BYTES } from '../../../src/vault/keyring/file-seal.ts';
import { startService, type TestService } from '../../support/service.ts';
import { contentOf, snapshotPath } from '../../support/snapshot-samples.ts';
import { withoutSeal } from '../../support/snapshot-seals.ts';
import '../../support/tier-all.ts';
import { test } from '../../support/test-with.ts';

const SNAPSHOT_KEY = '5'.repeat(64);
const params = { name: 'before' };
const save = (service: TestService) => service.call('PUT /_kyclone/snapshots/{name}', { params });
const refusedTake = (service: TestService, body: Buffer) =>
  service.refused('PUT /_kyclone/snapshots/{name}/content', { params, body });

const flipped = (bytes: Buffer, at: number, bit = 0) => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
  return changed;
};

/**
 * Returns places in a file of this size: spread over the pages, the last byte before the seal, and every byte of the
 * seal.
 */
function places(size: number): number[] {
  const body = size - FILE_SEAL_BYTES;
  const spread = Array.from({ length: 40 }, (_, index) => Math.floor((index * body) / 40));
  const seal = Array.from({ length: FILE_SEAL_BYTES }, (_, index) => body + index);
  return [...new Set([...spread, body - 1, ...seal])];
}

test('take: a carried file with any byte changed is refused before it is opened, by every vault', async () => {
  await using there = await startService({ snapshotKey: SNAPSHOT_KEY });
  await using elsewhere = await startService({ snapshotKey: SNAPSHOT_KEY, seed: 'another' });
  await there.user({ 'id.first_name': 'Canary-71' });
  await save(there);
  const content = await contentOf(there);
  await there.call('DELETE /_kyclone/snapshots/{name}', { params });

  for (const here of [there, elsewhere]) {
    for (const at of places(content.length)) {
      const refused = await refusedTake(here, flipped(content, at, at % 8));
      expect([at, refused.code]).toEqual([
        at,
        expect.stringMatching(/^(invalid_request|vault_key_invalid)$/),
      ]);
    }
    expect(readdirSync(here.snapshotsFolder)).toEqual([]);
  }
  const taken = await elsewhere.request('PUT /_kyclone/snapshots/{name}/content', { params, body: content });
  expect(taken.status).toBe(200);
});

test('take: a carried file that was cut, extended or mixed from two is refused', async () => {
  await using there = await startService({ snapshotKey: SNAPSHOT_KEY });
  await using here = await startService({ snapshotKey: SNAPSHOT_KEY, seed: 'another' });
  await there.user();
  await save(there);
  const one = await contentOf(there);
  const two = await contentOf(there);
  const seal = (bytes: Buffer) => bytes.subarray(-FILE_SEAL_BYTES);
  const body = (bytes: Buffer) => bytes.subarray(0, -FILE_SEAL_BYTES);
  const page = 4_096;
  const spoilt = {
    'cut by a byte': one.subarray(0, -1),
    'cut by its seal': body(one),
    'cut by a page before the seal': Buffer.concat([body(one).subarray(0, -page), seal(one)]),
    'extended by a byte': Buffer.concat([one, Buffer.alloc(1)]),
    'extended before the seal': Buffer.concat([body(one), Buffer.alloc(page), seal(one)]),
    'sealed twice': Buffer.concat([one, seal(one)]),
    'with the seal of another': Buffer.concat([body(one), seal(two)]),
    'with two pages swapped': Buffer.concat([
      one.subarray(0, page),
      one.subarray(2 * page, 3 * page),
      one.subarray(page, 2 * page),
      one.subarray(3 * page),
    ]),
    'nothing but a seal': seal(one),
    empty: Buffer.alloc(0),
  };
  for (const [what, bytes] of Object.entries(spoilt)) {
    expect([what, (await refusedTake(here, bytes)).code]).toEqual([what, 'invalid_request']);
  }
  const { message } = await refusedTake(here, spoilt['cut by its seal']);
  expect(message).toMatch(/does not end with the seal.*older version/);
});

test('load, diff, content: a modified snapshot of the folder is refused before it is opened', async (service) => {
  await service.user();
  await save(service);
  const path = snapshotPath(service);
  const whole = readFileSync(path);
  const calls = [
    'POST /_kyclone/snapshots/{name}/load',
    'GET /_kyclone/snapshots/{name}/diff',
    'GET /_kyclone/snapshots/{name}/content',
    'GET /_kyclone/snapshots/{name}',
  ] as const;
  for (const at of places(whole.length).filter((_, index) => index % 11 === 0)) {
    writeFileSync(path, flipped(whole, at));
    for (const key of calls) {
      expect([at, (await service.refused(key, { params })).code]).toEqual([at, 'vault_damaged']);
    }
  }
  writeFileSync(path, whole);
  await service.call('POST /_kyclone/snapshots/{name}/load', { params });
});

test('load: an edit that SQLite finds nothing wrong with is refused, and so is one without its seal', async (service) => {
  const fp_id = await service.user();
  await save(service);
  const path = snapshotPath(service);
  withoutSeal(path);
  expect((await service.refused('POST /_kyclone/snapshots/{name}/load', { params })).message).toContain(
    'seal',
  );

  await service.call('PUT /_kyclone/snapshots/{name}', { params, query: { overwrite: true } });
  const edited = openBinding(path);
  edited.prepare("UPDATE entities SET status = 'pass' WHERE fp_id = ?").run(fp_id);
  edited.close();
  expect((await service.refused('POST /_kyclone/snapshots/{name}/load', { params })).code).toBe(
    'vault_damaged',
  );
  expect((await service.call('GET /users/{fp_id}', { params: { fp_id } })).body.status).toBe('none');
});

test('list, delete: a modified file is named, and its content is not read', async (service) => {
  const fp_id = await service.user();
  await save(service);
  const path = snapshotPath(service);
  const edited = openBinding(path);
  edited.exec(`UPDATE snapshot_info SET counts = '{"users":77}'`);
  edited.close();
  const list = async () => (await service.call('GET /_kyclone/snapshots')).body.data;

  const [shown] = await list();

  expect(shown).toMatchObject({ name: params.name, counts: {} });
  expect(shown?.problem).toContain('changed after it was saved');
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'sound' } });
  const intact = (await list()).find(({ name }) => name === 'sound');
  expect(intact).toMatchObject({ counts: { users: 1 } });
  expect(intact).not.toHaveProperty('problem');
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  // The edited file might hold the user, but nothing in it is believed, so the deletion counts as final.
  const deleted = await service.call('DELETE /_kyclone/snapshots/{name}', { params: { name: 'sound' } });
  expect(deleted.body.final).toMatchObject({ entities: 1 });
});

test('load: a snapshot of another vault, put into the folder, is refused', async (there) => {
  await using here = await startService({ seed: 'another' });
  await save(there);
  await save(here);
  writeFileSync(snapshotPath(here), readFileSync(snapshotPath(there)));
  expect((await here.refused('POST /_kyclone/snapshots/{name}/load', { params })).message).toContain(
    'another vault',
  );
});
