/** The size of the widgets, without React and the list of virtual rows. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { KIB } from '../../../src/kernel/units.ts';
import { ROOT } from '../../support/root.ts';
import { PAGE_BUILD } from './page-build.ts';

const WIDGETS = ['table', 'json-tree', 'timeline', 'plot', 'request-builder'];

test('widgets: together with their styles they are under 25 KiB compressed, and need nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    ...PAGE_BUILD,
    metafile: true,
    stdin: {
      contents: WIDGETS.map((name) => `export * from './${name}.tsx';`).join('\n'),
      resolveDir: join(ROOT, 'src/console/widgets'),
    },
    outfile: 'widgets.js',
    write: false,
    minify: true,
    external: ['react', 'react/jsx-runtime', 'react-dom', '@tanstack/react-virtual'],
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.filter((path) => path.startsWith('node:'))).toEqual([]);
  const sizes = outputFiles.map(({ contents }) => gzipSync(contents).length);
  expect(sizes).toHaveLength(2);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(25 * KIB);
});
