/**
 * Bundles `kyclone/form` for browsers into one file, and its types into another. Names are kept, because the apps
 * that ship it may want to read it. It has no dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

/** The files that declare the public exports of the module, and nothing else. */
const PUBLIC_FILES = ['errors.ts', 'client.ts', 'form.ts', 'index.ts'] as const;

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
    logLevel: 'warning',
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
