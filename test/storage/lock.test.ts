import { join } from 'node:path';
import { statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { takeLock } from '../../src/storage/lock.ts';
import { holdInAnotherProcess } from '../support/lock-holder.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

function lockPath(): string {
  return join(tempDir(), 'daemon.lock');
}

test('takeLock: one at a time, again after release', () => {
  const path = lockPath();
  const lock = takeLock(path);
  expect(lock).toBeDefined();
  expect(takeLock(path)).toBeUndefined();
  lock?.release();
  const next = takeLock(path);
  expect(next).toBeDefined();
  next?.release();
});

test('takeLock: the lock of a process that was killed is free', async () => {
  const path = lockPath();
  const holder = await holdInAnotherProcess('lock', path);
  // A refused try does not take the lock from its holder.
  for (let tries = 0; tries < 2; tries += 1) expect(takeLock(path)).toBeUndefined();
  await holder.kill();
  const lock = takeLock(path);
  expect(lock).toBeDefined();
  lock?.release();
});

test('takeLock: writes nothing into the file', () => {
  const path = lockPath();
  const lock = takeLock(path);
  expect(statSync(path).size).toBe(0);
  lock?.release();
  expect(statSync(path).size).toBe(0);
});

test('takeLock: a file of another program is refused and kept', () => {
  const path = lockPath();
  writeFileSync(path, '# what somebody wrote here\n'.repeat(100));
  expect(() => takeLock(path)).toThrow(/not a database/);
  expect(statSync(path).size).toBe(2700);
});
