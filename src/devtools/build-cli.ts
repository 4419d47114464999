/**
 * Bundles the CLI into one CommonJS file (`dist/cli.cjs`) and keeps its compiled code beside it, as `build-daemon.ts` does
 * for the daemon: a command is over in a moment, so finding, reading and compiling its files is most of what it costs.
 * Apart from it stand what can't be in such a file, or would only make it longer: the terminal UI, whose layout engine
 * awaits as it is loaded, and the lists that made-up people come from.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Interfaces } from '@oclif/core';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { keepToAscii } from './ascii.ts';
import { trimInk } from './trim-ink.ts';
import { trimOclif } from './trim-oclif.ts';

/** The command that lives in a module of its own, `dist/cli/inspect.mjs`. */
const OWN_MODULE = 'inspect';
const LISTS = '@faker-js/faker/locale/en';

const listsApart: Plugin = {
  name: 'lists-apart',
  setup(bundle) {
    bundle.onResolve({ filter: new RegExp(`^${LISTS}$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './cli/made-up-lists.cjs', external: true } : undefined,
    );
  },
};

export async function buildCli(
  shared: BuildOptions & { readonly outdir: string },
  { root, manifest }: { readonly root: string; readonly manifest: Interfaces.Manifest },
): Promise<readonly Metafile[]> {
  // The library of the terminal UI draws faster without its checks, and never loads its devtools.
  const define = { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' };
  const { outdir, ...options } = shared;
  const commonJs = { ...options, metafile: true, splitting: false, format: 'cjs', define } as const;
  const one = await build({
    ...commonJs,
    charset: 'ascii',
    stdin: { contents: entry(manifest), resolveDir: root, sourcefile: 'cli.ts', loader: 'ts' },
    outfile: join(outdir, 'cli.cjs'),
    plugins: [listsApart, trimOclif],
    define: { ...define, 'import.meta.url': '__bundleUrl' },
    banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
    // A script that V8 takes from its cache has no import() in Node 20.
    supported: { 'dynamic-import': false },
  });
  keepToAscii(join(outdir, 'cli.cjs'));
  const lists = await build({
    ...commonJs,
    entryPoints: [LISTS],
    outfile: join(outdir, 'cli/made-up-lists.cjs'),
  });
  const inspect = await build({
    ...options,
    metafile: true,
    splitting: false,
    entryPoints: [`src/cli/commands/${OWN_MODULE}.ts`],
    outfile: join(outdir, `cli/${OWN_MODULE}.mjs`),
    plugins: [trimOclif, trimInk],
    define,
    // What is CommonJS in it asks for Node's modules.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  return [one.metafile, lists.metafile, inspect.metafile];
}

/**
 * `main` with every command at hand, none of which is evaluated before it is asked for. `importModule` is the `import()`
 * of the caller, for which a path is relative to the package's folder.
 */
function entry(manifest: Interfaces.Manifest): string {
  const ids = Object.keys(manifest.commands).sort();
  const loaders = ids.map((id) => {
    if (id === OWN_MODULE) return `${id}: () => importOwn(${JSON.stringify(`dist/cli/${id}.mjs`)})`;
    const file = `./src/cli/commands/${id.replaceAll(':', '/')}.ts`;
    return `${JSON.stringify(id)}: () => import(${JSON.stringify(file)})`;
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

/** Runs commands that many runs begin with, so that the cache holds what they compile. */
export async function writeCliCodeCache(root: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'src/devtools/write-cli-cache.cjs')], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}
