/** `kycloned --remove-home` removes a home that was made to be thrown away, and no other. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeThrowAwayHome } from '../../src/kernel/files/throw-away-home.ts';
import { refusedStart, startKycloned, tempDir } from '../support/kycloned.ts';

test('remove-home: the home of a user is refused, and stays', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'precious'), '');
  const refused = await refusedStart({ home, options: ['--ephemeral', '--remove-home'] });
  expect(refused).toMatchObject({ code: 2, announced: { code: 'invalid_request' } });
  expect(existsSync(join(home, 'precious'))).toBe(true);
});

test('remove-home: one that was made for it goes when the daemon has stopped', async () => {
  const home = join(tempDir(), 'home');
  makeThrowAwayHome(home);
  const daemon = await startKycloned({ home, options: ['--ephemeral', '--remove-home'] });
  expect(existsSync(home)).toBe(true);
  expect(await daemon.stop()).toMatchObject({ code: 0 });
  expect(existsSync(home)).toBe(false);
});
