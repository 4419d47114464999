/**
 * Builds what is shipped: the daemon (`dist/daemon.cjs`), the CLI (`dist/cli`, one file for each command, shared code in
 * chunks), the module for browsers (`dist/form.js`) and oclif's manifest. Everything is bundled except the native modules, because a start of Node spends most
 * of its time finding and reading files: stock oclif needs 220 ms to load, the bundle 60.
 *
 * Identifiers are not minified: that would need `keepNames`, which costs a call for each function at load.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core';
import { buildDaemon, writeCodeCache } from './build-daemon.ts';
import { writeCapabilities } from './capabilities.ts';
import { buildForm } from './build-form.ts';
import { buildTesting, writeTestingCodeCache } from './build-testing.ts';
import { trimInk } from './trim-ink.ts';
import { build, type BuildOptions, type Metafile, type Plugin as EsbuildPlugin } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const staging = join(root, 'dist.new');

const shared = {
  absWorkingDir: root,
  outdir: staging,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.17',
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  external: ['better-sqlite3', '@napi-rs/keyring'],
} as const satisfies BuildOptions;

/**
 * What oclif loads for plugins, TypeScript and spinners, none of which this CLI has; together more than half of its
 * start. Without `debug` there is also no DEBUG variable that would print the command line, values included.
 */
const OCLIF_STUBS: Readonly<Record<string, string>> = {
  typescript: 'module.exports = {};',
  tinyglobby: 'module.exports = {};',
  minimatch: 'module.exports = {};',
  lilconfig: 'module.exports = {};',
  // Looked at as soon as stderr is a terminal, though nothing ever spins.
  'cli-spinners': "module.exports = { dots2: { frames: [''] }, line: { frames: [''] } };",
  'wsl-utils': 'module.exports = { isWsl: false };',
  // Asks for the home folder as it is loaded, and throws where there is none. No stack is printed by it here.
  'clean-stack': 'module.exports = (stack) => stack;',
  semver: 'module.exports = { satisfies: () => true };',
  debug:
    'const create = () => Object.assign(() => {}, { enabled: false, extend: create }); module.exports = Object.assign(create, { default: create, enable() {}, enabled: () => false });',
};

/** In place of its file of that name: a user without an entry in the system's list has no home and no shell. */
const OCLIF_OS = `
const { homedir } = require('node:os');
exports.getHomeDir = () => { try { return homedir(); } catch { return ''; } };
exports.getPlatform = async () => process.platform;
exports.getShell = async () => (process.env.SHELL ?? '').split('/').pop() || 'unknown';
`;

const trimOclif: EsbuildPlugin = {
  name: 'trim-oclif',
  setup(bundle) {
    bundle.onResolve(
      { filter: new RegExp(`^(?:${Object.keys(OCLIF_STUBS).join('|')})$`) },
      ({ path, importer }) =>
        importer.includes(join('@oclif', 'core')) ? { path, namespace: 'stub' } : undefined,
    );
    bundle.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/]util[\\/]os\.js$/ }, () => ({
      contents: OCLIF_OS,
      loader: 'js',
    }));
    bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
      contents: OCLIF_STUBS[path] ?? '',
      loader: 'js',
    }));
  },
};

/** The CLI's files get node's modules without a `require` of their own, which each of them would have to create. */
const builtinsWithoutRequire: EsbuildPlugin = {
  name: 'builtins-without-require',
  setup(bundle) {
    bundle.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

async function main(): Promise<void> {
  rmSync(staging, { recursive: true, force: true });
  const daemon = await buildDaemon(shared);
  const cli = await build({
    ...shared,
    entryPoints: [
      { in: 'src/cli/main.ts', out: 'cli/main' },
      ...commandFiles().map((file) => ({ in: `src/cli/${file}`, out: `cli/${file.replace(/\.ts$/, '')}` })),
    ],
    chunkNames: 'cli/chunks/[name]-[hash]',
    plugins: [trimOclif, trimInk, builtinsWithoutRequire],
    // The library of the terminal UI draws faster without its checks, and never loads its devtools.
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    external: [...shared.external, 'react-devtools-core'],
  });
  await buildForm({ root, outdir: staging });
  const testing = await buildTesting(shared, root);
  writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.txt'), licenses([daemon, cli.metafile, testing]));
  replace(join(root, 'dist'), staging);
  await writeCodeCache(root);
  await writeTestingCodeCache(root);
  await writeManifest();
  writeCapabilities(root);
}

function commandFiles(): string[] {
  return readdirSync(join(root, 'src/cli/commands'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'src/cli/').length))
    .sort();
}

/** A build that fails leaves the one before in place. */
function replace(folder: string, by: string): void {
  const old = `${folder}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(by, folder);
  rmSync(old, { recursive: true, force: true });
}

/** The commands as oclif sees them, so that no command has to be loaded to list, find or explain it. */
async function writeManifest(): Promise<void> {
  const plugin = new Plugin({
    root,
    type: 'core',
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  writeFileSync(join(root, 'oclif.manifest.json'), `${JSON.stringify(plugin.manifest, null, 2)}\n`);
}

/** The licence texts of every package that ended up in a bundle. */
function licenses(metafiles: readonly Metafile[]): string {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const folders = new Set(
    inputs.flatMap(([path, { bytesInOutput }]) => {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      ) as Record<string, unknown>;
      const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(?:[.-].*)?$/i.test(entry));
      const text =
        file === undefined
          ? '(the package carries no licence text)'
          : readFileSync(join(root, folder, file), 'utf8').trim();
      return `${String(name)} ${String(version)} (${JSON.stringify(license ?? 'see text')})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

await main();
