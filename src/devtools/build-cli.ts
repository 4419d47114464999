/**
 * Bundles the CLI into CommonJS files, as `build-daemon.ts` does the daemon. A command takes little time, most of it
 * spent on finding, reading and compiling files. V8 reads a file whole, so there are two bundles: `dist/cli.cjs` has
 * every command, and `dist/cli-frequent.cjs` only the frequent ones.
 *
 * Some parts have files of their own: the terminal UI, whose layout engine uses top-level await, and libraries that
 * few commands use (`APART`).
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Interfaces } from '@oclif/core';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { keepToAscii } from './ascii.ts';
import { namedCommand } from './command-files.ts';
import { lazyTransliteration } from './build-transliteration.ts';
import { build, COMMON_JS } from './strict-build.ts';

/** The command with a module of its own, `dist/cli/inspect.mjs`. */
const OWN_MODULE = 'inspect';

/** Its CommonJS code requires Node's modules. */
export const INSPECT_BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Libraries with files of their own: file name in `dist/cli` to the specifiers that it replaces. */
const APART: Readonly<Record<string, readonly string[]>> = {
  'http-client': ['got'],
  assistants: [
    '@modelcontextprotocol/sdk/server/index.js',
    '@modelcontextprotocol/sdk/server/stdio.js',
    '@modelcontextprotocol/sdk/types.js',
  ],
  'made-up-lists': ['@faker-js/faker/locale/en'],
  schemas: ['@sinclair/typebox', '@sinclair/typebox/compiler'],
  yaml: ['yaml'],
};

const librariesApart: Plugin = {
  name: 'libraries-apart',
  setup(bundle) {
    for (const [file, specifiers] of Object.entries(APART)) {
      const path = `./cli/${file}.cjs`;
      const filter = new RegExp(`^(?:${specifiers.join('|')})$`);
      bundle.onResolve({ filter }, ({ importer }) =>
        importer.includes('node_modules') ? undefined : { path, external: true },
      );
    }
  },
};

/** The ids of the commands that `bin/kyclone.js` runs from the smaller bundle. */
function frequentCommands(root: string): string[] {
  const list = createRequire(join(root, 'package.json'))(
    join(root, 'bin/frequent-commands.js'),
  ) as Set<string>;
  return [...list].map((words) => words.replaceAll(' ', ':'));
}

