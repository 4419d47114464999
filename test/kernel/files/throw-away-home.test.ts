/** The conditions under which a folder may be removed with all its content. */
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isThrowAwayHome, makeThrowAwayHome } from '../../../src/kernel/files/throw-away-home.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('makeThrowAwayHome: a folder for its owner alone, which says what it is; nothing is taken over', () => {
  using folder = tempDir();
  const home = join(folder.path, 'home');
  makeThrowAwayHome(home);
  expect(isThrowAwayHome(home)).toBe(true);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(() => makeThrowAwayHome(home)).toThrow('EEXIST');
});

test('isThrowAwayHome: false for any other folder, a link to one, a mark of other words, and nothing', () => {
  using folder = tempDir();
  const home = join(folder.path, 'home');
  makeThrowAwayHome(home);
  symlinkSync(home, join(folder.path, 'link'));
  mkdirSync(join(folder.path, 'other'));
  writeFileSync(join(folder.path, 'other', '.kyclone-throw-away'), '');
  for (const name of ['.', 'link', 'other', 'nowhere']) {
    expect(isThrowAwayHome(join(folder.path, name)), name).toBe(false);
  }
  expect([isThrowAwayHome(''), isThrowAwayHome(undefined)]).toEqual([false, false]);
});
