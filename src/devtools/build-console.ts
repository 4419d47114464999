/**
 * Bundles the console (contract §11.1) into `dist/console/`: one page, one script, one style. The script contains the
 * inspector's screens, actions and state; what of them needs Node is replaced by what a browser has.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** Modules of Node's side, and what stands for them in a page. */
const OF_BROWSER: Readonly<Record<string, string>> = {
  'src/kernel/real-time.ts': 'src/console/platform/real-time.ts',
  'src/tui/data/private-file.ts': 'src/console/platform/saved-file.ts',
  'src/client/whole-file.ts': 'src/console/platform/saved-file.ts',
};

/** Node's own modules may be named by code that is left out. Code that stays and needs one fails the build. */
function ofBrowser(root: string): Plugin {
  return {
    name: 'of-browser',
    setup(building) {
      building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
      building.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        const other = OF_BROWSER[file.slice(root.length + 1).replaceAll('\\', '/')];
        return other === undefined ? undefined : { path: join(root, other) };
      });
    },
  };
}

export async function buildConsole({ root, outdir }: { root: string; outdir: string }): Promise<Metafile> {
  const folder = join(outdir, 'console');
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    outdir: folder,
    entryPoints: [{ in: 'src/console/main.tsx', out: 'app' }],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [ofBrowser(root)],
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (left.length > 0) throw new Error(`The console needs what a browser lacks: ${left.join(', ')}`);
  copyFileSync(join(root, 'src/console/index.html'), join(folder, 'index.html'));
  return metafile;
}
