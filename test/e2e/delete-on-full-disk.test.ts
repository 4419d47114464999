/** A really full disk under a running daemon: writes are refused, reads work, and deletes still work. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startKycloned } from '../support/kycloned.ts';
import { canMountSmallDisks, smallDisk } from '../support/small-disk.ts';

const DATA = { 'id.first_name': 'Jane', 'custom.notes': 'something long '.repeat(300) };

/** Starts a daemon with users on a disk of its own, and fills the disk with more users. */
async function onAFullDisk() {
  const disk = smallDisk(24);
  const dataDirectory = join(disk.path, 'data');
  const daemon = await startKycloned({ options: ['--data-dir', dataDirectory] });
  const users: string[] = [];
  for (let index = 0; index < 12; index++) {
    const { body } = await daemon.call('POST', '/users', { body: DATA });
    users.push(body['id'] as string);
  }
  disk.fill();
  expect(disk.freeBytes()).toBe(0);
  // The daemon stores users as long as they fit into the log; a write that makes the log grow fails.
  let status = 200;
  for (let tries = 0; status === 200 && tries < 2_000; tries++) {
    const created = await daemon.call('POST', '/users', { body: DATA });
    status = created.status;
    if (status === 200) users.push(created.body['id'] as string);
  }
  expect(status).toBe(507);
  return { disk, dataDirectory, daemon, users };
}

const needsDisk = !canMountSmallDisks() && process.env['CI'] === undefined;

test.skipIf(needsDisk)(
  'reset: a full disk releases its reserve for it, and writes resume once there is space',
  async () => {
    const { disk, dataDirectory, daemon, users } = await onAFullDisk();

    const reset = await daemon.control('POST', '/_kyclone/reset', { body: {} });

    expect(reset).toMatchObject({ status: 200, body: { deleted: { users: users.length } } });
    expect((await daemon.call('GET', `/users/${users[0]}`)).status).toBe(404);
    disk.free();
    expect((await daemon.call('POST', '/users', { body: DATA })).status).toBe(200);
    expect(existsSync(join(dataDirectory, 'reserve'))).toBe(true);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  },
);

test.skipIf(needsDisk)(
  'delete: on a full disk users can be deleted, nothing else is written, and writes resume once there is space',
  async () => {
    const { disk, dataDirectory, daemon, users } = await onAFullDisk();

    for (const id of users.slice(0, 5)) {
      expect(await daemon.call('DELETE', `/users/${id}`)).toMatchObject({ status: 200 });
      expect((await daemon.call('GET', `/users/${id}`)).status).toBe(404);
    }
    const body = JSON.stringify({ fields: ['custom.notes'] });
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const cut = await daemon.call('DELETE', `/users/${users[6]}/vault`, { body, headers });
    expect(cut).toMatchObject({ status: 200, body: { 'custom.notes': true } });
    expect((await daemon.call('GET', `/users/${users[7]}`)).status).toBe(200);

    disk.free();
    expect((await daemon.call('POST', '/users', { body: DATA })).status).toBe(200);
    expect(existsSync(join(dataDirectory, 'reserve'))).toBe(true);
    expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  },
);
