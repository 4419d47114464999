/**
 * Bundles the daemon into one CommonJS file and keeps its compiled code beside it. A start spends most of its time on
 * finding, reading and compiling files: one file is found once, CommonJS takes Node's own modules without building a
 * namespace for each, and V8 takes the functions that a start runs from the cache (`bin/kycloned.js` says how).
 *
 * Identifiers are not minified, so that the frames in the log name functions.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { keepToAscii } from './ascii.ts';

/**
 * The bundle is the function that a loader of modules makes of a file (`bin/load-bundle.js` takes either): were it made
 * at a start, the process would hold the text twice, 3 MiB more for as long as it is idle.
 */
const FUNCTION_HEAD = '(function (exports, require, module, __filename, __dirname) {';

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
    banner: { js: `${FUNCTION_HEAD} const __bundleUrl=require('node:url').pathToFileURL(__filename).href;` },
    footer: { js: '})' },
  });
  const file = join(shared.outdir, 'daemon.cjs');
  writeFileSync(file, loadedWhenUsed(readFileSync(file, 'utf8')));
  keepToAscii(file);
  return metafile;
}

/** Modules of Node that a start has no use for, as the bundle takes them: each costs it 0.6 ms and 256 KiB. */
const SELDOM_USED = /\b(import_node_(?:readline|tls)\d*)=(?:__toESM\()?(require\("node:[a-z_]+"\))(?:,1\))?/g;

/** The bundle, which requires a seldom used module of Node where it is used. */
export function loadedWhenUsed(code: string): string {
  const modules = new Map([...code.matchAll(SELDOM_USED)].map(([, name = '', load = '']) => [name, load]));
  return code
    .replace(SELDOM_USED, '$1=void 0')
    .replace(/\bimport_node_\w+(?=\.)/g, (name) => modules.get(name) ?? name);
}

/** Starts the built daemon once, so that the cache holds what a start compiles. */
export async function writeCodeCache(root: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-build-'));
  try {
    await promisify(execFile)(
      process.execPath,
      [join(root, 'bin/kycloned.js'), '--ephemeral', '--port', '0'],
      {
        env: { ...process.env, NODE_OPTIONS: '', KYCLONE_HOME: home, KYCLONE_WRITE_CODE_CACHE: '1' },
      },
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
