/**
 * Builds `kyclone/testing`: the daemon and the client as one CommonJS file (`dist/testing.cjs`), a thin module over it
 * for `import`, so that both share one instance of everything, and declarations that stand on their own.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { trimFastify } from './build-daemon.ts';
import { testingDeclarations } from './testing-declarations.ts';

export async function buildTesting(
  shared: BuildOptions & { outdir: string },
  root: string,
): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    metafile: true,
    splitting: false,
    format: 'cjs',
    charset: 'ascii',
    entryPoints: [{ in: 'src/testing/index.ts', out: 'testing' }],
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__bundleUrl' },
    banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
    // A test runner's sandbox may have no import() in CommonJS.
    supported: { 'dynamic-import': false },
    plugins: [trimFastify],
  });
  writeFileSync(join(shared.outdir, 'testing.js'), moduleOver(join(shared.outdir, 'testing.cjs')));
  const declarations = testingDeclarations(root);
  writeFileSync(join(shared.outdir, 'testing.d.ts'), declarations);
  // What `require` gets is typed by a file of CommonJS's kind: the compiler would refuse the other one.
  writeFileSync(join(shared.outdir, 'testing.d.cts'), declarations);
  return metafile;
}

/** Names are written out, for `import { startKyclone }` is resolved before anything runs. */
function moduleOver(bundle: string): string {
  const names = Object.keys(createRequire(import.meta.url)(bundle) as object).sort();
  return `import testing from './testing.cjs';\nexport const { ${names.join(', ')} } = testing;\n`;
}
