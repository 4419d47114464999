/** The size of the page of a hosted flow, and the modules that the daemon loads at its start (contract §14). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { hostedPage } from '../../src/pages/scripted-pages.ts';
import { buildHosted } from '../../src/devtools/build-browser.ts';
import { KIB } from '../../src/kernel/numbers/units.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ROOT } from '../support/root.ts';
import { wayTo } from '../support/static-imports.ts';

test('page: with its script it is under 60 KiB compressed', async () => {
  using folder = tempDir();
  await buildHosted({ root: ROOT, outdir: folder.path });
  const script = readFileSync(join(folder.path, 'hosted.js'));
  expect(gzipSync(hostedPage('A page', [])).length + gzipSync(script).length).toBeLessThan(60 * KIB);
});

test('daemon: its start loads neither the page nor its style', () => {
  const entry = 'src/daemon/main.ts';
  expect(wayTo('src/pages/scripted-pages.ts', entry)).toBeUndefined();
  expect(wayTo('src/hosted/', entry)).toBeUndefined();
  // This shows that the search finds a module that the start does load.
  expect(wayTo('src/nouns/control/service/index.ts', entry)).toMatch(/^src\/daemon\/main\.ts > /);
});
