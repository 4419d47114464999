/**
 * Builds `kyclone/testing`: the daemon and the client as one CommonJS file (`dist/testing-bundle.cjs`), what `require`
 * finds (`dist/testing.cjs`), a thin module over it for `import`, so that both share one instance of everything, and
 * declarations that stand on their own.
 */
import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { keepToAscii } from './ascii.ts';
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
    entryPoints: [{ in: 'src/testing/index.ts', out: 'testing-bundle' }],
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__bundleUrl' },
    banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
    // A test runner's sandbox may have no import() in CommonJS.
    supported: { 'dynamic-import': false },
  });
  keepToAscii(join(shared.outdir, 'testing-bundle.cjs'));
  const required = join(shared.outdir, 'testing.cjs');
  cpSync(join(root, 'src/devtools/testing-loader.cjs'), required);
  writeFileSync(join(shared.outdir, 'testing.js'), moduleOver(required));
  const declarations = testingDeclarations(root);
  writeFileSync(join(shared.outdir, 'testing.d.ts'), declarations);
  // What `require` gets is typed by a file of CommonJS's kind: the compiler would refuse the other one.
  writeFileSync(join(shared.outdir, 'testing.d.cts'), declarations);
  return metafile;
}

/** Runs the built loader by itself, whereupon it keeps in the cache what a test compiles. */
export async function writeTestingCodeCache(root: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'dist/testing.cjs')], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

/**
 * Names are written out, for `import { startKyclone }` is resolved before anything runs. Not `import testing from`: that
 * would search the text of the file for its exports, which takes longer than all the rest.
 */
function moduleOver(file: string): string {
  const names = Object.keys(createRequire(import.meta.url)(file) as object).sort();
  return [
    `import { createRequire } from 'node:module';`,
    `export const { ${names.join(', ')} } = createRequire(import.meta.url)('./testing.cjs');\n`,
  ].join('\n');
}
