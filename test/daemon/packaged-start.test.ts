/** What a start needs of an installed package: SQLite's binary, and of the bundle's compiled code nothing. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';

const SQLITE = 'node_modules/better-sqlite3';

/** The daemon as an install leaves it, without compiled code. */
function anInstall(): string {
  const root = tempDir();
  for (const part of ['bin', 'package.json', 'dist/daemon.cjs']) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  mkdirSync(join(root, SQLITE, 'build/Release'), { recursive: true });
  const binary = 'build/Release/better_sqlite3.node';
  for (const file of ['package.json', binary]) cpSync(join(ROOT, SQLITE, file), join(root, SQLITE, file));
  return root;
}

/** Starts the daemon and ends it at once, as the build does; it keeps its compiled code. */
function startAndEnd(root: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [join(root, 'bin/kycloned.js'), '--ephemeral', '--port', '0'], {
    env: cleanEnvironment(tempDir(), { KYCLONE_WRITE_CODE_CACHE: '1' }),
    encoding: 'utf8',
  });
}

test('start: needs no compiled code, and takes none that is damaged or of another V8', () => {
  const root = anInstall();
  const cache = join(root, 'dist/daemon.cjs.cache');
  for (const damage of [
    () => rmSync(cache, { force: true }),
    () => truncateSync(cache, 1_000),
    () => writeFileSync(cache, Buffer.alloc(100_000, 7)),
  ]) {
    damage();
    const { status, stderr } = startAndEnd(root);
    expect(stderr).toContain('serves instance default (ephemeral)');
    expect(status).toBe(0);
  }
});

test('start: says what to do when SQLite has no binary, or one that cannot be loaded', () => {
  const root = anInstall();
  const binary = join(root, SQLITE, 'build/Release/better_sqlite3.node');
  writeFileSync(binary, 'no library');
  const unusable = startAndEnd(root);
  rmSync(binary);
  const missing = startAndEnd(root);
  expect(unusable.stderr).toContain("SQLite's binary cannot be loaded: npm rebuild better-sqlite3");
  expect(missing.stderr).toContain("SQLite's binary is missing: npm rebuild better-sqlite3");
  expect([unusable.status, missing.status]).toEqual([1, 1]);
});
