/** Snapshots of the real daemon that are cut off at any moment, and loaded many times. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, until } from '../support/kycloned.ts';
import '../support/tier-all.ts';
import { idOf, idsOf, load, nameOf, save } from './snapshot-calls.ts';

test('load: a daemon that is killed at any moment starts with the old state or the new', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home });
  const first = await idOf(daemon, 'Canary-one');
  await save(daemon, 'one');
  const second = await idOf(daemon, 'Canary-two');
  await save(daemon, 'two');
  for (let round = 0; round < 4; round++) {
    const loading = load(daemon, round % 2 === 0 ? 'one' : 'two').catch(() => undefined);
    await delay(round * 12);
    await daemon.stop('SIGKILL');
    await loading;
    daemon = await startKycloned({ home });
    const ids = (await idsOf(daemon)).sort();
    expect([[first], [first, second].sort()]).toContainEqual(ids);
    expect(await nameOf(daemon, first)).toBe('Canary-one');
    expect(existsSync(`${daemon.paths.storeFile}.before`)).toBe(false);
    expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body['ok']).toBe(true);
    expect(readdirSync(join(daemon.paths.dataDirectory, 'snapshots')).sort()).toEqual([
      'one.kysnap',
      'two.kysnap',
    ]);
  }
});

test('save: a daemon that is killed at any moment leaves the old snapshot or the new', async () => {
  const home = tempDir();
  let daemon = await startKycloned({ home });
  const folder = join(daemon.paths.dataDirectory, 'snapshots');
  await idOf(daemon);
  await save(daemon);
  for (let round = 0; round < 4; round++) {
    await idOf(daemon);
    const saving = save(daemon).catch(() => undefined);
    await delay(round * 8);
    await daemon.stop('SIGKILL');
    await saving;
    daemon = await startKycloned({ home });
    expect(readdirSync(folder)).toEqual(['one.kysnap']);
    const loaded = await load(daemon);
    expect(loaded.status).toBe(200);
    expect(await idsOf(daemon)).toHaveLength((loaded.body['counts'] as { users: number }).users);
  }
});

const isLinux = process.platform === 'linux';
test.skipIf(!isLinux)('load: many times leave no file open and no memory taken', async () => {
  const daemon = await startKycloned();
  await idOf(daemon);
  await save(daemon);
  const handles = () => readdirSync(`/proc/${daemon.locator.pid}/fd`).length;
  const residentKib = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.locator.pid}/status`, 'utf8'))?.[1]);
  for (let times = 0; times < 10; times++) await load(daemon);
  const [handlesBefore, memoryBefore] = [handles(), residentKib()];
  for (let times = 0; times < 30; times++) expect((await load(daemon)).status).toBe(200);
  // Under a Node without a SQLite of its own, a garbage collection closes the stores that were replaced.
  await until('no more files are open than before', async () => {
    expect((await load(daemon)).status).toBe(200);
    return handles() <= handlesBefore;
  });
  expect(residentKib() - memoryBefore).toBeLessThan(128 * 1024);
});
