import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFolder, removeLeftovers } from '../../../src/nouns/vault-proxy/commands/echo.ts';
import { tempDir } from '../../support/temp-dir.ts';

const FILES = ['ca.pem', 'client-key.pem', 'client.pem', 'server.pem'];

/** Returns the pid of a process that has ended. */
const gone = () => spawnSync(process.execPath, ['--version']).pid;

function folderWith(path: string, names: readonly string[]): string {
  mkdirSync(path, { recursive: true });
  for (const name of names) writeFileSync(join(path, name), 'PEM');
  return path;
}

/** What is below a folder, in order. */
const below = (path: string) => (readdirSync(path, { recursive: true }) as string[]).sort();

test('removeLeftovers: of processes that are gone our files and empty folders go, and nothing else', () => {
  using state = tempDir();
  using elsewhere = tempDir();
  const [empty, used, holed, linked, linking, filed] = Array.from({ length: 6 }, () => `echo-${gone()}`);
  const at = (name = '') => join(state.path, name);
  folderWith(elsewhere.path, FILES);
  const kept = [`echo-${process.ppid}`, `echo-${process.pid}`];
  kept.push(`${used}x`, `x${used}`, used?.replace('-', '-0') ?? '', `backup${used?.slice(4)}`);
  for (const name of kept) folderWith(at(name), FILES);
  folderWith(at(empty), FILES);
  folderWith(at(used), [...FILES, 'notes.txt']);
  folderWith(join(at(used), 'kept'), FILES);
  folderWith(join(at(holed), 'ca.pem'), ['ca.pem']);
  symlinkSync(elsewhere.path, at(linked));
  symlinkSync(join(elsewhere.path, 'ca.pem'), join(folderWith(at(linking), []), 'ca.pem'));
  writeFileSync(at(filed), '');

  removeLeftovers(state.path);

  expect(ownFolder(state.path)).toBe(at(`echo-${process.pid}`));
  expect(readdirSync(state.path).sort()).toEqual([...kept, used, holed, linked, linking, filed].sort());
  for (const name of kept) expect(below(at(name))).toEqual(FILES);
  expect(below(at(used))).toEqual(['kept', ...FILES.map((name) => join('kept', name)), 'notes.txt']);
  expect(below(at(holed))).toEqual(['ca.pem', join('ca.pem', 'ca.pem')]);
  expect(below(at(linking))).toEqual(['ca.pem']);
  expect(below(elsewhere.path)).toEqual(FILES);
});

test('removeLeftovers: without a state folder there is nothing to do, and none is made', () => {
  using scratch = tempDir();
  const state = join(scratch.path, 'state');
  removeLeftovers(state);
  expect(existsSync(state)).toBe(false);
});
