import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ownRequire } from '../../../src/kernel/program/own-require.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('ownRequire: below a folder of unplugged packages, the map of the project is put to use first', () => {
  using folder = tempDir();
  const own = join(folder.path, '.yarn', 'unplugged', 'kyclone-1', 'node_modules', 'kyclone');
  mkdirSync(own, { recursive: true });
  const set = "require('node:fs').writeFileSync(__dirname + '/resolved.cjs', 'module.exports = 7')";
  writeFileSync(join(folder.path, '.pnp.cjs'), `exports.setup = () => ${set};`);
  const load = ownRequire(pathToFileURL(join(own, 'daemon.cjs')).href);
  expect(load(join(folder.path, 'resolved.cjs'))).toBe(7);
  expect(() => ownRequire(pathToFileURL(join(own, '..', 'x.cjs')).href).resolve('nowhere')).toThrow(
    /nowhere/,
  );
});
