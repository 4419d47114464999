import type { BuildOptions, Plugin } from 'esbuild';
import { ROOT } from '../../support/root.ts';

/** Node's own modules may be named by code that is left out of a bundle, as in the bundle of the console. */
const WITHOUT_NODE: Plugin = {
  name: 'without-node',
  setup(building) {
    building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

export const PAGE_BUILD = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [WITHOUT_NODE],
} as const satisfies BuildOptions;
