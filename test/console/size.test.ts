/** What the build makes of the console: its size as browsers get it, and nothing that is not its own. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole } from '../../src/devtools/build-browser.ts';
import { KIB } from '../../src/kernel/units.ts';
import { ROOT } from '../support/root.ts';
import { tempDir } from '../support/temp-dir.ts';

const MOST_BYTES = 150 * KIB;

test('console: page, script and style are at most 150 KiB compressed, and need nothing else', async () => {
  using outdir = tempDir();
  await buildConsole({ root: ROOT, outdir: outdir.path });
  const folder = join(outdir.path, 'console');

  const names = readdirSync(folder).sort();
  const sizes = names.map((name) => brotliCompressSync(readFileSync(join(folder, name))).length);

  expect(names).toEqual(['app.css', 'app.js', 'index.html']);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MOST_BYTES);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
    'data:,',
    '/_kyclone/console/app.css',
    '/_kyclone/console/app.js',
  ]);
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  expect(readFileSync(join(folder, 'app.css'), 'utf8')).not.toMatch(/@import|url\((?!['"]?data:)/);
});
