/** Finds the modules that a file of `src/` loads at once, by its imports. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const importsOf = new Map<string, readonly string[]>();

/** Returns the modules that a file loads at once. Type imports and later (dynamic) imports are left out. */
function importedBy(file: string): readonly string[] {
  const known = importsOf.get(file);
  if (known) return known;
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    const isLoaded = ts.isImportDeclaration(statement)
      ? loads(statement.importClause)
      : !statement.isTypeOnly;
    return isLoaded && moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
  importsOf.set(file, found);
  return found;
}

function loads(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return true;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const { namedBindings } = clause;
  if (clause.name || !namedBindings || !ts.isNamedImports(namedBindings)) return true;
  return namedBindings.elements.some((element) => !element.isTypeOnly);
}

/**
 * Returns the chain of imports from a file to a library, or to files whose path begins with `library`. Returns
 * undefined when there is none.
 */
export function wayTo(library: string, start: string): string | undefined {
  const from = new Map<string, string | undefined>([[start, undefined]]);
  for (const file of from.keys()) {
    for (const specifier of importedBy(file)) {
      const next = normalize(join(dirname(file), specifier));
      if (specifier.startsWith(library) || (specifier.startsWith('.') && next.startsWith(library))) {
        const way: string[] = [];
        for (let at: string | undefined = file; at !== undefined; at = from.get(at)) way.unshift(at);
        return way.join(' > ');
      }
      if (specifier.startsWith('.') && /\.tsx?$/.test(next) && !from.has(next)) from.set(next, file);
    }
  }
  return undefined;
}
