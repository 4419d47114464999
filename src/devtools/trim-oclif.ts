/** Removes unneeded code from the CLI framework during bundling. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

// Removes unneeded code from the terminal UI's libraries during bundling. The build fails when a change finds nothing
// to replace: the library has changed, and each change needs a new review.

interface Change {
  readonly file: RegExp;
  readonly from: string;
  readonly to: string;
}

const CHANGES: readonly Change[] = [
  {
    // Checking for fetch loads all of it, a tenth of the start time. The data it would fetch is in the text.
    file: /yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
    from: 'return w||"function"!=typeof fetch?Promise',
    to: 'return true?Promise',
  },
];

export const trimInk: Plugin = {
  name: 'trim-ink',
  setup(bundle) {
    // The devtools load only when DEV is set, which never happens here.
    bundle.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'nothing' }));
    bundle.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'export default {};' }));
    const unmade = new Set(CHANGES);
    const filter = new RegExp([...new Set(CHANGES.map(({ file }) => file.source))].join('|'));
    bundle.onLoad({ filter }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const change of CHANGES.filter(({ file }) => file.test(path))) {
        if (contents.split(change.from).length !== 2) continue;
        contents = contents.replace(change.from, () => change.to);
        unmade.delete(change);
      }
      return { contents, loader: 'js' };
    });
    bundle.onEnd(() => ({
      errors: [...unmade].map(({ from }) => ({ text: `nothing to trim, or more than one place: ${from}` })),
    }));
  },
};

/**
 * Modules that oclif loads for plugins, TypeScript and spinners. This CLI has none of these, and they take more than
 * half of its start time. Without `debug` there is also no DEBUG variable that would print the command line,
 * including values.
 */
const OCLIF_STUBS: Readonly<Record<string, string>> = {
  typescript: 'module.exports = {};',
  tinyglobby: 'module.exports = {};',
  minimatch: 'module.exports = {};',
  lilconfig: 'module.exports = {};',
  // Loaded as soon as stderr is a terminal, though nothing ever spins.
  'cli-spinners': "module.exports = { dots2: { frames: [''] }, line: { frames: [''] } };",
  'wsl-utils': 'module.exports = { isWsl: false };',
  // Reads the home folder at load, and throws if there is none. It prints no stack here.
  'clean-stack': 'module.exports = (stack) => stack;',
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

const TOP_REQUIRE =
  /^(?:const|var) (\w+) = (require\("[^"]+"\)|__import(?:Default|Star)\(require\("[^"]+"\)\));$/gm;

/**
 * Changes an oclif module so that it loads other modules at first use. They all load each other eagerly, so a flag
 * parser would load the help, its templates and the plugin loader.
 */
export function requireWhenUsed(source: string): string {
  const loaded = new Map(
    [...source.matchAll(TOP_REQUIRE)].map(([, name = '', load = '']) => [name, `(${load})`]),
  );
  return source
    .replace(TOP_REQUIRE, '')
    .replace(/(?<![\w.$])(\w+)(?=\.)/g, (name) => loaded.get(name) ?? name);
}

/**
 * Modules that only help, unknown commands and oclif's own start use. A bundle without help throws if one of them is
 * used.
 */
const OCLIF_HELP =
  /@oclif[\\/]core[\\/]lib[\\/](?:config[\\/]index|errors[\\/]handle|help[\\/](?:index|util)|module-loader)\.js$|\bcli[\\/]guesses[\\/].*\.ts$/;
const ABSENT = "module.exports = new Proxy({}, { get() { throw new Error('This bundle has no help'); } });";

export function trimOclif({ hasHelp }: { readonly hasHelp: boolean }): Plugin {
  return {
    name: 'trim-oclif',
    setup(bundle) {
      bundle.onResolve(
        { filter: new RegExp(`^(?:${Object.keys(OCLIF_STUBS).join('|')})$`) },
        ({ path, importer }) =>
          importer.includes(join('@oclif', 'core')) ? { path, namespace: 'stub' } : undefined,
      );
      bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
        contents: OCLIF_STUBS[path] ?? '',
        loader: 'js',
      }));
      if (!hasHelp) bundle.onLoad({ filter: OCLIF_HELP }, () => ({ contents: ABSENT, loader: 'js' }));
      bundle.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/]util[\\/]os\.js$/ }, () => ({
        contents: OCLIF_OS,
        loader: 'js',
      }));
      bundle.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, ({ path }) => ({
        contents: requireWhenUsed(readFileSync(path, 'utf8')),
        loader: 'js',
      }));
    },
  };
}
