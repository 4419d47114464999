/** What a start needs from an installed package: it needs a SQLite, but not the compiled code of the bundle. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeSqlite } from '../../src/storage/drivers/node-sqlite.ts';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';

const PEER = 'node_modules/better-sqlite3';
const BINARY = 'build/Release/better_sqlite3.node';
const hasOwnSqlite = nodeSqlite() !== undefined;

/** Copies the daemon as an install leaves it, without compiled code. The optional peer is there where Node needs it. */
function anInstall(): string {
  const root = tempDir();
  for (const part of ['bin', 'package.json', 'dist/daemon.cjs']) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  if (!hasOwnSqlite) {
    for (const part of ['package.json', 'lib', BINARY]) {
      cpSync(join(ROOT, PEER, part), join(root, PEER, part), { recursive: true });
    }
  }
  return root;
}

/** Starts the daemon and ends it at once, as the build does. The daemon saves its compiled code. */
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

test.runIf(hasOwnSqlite)(
  "start: Node's own SQLite needs nothing installed, and Node warns of nothing",
  () => {
    const { status, stderr } = startAndEnd(anInstall());
    expect(stderr).toContain('serves instance default (ephemeral)');
    expect(stderr).not.toMatch(/warning/i);
    expect(status).toBe(0);
  },
);

test.runIf(!hasOwnSqlite)(
  'start: says what to do when there is no SQLite, or one that cannot be loaded',
  () => {
    const root = anInstall();
    writeFileSync(join(root, PEER, BINARY), 'no library');
    const unusable = startAndEnd(root);
    rmSync(join(root, PEER, BINARY));
    const missing = startAndEnd(root);
    rmSync(join(root, PEER), { recursive: true });
    const without = startAndEnd(root);
    expect(unusable.stderr).toContain(
      'The binary of better-sqlite3 cannot be loaded: npm rebuild better-sqlite3',
    );
    expect(missing.stderr).toContain('The binary of better-sqlite3 is missing: npm rebuild better-sqlite3');
    expect(without.stderr).toContain(
      `Node ${process.versions.node} has no SQLite that kyclone can use, and the package better-sqlite3 is not installed: ` +
        'run npm install better-sqlite3@12 where kyclone is installed, or use Node 22.13 or later',
    );
    expect([unusable, missing, without].map(({ status }) => status)).toEqual([1, 1, 1]);
  },
);

test.runIf(!hasOwnSqlite).each([
  ['has the version of the build: from the bundle', undefined, false],
  ['has another version: from the package', '12.99.0', true],
])('start: better-sqlite3 %s', (_what, version, isRead) => {
  const root = anInstall();
  const manifest = join(root, PEER, 'package.json');
  const description = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  writeFileSync(manifest, JSON.stringify({ ...description, version: version ?? description.version }));
  const read = join(root, 'read');
  const code = join(root, PEER, 'lib/index.js');
  const note = `require('node:fs').writeFileSync(${JSON.stringify(read)}, '');\n`;
  writeFileSync(code, note + readFileSync(code, 'utf8'));

  const { status, stderr } = startAndEnd(root);

  expect(stderr).toContain('serves instance default (ephemeral)');
  expect([status, existsSync(read)]).toEqual([0, isRead]);
});
