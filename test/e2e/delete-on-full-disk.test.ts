/**
 * A really full disk under a running daemon, or a limit on the size of its files: writes are refused, which `/ready`
 * says, reads work, and deletes still work.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { limitFiles } from '../support/file-size-limit.ts';
import { startKycloned, until, type Kycloned } from '../support/kycloned.ts';
import { canMountSmallDisks, smallDisk } from '../support/small-disk.ts';

const DATA = { 'id.first_name': 'Jane', 'custom.notes': 'something long '.repeat(300) };

/** Starts a daemon with users on a disk of its own, and fills the disk with more users. */
async function onAFullDisk(count = 12) {
  const disk = smallDisk(24);
  const dataDirectory = join(disk.path, 'data');
  const daemon = await startKycloned({ options: ['--data-dir', dataDirectory] });
  const users: string[] = [];
  for (let index = 0; index < count; index++) {
    const { status, body } = await daemon.call('POST', '/users', { body: DATA });
    expect(status).toBe(200);
    users.push(body['id'] as string);
  }
  // The daemon may free a page of its own right after the fill.
  await until('the disk is full', () => {
    disk.fill();
    return Promise.resolve(disk.freeBytes() === 0);
  });
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

const readiness = async (daemon: Kycloned) => (await daemon.control('GET', '/_kyclone/ready')).body;

/** A smaller write of the daemon's own may still find room, so larger ones are tried again. */
const untilFull = (daemon: Kycloned) =>
  until('it is not ready', async () => {
    expect((await daemon.call('POST', '/users', { body: DATA })).status).toBe(507);
    return (await readiness(daemon))['reason'] === 'storage_full';
  });

test.skipIf(needsDisk)(
  'delete: on a full disk it goes on until nothing is left, and /ready says why',
  async () => {
    const { disk, daemon, users } = await onAFullDisk(150);
    await untilFull(daemon);
    for (const id of users) {
      const deleted = await daemon.call('DELETE', `/users/${id}`);
      expect(deleted.status, `${id}, ${disk.freeBytes()} bytes free: ${deleted.text}`).toBe(200);
    }
    disk.free();
    expect((await daemon.call('POST', '/users', { body: DATA })).status).toBe(200);
    await until('it is ready', async () => (await readiness(daemon))['ready'] === true);
  },
);

test.skipIf(needsDisk)('start: on a disk that the log has filled it serves what there is', async () => {
  const { disk, dataDirectory, daemon, users } = await onAFullDisk(250);
  await daemon.stop('SIGKILL');
  expect(statSync(join(dataDirectory, 'vault.db-wal')).size).toBeGreaterThan(1_000_000);
  disk.fill();
  const again = await startKycloned({ home: daemon.home, options: ['--data-dir', dataDirectory] });
  for (const id of users) expect((await again.call('GET', `/users/${id}`)).status).toBe(200);
  expect((await again.call('DELETE', `/users/${users[0]}`)).status).toBe(200);
  disk.free();
  expect((await again.call('POST', '/users', { body: DATA })).status).toBe(200);
});

test('ulimit -f: a log at the limit is a full disk, and not a write of unknown outcome', async () => {
  const daemon = await startKycloned();
  limitFiles(daemon, 300_000);
  const users: string[] = [];
  const refusals: string[] = [];
  while (refusals.length < 10) {
    const { status, body } = await daemon.call('POST', '/users', { body: DATA });
    if (status === 200) users.push(body['id'] as string);
    else refusals.push(`${status} ${String(body['code'])}`);
  }
  expect(new Set(refusals)).toEqual(new Set(['507 storage_full']));
  await untilFull(daemon);
  expect(await daemon.call('GET', `/users/${users[0]}`)).toMatchObject({ status: 200 });
  limitFiles(daemon, 'unlimited');
  expect(await daemon.call('POST', '/users', { body: DATA })).toMatchObject({ status: 200 });
  await until('it is ready', async () => (await readiness(daemon))['ready'] === true);
  for (const id of users) expect((await daemon.call('GET', `/users/${id}`)).status).toBe(200);
});

test.skipIf(needsDisk)(
  'stop: an export that finds no room is a failure of the stop; status says why nothing is written',
  async () => {
    const { disk, daemon } = await onAFullDisk();
    const { home } = daemon;
    // A checkpoint may make room for a moment while the command starts.
    await until('status says why', async () => {
      await untilFull(daemon);
      return (await runCli(['status'], { home })).stdout.includes('storage_full');
    });
    await daemon.stop();
    const file = join(disk.path, 'state.kysnap');
    const ephemeral = await runCli(
      ['start', '-d', '--ephemeral', '--port', '0', `--export-on-exit=${file}`],
      { home },
    );
    expect(ephemeral).toMatchObject({ code: 0 });
    const stopped = await runCli(['stop'], { home });
    expect([stopped.code, stopped.stdout]).toEqual([1, '']);
    expect(stopped.stderr).toContain('could not be exported');
    expect(await runCli(['stop'], { home })).toMatchObject({ code: 0 });
  },
);
