/**
 * Builds `kyclone/testing`: the daemon and the client as one CommonJS file for `require`
 * (`dist/testing.cjs`), a thin module over it for `import`, so that both share one instance of everything,
 * and self-contained declarations.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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
    entryPoints: [{ in: 'src/testing/index.ts', out: 'testing' }],
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__bundleUrl' },
    banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
    // A test runner's sandbox may have no import() in CommonJS.
    supported: { 'dynamic-import': false },
  });
  const required = join(shared.outdir, 'testing.cjs');
  keepToAscii(required);
  writeFileSync(join(shared.outdir, 'testing.js'), moduleOver(required));
  const declarations = testingDeclarations(root);
  writeFileSync(join(shared.outdir, 'testing.d.ts'), declarations);
  // `require` needs declarations in a .d.cts file: the compiler would refuse the ESM ones.
  writeFileSync(join(shared.outdir, 'testing.d.cts'), declarations);
  return metafile;
}

/**
 * Lists the export names, because `import { startKyclone }` is resolved before any code runs. It avoids `import
 * testing from`, for which Node would search the text of the file for its exports; that takes longer than all the
 * rest.
 */
function moduleOver(file: string): string {
  const names = Object.keys(createRequire(import.meta.url)(file) as object).sort();
  return [
    `import { createRequire } from 'node:module';`,
    `export const { ${names.join(', ')} } = createRequire(import.meta.url)('./testing.cjs');\n`,
  ].join('\n');
}
