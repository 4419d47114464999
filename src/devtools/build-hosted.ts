/** Bundles the script of the pages of hosted flows (contract §14) for browsers: one file, without a dependency. */
import { build } from 'esbuild';

export async function buildHosted({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  await build({
    absWorkingDir: root,
    outdir,
    entryPoints: [{ in: 'src/hosted/index.ts', out: 'hosted' }],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2020',
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
}