export async function buildCli(
  shared: BuildOptions & { readonly outdir: string },
  { root, manifest }: { readonly root: string; readonly manifest: Interfaces.Manifest },
): Promise<readonly Metafile[]> {
  // Without its checks, the terminal UI library draws faster and never loads its devtools.
  const define = { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' };
  const { outdir, ...options } = shared;
  const commonJs = { ...options, ...COMMON_JS, define: { ...COMMON_JS.define, ...define } } as const;
  const bundleOf = async (name: string, ids: readonly string[], { hasHelp }: { hasHelp: boolean }) => {
    const outfile = join(outdir, name);
    const { metafile } = await build({
      ...commonJs,
      stdin: { contents: entry(manifest, ids), resolveDir: root, sourcefile: 'cli.ts', loader: 'ts' },
      outfile,
      plugins: [librariesApart, lazyTransliteration(), withStubs({ hasHelp })],
      // What is apart is loaded with require(), which is faster.
      supported: { 'dynamic-import': false },
    });
    keepToAscii(outfile);
    return metafile;
  };
  const all = await bundleOf('cli.cjs', Object.keys(manifest.commands).sort(), { hasHelp: true });
  const frequent = await bundleOf('cli-frequent.cjs', frequentCommands(root), { hasHelp: false });
  const apart = await Promise.all(
    Object.entries(APART).map(([file, specifiers]) =>
      build({
        ...commonJs,
        banner: {},
        stdin: {
          contents: specifiers.map((each) => `export * from ${JSON.stringify(each)};`).join('\n'),
          resolveDir: root,
        },
        outfile: join(outdir, `cli/${file}.cjs`),
      }),
    ),
  );
  const inspect = await build({
    ...options,
    metafile: true,
    splitting: false,
    entryPoints: [`src/cli/commands/${OWN_MODULE}.ts`],
    outfile: join(outdir, `cli/${OWN_MODULE}.mjs`),
    plugins: [withStubs({ hasHelp: true })],
    // A check for Node's fetch would load all of it, a tenth of the start time. The layout's code is in the bundle.
    define: { ...define, fetch: 'undefined' },
    banner: { js: INSPECT_BANNER },
  });
  return [all, frequent, ...apart.map(({ metafile }) => metafile), inspect.metafile];
}

/**
 * Exports `main` with loaders for some commands; each command is evaluated on demand. `importModule` is the caller's
 * `import()`, which resolves paths against the package's folder.
 */
function entry(manifest: Interfaces.Manifest, ids: readonly string[]): string {
  const loaders = ids.map((id) => {
    const own = `importOwn(${JSON.stringify(`dist/cli/${id}.mjs`)})`;
    const file = manifest.commands[id]?.relativePath?.join('/') ?? '';
    const module = id === OWN_MODULE ? own : `import(${JSON.stringify(`./${file}`)})`;
    const place = namedCommand(file) === id ? 'default' : `default[${JSON.stringify(id)}]`;
    return `${JSON.stringify(id)}: async () => (await ${module}).${place}`;
  });
  const names = ids.flatMap((id) =>
    [id, ...(manifest.commands[id]?.aliases ?? [])].map((name) => [name, id]),
  );
  return [
    "import { main as run } from './src/cli/main.ts';",
    "export { reportCrash } from './src/cli/main.ts';",
    'let importOwn;',
    `const loaders = { ${loaders.join(', ')} };`,
    `const names = new Map(${JSON.stringify(names)});`,
    'export function main(argv, root, importModule) {',
    '  importOwn = importModule;',
    '  return run(argv, root, { names, load: (id) => loaders[id]() });',
    '}',
  ].join('\n');
}

// Stubs in place of what the libraries of the CLI and the inspector load and never use here. Without those for the CLI a
// command takes more than twice the processor time, and its bundle has four times the bytes.

/**
 * Modules for plugins, TypeScript, spinners and the devtools of React. This CLI has none of these. Without `debug`
 * there is also no DEBUG variable that would print the command line, including values.
 */
const STUBS: Readonly<Record<string, string>> = {
  typescript: 'module.exports = {};',
  tinyglobby: 'module.exports = {};',
  minimatch: 'module.exports = {};',
  lilconfig: 'module.exports = {};',
  // Loaded as soon as stderr is a terminal, though nothing ever spins.
  'cli-spinners': "module.exports = { dots2: { frames: [''] }, line: { frames: [''] } };",
  'wsl-utils': 'module.exports = { isWsl: false };',
  // Reads the home folder at load, and throws if there is none. It prints no stack here.
  'clean-stack': 'module.exports = (stack) => stack;',
  'react-devtools-core': 'module.exports = {};',
  semver: 'module.exports = { satisfies: () => true };',
  debug:
    'const create = () => Object.assign(() => {}, { enabled: false, extend: create }); module.exports = Object.assign(create, { default: create, enable() {}, enabled: () => false });',
};

/** Replaces oclif's `os` file: a user without an entry in the system's user list has no home and no shell. */
const OCLIF_OS = `
const { homedir } = require('node:os');
exports.getHomeDir = () => { try { return homedir(); } catch { return ''; } };
exports.getPlatform = async () => process.platform;
exports.getShell = async () => (process.env.SHELL ?? '').split('/').pop() || 'unknown';
`;

/** For oclif's file of file functions, which reads the manifest: in the single executable it is no file. */
const OCLIF_FILES = `
const { readOwnFile } = require(${JSON.stringify(join(import.meta.dirname, '..', 'kernel', 'program', 'single-file.ts'))});
module.exports = { ...require('node:fs/promises'), readFile: async (path) => readOwnFile(path) };
`;

/**
 * Modules that only help, unknown commands and oclif's own start use. A bundle without help throws if one of them is
 * used.
 */
const OCLIF_HELP =
  /@oclif[\\/]core[\\/]lib[\\/](?:config[\\/]index|errors[\\/]handle|help[\\/](?:index|util)|module-loader)\.js$/;
const GUESSES = /\bcli[\\/]guesses[\\/].*\.ts$/;
const NO_HELP = "throw new Error('This bundle has no help');";
const ABSENT = `module.exports = new Proxy({}, { get() { ${NO_HELP} } });`;

function withStubs({ hasHelp }: { readonly hasHelp: boolean }): Plugin {
  return {
    name: 'stubs',
    setup(bundle) {
      bundle.onResolve(
        { filter: new RegExp(`^(?:${Object.keys(STUBS).join('|')})$`) },
        ({ path, importer }) =>
          /node_modules[\\/](?:@oclif[\\/]core|ink)[\\/]/.test(importer)
            ? { path, namespace: 'stub' }
            : undefined,
      );
      bundle.onResolve({ filter: /^node:fs\/promises$/ }, ({ path, importer }) =>
        /@oclif[\\/]core[\\/]lib[\\/]util[\\/]fs\.js$/.test(importer)
          ? { path, namespace: 'stub' }
          : undefined,
      );
      bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
        contents: STUBS[path] ?? OCLIF_FILES,
        loader: 'js',
        resolveDir: import.meta.dirname,
      }));
      if (!hasHelp) {
        bundle.onLoad({ filter: OCLIF_HELP }, () => ({ contents: ABSENT, loader: 'js' }));
        bundle.onLoad({ filter: GUESSES }, () => ({ contents: NO_HELP, loader: 'js' }));
      }
      bundle.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/]util[\\/]os\.js$/ }, () => ({
        contents: OCLIF_OS,
        loader: 'js',
      }));
    },
  };
}
