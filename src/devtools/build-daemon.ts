/**
 * Bundles the daemon into one CommonJS file and keeps its compiled code beside it. A start spends most of its time on
 * finding, reading and compiling files: one file is found once, CommonJS takes Node's own modules without building a
 * namespace for each, and V8 takes the functions that a start runs from the cache (`bin/kycloned.js` says how).
 *
 * Identifiers are not minified, so that the frames in the log name functions.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { keepToAscii } from './ascii.ts';

/**
 * Parts of fastify that this service doesn't use: its schema compilers and logger, HTTP/2, trusted proxies, plugins'
 * version checks, the injection of test requests, and the check of route patterns, of which there are none.
 */
const FASTIFY_STUBS: Readonly<Record<string, string>> = {
  'node:http2': 'module.exports = {};',
  '@fastify/ajv-compiler': 'module.exports = { StandaloneValidator: undefined };',
  '@fastify/fast-json-stringify-compiler': 'module.exports = { StandaloneSerializer: undefined };',
  'light-my-request': 'module.exports = {};',
  pino: 'module.exports = { symbols: {}, stdSerializers: {} };',
  semver: 'module.exports = { satisfies: () => true, gt: () => false };',
  '@fastify/proxy-addr': 'module.exports = {};',
  'safe-regex2': 'module.exports = () => true;',
};

const FASTIFY_FILE = /[\\/]node_modules[\\/](?:fastify|find-my-way)[\\/]/;

export const trimFastify: Plugin = {
  name: 'trim-fastify',
  setup(bundle) {
    bundle.onResolve({ filter: /.*/ }, ({ path, importer }) =>
      Object.hasOwn(FASTIFY_STUBS, path) && FASTIFY_FILE.test(importer)
        ? { path, namespace: 'stub' }
        : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
      contents: FASTIFY_STUBS[path] ?? '',
      loader: 'js',
    }));
  },
};

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
    plugins: [trimFastify],
  });
  keepToAscii(join(shared.outdir, 'daemon.cjs'));
  return metafile;
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
