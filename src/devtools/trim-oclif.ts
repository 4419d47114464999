/** What the CLI's framework does without, taken out of it as it is bundled. */
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

export const trimOclif: Plugin = {
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
