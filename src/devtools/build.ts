/**
 * Builds everything that the package contains: the daemon (`dist/daemon.cjs`), the CLI (`dist/cli.cjs`), the module
 * for tests, those for browsers (`dist/form.js`, `dist/onboarding.js`), the script of hosted pages and oclif's
 * manifest. It bundles everything except the native modules, because a start of Node spends most of its time finding
 * and reading files.
 *
 * Identifiers are not minified: that would need `keepNames`, which costs a call for each function at load.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Plugin, type Interfaces } from '@oclif/core';
import {
  ENVIRONMENT_VARIABLES,
  outputsOf,
  ownSchema,
  type Capabilities,
} from '../cli/capabilities/document.ts';
import { PRINTS_LINES } from '../cli/capabilities/outputs.ts';
import { DRY_RUN_FLAGS, mayRunDry } from '../cli/shell/dry-run-commands.ts';
import { EXIT_CODES, SIGNAL_EXIT_BASE } from '../cli/shell/exit-codes.ts';
import { plain } from '../contract/json-schema.ts';
import { endpoints, splitKey } from '../contract/registry.ts';
import { currentSchema } from '../storage/current-schema.ts';
import { keepToAscii } from './ascii.ts';
import { buildCli } from './build-cli.ts';
import { buildConsole, buildForm, buildHosted } from './build-browser.ts';
import type { CommandManifest } from './command-surface.ts';
import { buildTesting } from './build-testing.ts';
import { buildTransliteration, lazyTransliteration } from './build-transliteration.ts';
import { build, COMMON_JS } from './strict-build.ts';
import type { BuildOptions, Metafile, Plugin as BundlePlugin } from 'esbuild';

// Bundles the daemon into one CommonJS file. A start spends most of its time on finding, reading and compiling files:
// one file is found once, and CommonJS loads Node's modules without a namespace object for each.
//
// Identifiers are not minified, so that stack frames in the log name functions.

async function buildDaemon(shared: BuildOptions & { outdir: string }): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    ...COMMON_JS,
    entryPoints: [{ in: 'src/daemon/main.ts', out: 'daemon' }],
    outExtension: { '.js': '.cjs' },
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

const root = join(import.meta.dirname, '..', '..');
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
  external: ['@photostructure/sqlite', '@napi-rs/keyring'],
  plugins: [buildConstants(), lazyTransliteration()],
} as const satisfies BuildOptions;

// Generates `dist/capabilities.json`, which `kyclone capabilities` prints: the commands of the manifest with the
// schemas of their output. The build takes the schemas from the contract, so that the CLI loads no schema library.

function writeCapabilities(root: string): void {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const { commands } = read('oclif.manifest.json') as CommandManifest;
  const { name, version } = read('package.json') as { name: string; version: string };
  const document = capabilities({ name, version, commands: Object.values(commands) });
  writeFileSync(join(root, 'dist', 'capabilities.json'), `${JSON.stringify(document)}\n`);
}

/** Throws for an unknown endpoint. A command without a declared output prints free text. */
function capabilities(source: {
  name: string;
  version: string;
  commands: readonly CommandManifest['commands'][string][];
}): Capabilities {
  const schemas = new Map<string, object>();
  const reference = (output: string) => {
    const name = schemaName(output);
    schemas.set(name, schemaOf(output));
    return { $ref: `#/output_schemas/${name}` };
  };
  const commands = source.commands
    .filter(({ hidden }) => hidden !== true)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((command) => {
      const outputs = outputsOf(command);
      const [first = 'any'] = outputs;
      return {
        id: command.id.replaceAll(':', ' '),
        summary: command.summary ?? '',
        description: command.description ?? null,
        args: Object.entries(command.args ?? {}).map(([name, arg]) => ({
          name,
          summary: arg.description ?? '',
          required: arg.required === true,
          multiple: arg.multiple === true,
          options: arg.options ?? null,
          default: arg.default ?? null,
        })),
        takes_more_args: command.strict === false,
        flags: Object.entries(command.flags ?? {})
          .filter(([, { hidden }]) => hidden !== true)
          .filter(([name]) => mayRunDry(command.id) || !DRY_RUN_FLAGS.has(name))
          .map(([name, flag]) => ({
            name,
            char: flag.char ?? null,
            type: flag.type,
            summary: flag.summary ?? flag.description ?? '',
            value: flag.helpValue ?? null,
            options: flag.options ?? null,
            env: flag.env ?? null,
            default: flag.default ?? null,
            required: flag.required === true,
            multiple: flag.multiple === true,
          })),
        examples: (command.examples ?? []).map((text) => text.replaceAll('<%= config.bin %>', 'kyclone')),
        destructive: command.flags !== undefined && 'yes' in command.flags,
        dry_run: mayRunDry(command.id),
        output: {
          format: PRINTS_LINES.includes(command.id) ? ('ndjson' as const) : ('json' as const),
          schema: outputs.length <= 1 ? reference(first) : { anyOf: outputs.map(reference) },
        },
      };
    });
  return {
    name: source.name,
    version: source.version,
    commands,
    exit_codes: [
      ...Object.values(EXIT_CODES).map(([code, meaning]) => ({ code, meaning })),
      { code: SIGNAL_EXIT_BASE, meaning: 'plus the number of the signal that ended the command' },
    ],
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    output_schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    api: {
      openapi: '/_kyclone/openapi.json',
      docs: '/_kyclone/docs',
      endpoints: endpoints.map(({ key, summary, stability }) => ({ ...splitKey(key), summary, stability })),
    },
  };
}

function schemaOf(output: string): object {
  const own = ownSchema(output);
  if (own !== undefined) return own;
  const endpoint = endpoints.find(({ key }) => key === output);
  if (endpoint === undefined) throw new Error(`no endpoint ${output}`);
  return plain(endpoint.response);
}

/** Turns `GET /users/{fp_id}` into `get_users_fp_id`, which needs no escaping in a reference. */
function schemaName(output: string): string {
  return output
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

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
