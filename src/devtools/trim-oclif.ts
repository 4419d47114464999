/** What the CLI's framework does without, taken out of it as it is bundled. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

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

const TOP_REQUIRE =
  /^(?:const|var) (\w+) = (require\("[^"]+"\)|__import(?:Default|Star)\(require\("[^"]+"\)\));$/gm;

/**
 * A module of oclif that loads another when it first uses it. They all load each other as they are loaded, so that a
 * parser of flags would bring the help, the templates of the help and the loader of plugins.
 */
export function requireWhenUsed(source: string): string {
  const loaded = new Map(
    [...source.matchAll(TOP_REQUIRE)].map(([, name = '', load = '']) => [name, `(${load})`]),
  );
  return source
    .replace(TOP_REQUIRE, '')
    .replace(/(?<![\w.$])(\w+)(?=\.)/g, (name) => loaded.get(name) ?? name);
}

/** What only help and oclif's own start use. A bundle without help fails where one of them is used after all. */
const OCLIF_HELP =
  /@oclif[\\/]core[\\/]lib[\\/](?:config[\\/]index|errors[\\/]handle|help[\\/](?:index|util)|module-loader)\.js$/;
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
