/** Bundles what runs in browsers: `kyclone/form`, hosted flows with the browser SDK, and the console. */
import { readFileSync, writeFileSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { minifySync } from 'rolldown/utils';
import ts from 'typescript';
import { build } from './strict-build.ts';

/** The files that declare the public exports of the module, and nothing else. */
const PUBLIC_FILES = ['errors.ts', 'client.ts', 'form.ts', 'index.ts'] as const;

/** One file, and its types in another. Names are kept, because the apps that ship it may want to read it. */
export async function buildForm({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  await build({
    absWorkingDir: root,
    outdir,
    entryPoints: [{ in: 'src/form/index.ts', out: 'form' }],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2020',
    charset: 'utf8',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
  });
  writeFileSync(join(outdir, 'form.d.ts'), formDeclarations(root));
}

/** The declarations of `kyclone/form`. */
export function formDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/form'), PUBLIC_FILES);
}

/** Joins the declarations of these files of a folder into one file. They may import only from each other. */
export function joinedDeclarations(folder: string, names: readonly string[]): string {
  return names
    .map((name) => {
      const path = join(folder, name);
      return withoutImports(declarationsOf(path), path);
    })
    .join('\n');
}

function declarationsOf(path: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2020, isolatedDeclarations: true },
  });
  const [first] = diagnostics;
  if (first) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(first.messageText, '\n')}`);
  return outputText;
}

function withoutImports(declarations: string, path: string): string {
  const source = ts.createSourceFile(path, declarations, ts.ScriptTarget.ES2020);
  return source.statements
    .filter((statement) => !ts.isImportDeclaration(statement) && !isReExport(statement))
    .map((statement) => statement.getFullText(source).trim())
    .filter((text) => text !== 'export {};')
    .map((text) => `${text}\n`)
    .join('');
}

/** `export { x } from`: the file that declares it has a place of its own in the list. */
function isReExport(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
}

// Bundles the browser code of hosted flows (contract §14): the script of their pages, and with types
// `kyclone/browser`, `kyclone/onboarding` and `kyclone/bank-link`. Each is one file without dependencies.

export async function buildHosted({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  const shared = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
  } as const satisfies BuildOptions;
  await build({ ...shared, entryPoints: [{ in: 'src/hosted/page.ts', out: 'hosted' }], minify: true });
  await build({
    ...shared,
    entryPoints: [
      { in: 'src/hosted/embed.ts', out: 'onboarding' },
      { in: 'src/hosted/embed-bank.ts', out: 'bank-link' },
    ],
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const browser = { ...shared, minifySyntax: true, minifyWhitespace: true };
  await build({
    ...browser,
    entryPoints: [
      { in: 'src/browser/index.ts', out: 'browser' },
      { in: 'src/browser/bank-index.ts', out: 'browser-bank-link' },
      { in: 'src/browser/react.ts', out: 'browser-react' },
    ],
    external: ['react'],
  });
  await build({
    ...browser,
    entryPoints: [{ in: 'src/browser/global.ts', out: 'browser.global' }],
    format: 'iife',
  });
  writeFileSync(join(outdir, 'browser.d.ts'), browserDeclarations(root));
  writeFileSync(join(outdir, 'browser-react.d.ts'), browserReactDeclarations(root));
  // Apps import the style of the SDK; the module brings its own.
  writeFileSync(join(outdir, 'browser.css'), '');
  writeFileSync(join(outdir, 'browser-bank-link.d.ts'), browserBankLinkDeclarations(root));
  writeFileSync(join(outdir, 'onboarding.d.ts'), onboardingDeclarations(root));
  writeFileSync(join(outdir, 'bank-link.d.ts'), bankLinkDeclarations(root));
}

/** The declarations of `kyclone/browser`. */
export function browserDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src'), [
    'form/errors.ts',
    'hosted/embed-language.ts',
    'browser/options.ts',
    'browser/configure.ts',
    'browser/init.ts',
  ]);
}

const REACT_TYPES = `import type {
  InputHTMLAttributes,
  LabelHTMLAttributes,
  ReactElement,
  ReactNode,
} from 'react';
`;

/** The declarations of `kyclone/browser/react`. */
export function browserReactDeclarations(root: string): string {
  const own = joinedDeclarations(join(root, 'src/browser'), ['react.ts']);
  return `${REACT_TYPES}${browserDeclarations(root)}\n${own}`;
}

/** The declarations of `kyclone/browser/bank-link`. */
export function browserBankLinkDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src'), [
    'hosted/embed-language.ts',
    'browser/options.ts',
    'browser/configure.ts',
    'browser/bank.ts',
  ]);
}

/** The declarations of `kyclone/onboarding`. */
export function onboardingDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-language.ts',
    'embed.ts',
  ]);
}

/** The declarations of `kyclone/bank-link`. */
export function bankLinkDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-language.ts',
    'embed-bank.ts',
  ]);
}

// Bundles the console (contract §11.1) into `dist/console/`: one page, one script, one style. The script contains the
// inspector's screens, actions and state; what of them needs Node is replaced by what a browser has.

/** Modules of Node's side, and what stands for them in a page. */
const OF_BROWSER: Readonly<Record<string, string>> = {
  'src/kernel/real-time.ts': 'src/console/platform/real-time.ts',
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
    absWorkingDir: root,
    outdir: folder,
    entryPoints: [{ in: 'src/console/main.tsx', out: 'app' }],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    legalComments: 'none',
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
