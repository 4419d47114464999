/** Bundles what runs in browsers: `kyclone/form`, hosted flows with the browser SDK, and the console. */
import { readFileSync, writeFileSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { minifySync } from 'rolldown/utils';
import ts from 'typescript';
import { build } from './strict-build.ts';

const BUNDLE = {
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2020',
  charset: 'utf8',
  legalComments: 'none',
} as const satisfies BuildOptions;
/** Names are kept, because the apps that ship a module may want to read it. */
const MODULE = { ...BUNDLE, minifySyntax: true, minifyWhitespace: true } as const;

/** One file, and its types in another. */
export async function buildForm({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  const entryPoints = [{ in: 'src/form/index.ts', out: 'form' }];
  await build({ ...MODULE, absWorkingDir: root, outdir, entryPoints });
  writeFileSync(join(outdir, 'form.d.ts'), declarationsOf(root, 'form'));
}

const OF_BROWSER_SDK = ['hosted/embed-language.ts', 'browser/options.ts', 'browser/configure.ts'];
const OF_HOSTED = ['hosted/embed-appearance.ts', 'hosted/embed-language.ts'];
const BROWSER = ['form/errors.ts', ...OF_BROWSER_SDK, 'browser/init.ts'];
/** By module: the files that declare its public exports, and nothing else. They may import only from each other. */
const DECLARING = {
  form: ['form/errors.ts', 'form/client.ts', 'form/form.ts', 'form/index.ts'],
  browser: BROWSER,
  'browser-react': [...BROWSER, 'browser/react.ts'],
  'browser-bank-link': [...OF_BROWSER_SDK, 'browser/bank.ts'],
  onboarding: [...OF_HOSTED, 'hosted/embed.ts'],
  'bank-link': [...OF_HOSTED, 'hosted/embed-bank.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const REACT_TYPES = `import type {
  InputHTMLAttributes,
  LabelHTMLAttributes,
  ReactElement,
  ReactNode,
} from 'react';
`;

/** The declarations of `kyclone/<module>` in one file; a hyphen stands for the second slash. */
export function declarationsOf(root: string, module: keyof typeof DECLARING): string {
  const declared = DECLARING[module].map((name) => declaredIn(join(root, 'src', name)).join(''));
  return (module === 'browser-react' ? REACT_TYPES : '') + declared.join('\n');
}

/** The declarations of a file, or only those of `names`, which it must have: no imports, and no re-exports. */
export function declaredIn(path: string, names?: readonly string[]): string[] {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, isolatedDeclarations: true },
  });
  const [first] = diagnostics;
  if (first) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(first.messageText, '\n')}`);
  const source = ts.createSourceFile(path, outputText, ts.ScriptTarget.ES2023);
  const found = source.statements.filter((statement) => {
    if (ts.isImportDeclaration(statement)) return false;
    // What is exported from another file: that has a place of its own in the list.
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined) return false;
    const { name } = statement as ts.DeclarationStatement;
    return names === undefined || (name !== undefined && ts.isIdentifier(name) && names.includes(name.text));
  });
  if (names && found.length < names.length) throw new Error(`${path} lacks one of ${names.join(', ')}`);
  return found
    .map((statement) => statement.getFullText(source).trim())
    .filter((text) => text !== 'export {};')
    .map((text) => `${text}\n`);
}

// Bundles the browser code of hosted flows (contract §14): the script of their pages, and with types
// `kyclone/browser`, `kyclone/onboarding` and `kyclone/bank-link`. Each is one file without dependencies.

export async function buildHosted({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  const place = { absWorkingDir: root, outdir };
  const entryPoints = [{ in: 'src/hosted/page.ts', out: 'hosted' }];
  await build({ ...BUNDLE, ...place, entryPoints, minify: true });
  await build({
    ...MODULE,
    ...place,
    entryPoints: [
      { in: 'src/hosted/embed.ts', out: 'onboarding' },
      { in: 'src/hosted/embed-bank.ts', out: 'bank-link' },
    ],
  });
  await build({
    ...MODULE,
    ...place,
    entryPoints: [
      { in: 'src/browser/index.ts', out: 'browser' },
      { in: 'src/browser/bank-index.ts', out: 'browser-bank-link' },
      { in: 'src/browser/react.ts', out: 'browser-react' },
    ],
    external: ['react'],
  });
  const global = [{ in: 'src/browser/global.ts', out: 'browser.global' }];
  await build({ ...MODULE, ...place, entryPoints: global, format: 'iife' });
  // Apps import the style of the SDK; the module brings its own.
  writeFileSync(join(outdir, 'browser.css'), '');
  for (const name of ['browser', 'browser-react', 'browser-bank-link', 'onboarding', 'bank-link'] as const) {
    writeFileSync(join(outdir, `${name}.d.ts`), declarationsOf(root, name));
  }
}

// Bundles the console (contract §11.1) into `dist/console/`: one page, one script, one style. The script contains the
// inspector's screens, actions and state; what of them needs Node is replaced by what a browser has.

/** Modules of Node's side, and what stands for them in a page. */
const OF_BROWSER: Readonly<Record<string, string>> = {
  'src/kernel/time/real-time.ts': 'src/console/platform/real-time.ts',
  'src/tui/data/private-file.ts': 'src/console/platform/saved-file.ts',
  'src/client/whole-file.ts': 'src/console/platform/saved-file.ts',
};

/** Node's own modules may be named by code that is left out. Code that stays and needs one fails the build. */
function ofBrowser(root: string): Plugin {
  return {
    name: 'of-browser',
    setup(building) {
      building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
      building.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        const other = OF_BROWSER[file.slice(root.length + 1).replaceAll('\\', '/')];
        return other === undefined ? undefined : { path: join(root, other) };
      });
    },
  };
}

/** A second tool makes the script smaller by another 4 KiB, as it is sent. */
function minifyAgain(file: string): void {
  const { code, errors } = minifySync(file, readFileSync(file, 'utf8'), { module: true });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  writeFileSync(file, code);
}

export async function buildConsole({ root, outdir }: { root: string; outdir: string }): Promise<Metafile> {
  const folder = join(outdir, 'console');
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    ...BUNDLE,
    absWorkingDir: root,
    outdir: folder,
    entryPoints: [{ in: 'src/console/main.tsx', out: 'app' }],
    minify: true,
    target: 'es2022',
    jsx: 'automatic',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [ofBrowser(root)],
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (left.length > 0) throw new Error(`The console needs what a browser lacks: ${left.join(', ')}`);
  minifyAgain(join(folder, 'app.js'));
  copyFileSync(join(root, 'src/console/index.html'), join(folder, 'index.html'));
  return metafile;
}
