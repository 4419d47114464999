/** What the scripts of `bin/` do before they load a bundle: only a process shows it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/kycloned.ts';

/** Runs a script of `bin/` after `preload`, which is code. */
function run(script: string, argv: readonly string[], { home, preload }: { home: string; preload: string }) {
  const file = join(tempDir(), 'preload.cjs');
  writeFileSync(file, preload);
  return spawnSync(process.execPath, ['--require', file, join(ROOT, 'bin', script), ...argv], {
    env: cleanEnvironment(home),
    encoding: 'utf8',
  });
}

test.each([
  ['kyclone.js', '6.17.1'],
  ['kyclone.js', '20.16.0'],
  ['kycloned.js', '18.20.4'],
])('%s: under Node %s it says in one sentence what it needs, and exits with 1', (script, version) => {
  const preload = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`;
  const { status, stdout, stderr } = run(script, ['status'], { home: tempDir(), preload });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `Error: kyclone needs Node 20.17 or later, and this is Node ${version}\n`,
  });
});

/** Node of 22.8 and later has this function; an older one gets it here. */
const TELLS_FOLDER = `require('node:module').enableCompileCache = (folder) => console.error('compiled in ' + folder);`;

test.each(['kyclone.js', 'kycloned.js'])(
  '%s: keeps compiled code in a private folder of the user',
  (script) => {
    const home = tempDir();
    const { stderr } = run(script, ['--help'], { home, preload: TELLS_FOLDER });
    const folder = join(home, '.cache/kyclone/compiled');
    expect(stderr).toContain(`compiled in ${folder}\n`);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  },
);

test.each([
  ['that others may write to', (own: string) => chmodSync(own, 0o777)],
  ['below one that others may write to', (own: string) => chmodSync(join(own, '..'), 0o777)],
])('compiled code: is not taken from a folder %s', (_which, open) => {
  const home = tempDir();
  const own = join(home, '.cache/kyclone/compiled');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  open(own);
  const { status, stderr } = run('kyclone.js', ['errors'], { home, preload: TELLS_FOLDER });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('compiled code: a home that cannot be written to is no failure', () => {
  const home = join(tempDir(), 'file');
  writeFileSync(home, '');
  const { status, stderr } = run('kyclone.js', ['errors'], { home, preload: TELLS_FOLDER });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
