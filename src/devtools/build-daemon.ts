/**
 * Bundles the daemon into one CommonJS file and stores its compiled code beside it. A start spends most of its time
 * on finding, reading and compiling files. One file is found once, CommonJS loads Node's modules without a namespace
 * object for each, and V8 takes the functions that a start runs from the cache (see `bin/kycloned.js`).
 *
 * Identifiers are not minified, so that stack frames in the log name functions.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { keepToAscii } from './ascii.ts';

/**
 * The bundle already contains the function wrapper that a module loader would add (`bin/load-bundle.js` accepts
 * either form). Adding it at the start would keep the text in memory twice: 3 MiB more in an idle process.
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

/** Node modules that a start doesn't need, as the bundle loads them. Each costs a start 0.6 ms and 256 KiB. */
const SELDOM_USED = /\b(import_node_(?:readline|tls)\d*)=(?:__toESM\()?(require\("node:[a-z_]+"\))(?:,1\))?/g;

/** Rewrites the bundle so that it requires these modules at first use. */
export function loadedWhenUsed(code: string): string {
  const modules = new Map([...code.matchAll(SELDOM_USED)].map(([, name = '', load = '']) => [name, load]));
  return code
    .replace(SELDOM_USED, '$1=void 0')
    .replace(/\bimport_node_\w+(?=\.)/g, (name) => modules.get(name) ?? name);
}

/** Starts the built daemon once, so that the cache holds the code that a start compiles. */
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
