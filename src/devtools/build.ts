/**
 * Builds everything that the package contains: the daemon (`dist/daemon.cjs`), the CLI (`dist/cli.cjs`), the module
 * for tests, those for browsers (`dist/form.js`, `dist/onboarding.js`), the script of hosted pages and oclif's
 * manifest. It bundles everything except the native modules, because a start of Node spends most of its time finding
 * and reading files.
 *
 * Identifiers are not minified: that would need `keepNames`, which costs a call for each function at load.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Plugin, type Interfaces } from '@oclif/core';
import { currentSchema } from '../storage/current-schema.ts';
import { keepToAscii } from './ascii.ts';
import { buildCli } from './build-cli.ts';
import { buildConsole, buildForm, buildHosted } from './build-browser.ts';
import { writeCapabilities } from './capabilities.ts';
import { buildTesting } from './build-testing.ts';
import { buildTransliteration, lazyTransliteration } from './build-transliteration.ts';
import { type BuildOptions, type Metafile, build, type Plugin as BundlePlugin } from 'esbuild';

// Bundles the daemon into one CommonJS file. A start spends most of its time on finding, reading and compiling files:
// one file is found once, and CommonJS loads Node's modules without a namespace object for each.
//
// Identifiers are not minified, so that stack frames in the log name functions.

async function buildDaemon(shared: BuildOptions & { outdir: string }): Promise<Metafile> {
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
function loadedWhenUsed(code: string): string {
  const modules = new Map([...code.matchAll(SELDOM_USED)].map(([, name = '', load = '']) => [name, load]));
  return code
    .replace(SELDOM_USED, '$1=void 0')
    .replace(/\bimport_node_\w+(?=\.)/g, (name) => modules.get(name) ?? name);
}

// What a bundle has in place of a source file that works something out when it runs: the schema after all migrations,
// so that a start runs none of them, and the styles and scripts of the pages, which are files of their own.

function buildConstants(): BundlePlugin {
  const contents: Readonly<Record<string, string>> = {
    'storage/current-schema.ts': `const schema = ${JSON.stringify(currentSchema())};\nexport const currentSchema = () => schema;`,
    'pages/page-file.ts': `const files = ${JSON.stringify(pageFiles())};\nexport const pageFile = (name) => files[name];`,
  };
  return {
    name: 'constants',
    setup(build) {
      for (const [file, text] of Object.entries(contents)) {
        const filter = new RegExp(`[\\\\/]src[\\\\/]${file.replace('/', '[\\\\/]')}$`);
        build.onLoad({ filter }, () => ({ contents: text }));
      }
    },
  };
}

function pageFiles(): Record<string, string> {
  const folder = join(import.meta.dirname, '..', 'pages');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:css|js)$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

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
  external: ['@photostructure/sqlite', '@napi-rs/keyring'],
  plugins: [buildConstants(), lazyTransliteration()],
} as const satisfies BuildOptions;

async function main(): Promise<void> {
  rmSync(staging, { recursive: true, force: true });
  const daemon = await buildDaemon(shared);
  const cli = await buildCli(shared, { root, manifest: await writeManifest() });
  await buildForm({ root, outdir: staging });
  await buildHosted({ root, outdir: staging });
  const page = await buildConsole({ root, outdir: staging });
  const testing = await buildTesting(shared, root);
  const transliteration = await buildTransliteration(shared);
  writeFileSync(
    join(staging, 'THIRD-PARTY-LICENSES.txt'),
    licenses([daemon, ...cli, page, testing, transliteration]),
  );
  replace(join(root, 'dist'), staging);
  writeCapabilities(root);
}

/** A failed build leaves the previous one in place. */
function replace(folder: string, by: string): void {
  const old = `${folder}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(by, folder);
  rmSync(old, { recursive: true, force: true });
}

/** The manifest of oclif. It lets oclif list, find and explain commands without loading them. */
async function writeManifest(): Promise<Interfaces.Manifest> {
  const plugin = new Plugin({
    root,
    type: 'core',
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  // The manifest already contains the defaults as text, so help needs no command file. The bundles have no such
  // files.
  for (const command of Object.values(plugin.manifest.commands)) command.hasDynamicHelp = false;
  writeFileSync(join(root, 'oclif.manifest.json'), `${JSON.stringify(plugin.manifest, null, 2)}\n`);
  return plugin.manifest;
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
