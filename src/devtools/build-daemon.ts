/**
 * Bundles the daemon into one CommonJS file. A start spends most of its time on finding, reading and compiling files:
 * one file is found once, and CommonJS loads Node's modules without a namespace object for each.
 *
 * Identifiers are not minified, so that stack frames in the log name functions.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { keepToAscii } from './ascii.ts';

export async function buildDaemon(shared: BuildOptions & { outdir: string }): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    metafile: true,
    splitting: false,
    format: 'cjs',
    charset: 'ascii',
    entryPoints: [{ in: 'src/daemon/main.ts', out: 'daemon' }],
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.url': '__bundleUrl' },
    banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
  });
  const file = join(shared.outdir, 'daemon.cjs');
  writeFileSync(file, loadedWhenUsed(readFileSync(file, 'utf8')));
  keepToAscii(file);
  return metafile;
}

/** Node modules that a start doesn't need, as the bundle loads them. Each costs a start 0.6 ms and 256 KiB. */
const SELDOM_USED = /\b(import_node_(?:readline|tls)\d*)=(?:__toESM\()?(require\("node:[a-z_]+"\))(?:,1\))?/g;

/** Rewrites the bundle so that it requires these modules at first use. */
export function loadedWhenUsed(code: string): string {
  const modules = new Map([...code.matchAll(SELDOM_USED)].map(([, name = '', load = '']) => [name, load]));
  return code
    .replace(SELDOM_USED, '$1=void 0')
    .replace(/\bimport_node_\w+(?=\.)/g, (name) => modules.get(name) ?? name);
}
