/** The files of the package that the single executable holds, under the paths that they have in the package. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { INSPECT_BANNER } from '../build-cli.ts';

/** What projects import with npm. The programs read the rest of `dist/`. */
const UNUSED =
  /(?:\.d\.c?ts|^dist\/(?:testing\.c?js|onboarding\.js|bank-link\.js|browser(?:-[a-z-]+)?\.(?:js|css)))$/;
/** The keychain's native library for this platform. npm installs it beside the package that loads it elsewhere. */
const LIBRARY = `linux-${process.arch}-gnu`;
/** Packages with a file of their own in the executable. */
export const SHIPPED_AS_THEY_ARE = [`@napi-rs/keyring-${LIBRARY}`] as const;
const INSPECT = 'dist/cli/inspect.mjs';
const PROGRAMS = 'bin/run-cli.js';

/** Copies the files from the package at `root`, which is built, into `folder`. Returns their paths. */
export function stageFiles(root: string, folder: string): string[] {
  const paths = [
    'package.json',
    'LICENSE',
    'oclif.manifest.json',
    ...['dist', 'bin', 'completions'].flatMap((name) => filesOf(root, name)),
  ].filter((path) => !UNUSED.test(path));
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  // The code caches are inside.
  writeFileSync(join(folder, 'bin/compile-cache.js'), '');
  rewrite(join(folder, INSPECT), asCommonJs);
  rewrite(join(folder, PROGRAMS), asCommonJs);
  const library = join(root, 'node_modules', SHIPPED_AS_THEY_ARE[0], `keyring.${LIBRARY}.node`);
  mkdirSync(join(folder, 'native'));
  copyFileSync(library, join(folder, 'native/keychain.node'));
  return [...paths, 'native/keychain.node'].sort();
}

function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function rewrite(path: string, change: (source: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** `import()` would look for files. */
function asCommonJs(source: string): string {
  const { code } = transformSync(source.replace(INSPECT_BANNER, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__bundleUrl' },
    banner: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;",
  });
  return code;
}
