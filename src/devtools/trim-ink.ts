/**
 * Removes unneeded code from the terminal UI's libraries during bundling. The build fails when a change finds nothing
 * to replace: the library has changed, and each change needs a new review.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

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
