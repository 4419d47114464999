import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownFolder, removeLeftovers } from '../../../src/nouns/vault-proxy/commands/echo.ts';
import { tempDir } from '../../support/temp-dir.ts';

const FILES = ['ca.pem', 'client-key.pem', 'client.pem', 'server.pem'];

/** The pid of a process that has ended. */
const GONE = spawnSync(process.execPath, ['--version']).pid;

function folderWith(path: string, names: readonly string[]): string {
  mkdirSync(path, { recursive: true });
  for (const name of names) writeFileSync(join(path, name), 'PEM');
  return path;
}

describe('removeLeftovers', () => {
  test('removeLeftovers: the folder of a process that is gone goes', () => {
    using state = tempDir();
    folderWith(join(state.path, `echo-${GONE}`), FILES);
    removeLeftovers(state.path);
    expect(readdirSync(state.path)).toEqual([]);
  });

  test('removeLeftovers: keeps the folder of a running process', () => {
    using state = tempDir();
    const living = folderWith(join(state.path, `echo-${process.ppid}`), FILES);
    const own = folderWith(ownFolder(state.path), FILES);
    removeLeftovers(state.path);
    expect([readdirSync(living), readdirSync(own)]).toEqual([FILES, FILES]);
  });

  test.each([`echo-${GONE}x`, `xecho-${GONE}`, `echo-0${GONE}`, `backup-${GONE}`])(
    'removeLeftovers: keeps folders without our name (%s)',
    (name) => {
      using state = tempDir();
      const folder = folderWith(join(state.path, name), FILES);
      removeLeftovers(state.path);
      expect(readdirSync(folder)).toEqual(FILES);
    },
  );

  test('removeLeftovers: only our own files of our folder go', () => {
    using state = tempDir();
    const folder = folderWith(join(state.path, `echo-${GONE}`), [...FILES, 'notes.txt']);
    folderWith(join(folder, 'kept'), FILES);
    removeLeftovers(state.path);
    expect(readdirSync(folder)).toEqual(['kept', 'notes.txt']);
    expect(readdirSync(join(folder, 'kept'))).toEqual(FILES);
  });

  test('removeLeftovers: a folder in the place of our file stays', () => {
    using state = tempDir();
    const folder = folderWith(join(state.path, `echo-${GONE}`, 'ca.pem'), ['ca.pem']);
    removeLeftovers(state.path);
    expect(readdirSync(folder)).toEqual(['ca.pem']);
  });

  test('removeLeftovers: a link in the place of a folder is not followed', () => {
    using state = tempDir();
    using elsewhere = tempDir();
    folderWith(elsewhere.path, FILES);
    symlinkSync(elsewhere.path, join(state.path, `echo-${GONE}`));
    removeLeftovers(state.path);
    expect(readdirSync(elsewhere.path)).toEqual(FILES);
  });

  test('removeLeftovers: a link in the place of a file is not followed, and stays', () => {
    using state = tempDir();
    using elsewhere = tempDir();
    folderWith(elsewhere.path, FILES);
    const folder = folderWith(join(state.path, `echo-${GONE}`), []);
    symlinkSync(join(elsewhere.path, 'ca.pem'), join(folder, 'ca.pem'));
    removeLeftovers(state.path);
    expect(readdirSync(elsewhere.path)).toEqual(FILES);
    expect(readdirSync(folder)).toEqual(['ca.pem']);
  });

  test('removeLeftovers: a file in the place of a folder stays', () => {
    using state = tempDir();
    const file = join(state.path, `echo-${GONE}`);
    writeFileSync(file, '');
    removeLeftovers(state.path);
    expect(existsSync(file)).toBe(true);
  });

  test('removeLeftovers: without a state folder there is nothing to do, and none is made', () => {
    using scratch = tempDir();
    const state = join(scratch.path, 'state');
    removeLeftovers(state);
    expect(existsSync(state)).toBe(false);
  });
});
