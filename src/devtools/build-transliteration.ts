/**
 * The tables of `to_ascii` in a file of their own, `dist/any-ascii.cjs`, which the bundles share and load at the first
 * use: they are half a megabyte that a start would read and compile.
 */
import { join } from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { keepToAscii } from './ascii.ts';
import { build, COMMON_JS } from './strict-build.ts';

const PACKAGE = 'any-ascii';
const FILE = `./${PACKAGE}.cjs`;
const LOADED_WHEN_USED = `let load; export default (text) => (load ??= require('${FILE}').default)(text);`;

/** What a bundle has in place of the package. */
export function lazyTransliteration(): Plugin {
  return {
    name: 'transliteration',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${PACKAGE}$`) }, () => ({ path: PACKAGE, namespace: PACKAGE }));
      build.onResolve({ filter: /./, namespace: PACKAGE }, () => ({ path: FILE, external: true }));
      build.onLoad({ filter: /./, namespace: PACKAGE }, () => ({ contents: LOADED_WHEN_USED }));
    },
  };
}

export async function buildTransliteration(shared: BuildOptions & { outdir: string }): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    plugins: [],
    ...COMMON_JS,
    banner: {},
    entryPoints: [{ in: PACKAGE, out: PACKAGE }],
    outExtension: { '.js': '.cjs' },
  });
  keepToAscii(join(shared.outdir, `${PACKAGE}.cjs`));
  return metafile;
}
