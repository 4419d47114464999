/** What the build makes of the console: its size as browsers get it, and nothing that is not its own. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole } from '../../src/devtools/build-browser.ts';
import { KIB } from '../../src/kernel/numbers/units.ts';
import { ROOT } from '../support/root.ts';
import { tempDir } from '../support/temp-dir.ts';

const MOST_BYTES = 150 * KIB;
/** The scripts and styles of the widgets, before they are compressed. */
const MOST_BYTES_OF_WIDGETS = 64 * KIB;

test('console: page, script and style are at most 150 KiB compressed, of which widgets are a small part, and need nothing else', async () => {
  using outdir = tempDir();
  const { outputs } = await buildConsole({ root: ROOT, outdir: outdir.path });
  const folder = join(outdir.path, 'console');

  const names = readdirSync(folder).sort();
  const sizes = names.map((name) => brotliCompressSync(readFileSync(join(folder, name))).length);

  expect(names).toEqual(['app.css', 'app.js', 'index.html']);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MOST_BYTES);
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const ofWidgets = parts.filter(([file]) => file.startsWith('src/console/widgets/'));
  expect(ofWidgets.length).toBeGreaterThan(10);
  expect(ofWidgets.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)).toBeLessThan(
    MOST_BYTES_OF_WIDGETS,
  );
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
    'data:,',
    '/_kyclone/console/app.css',
    '/_kyclone/console/app.js',
  ]);
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  expect(readFileSync(join(folder, 'app.css'), 'utf8')).not.toMatch(/@import|url\((?!['"]?data:)/);
});
