/** A start stays cheap: what a command imports before it runs holds none of the large libraries (docs/architecture.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIBRARY = '@sinclair/typebox';
/** It checks bodies of fixtures against the schemas: that is all it does. */
const NEEDS_SCHEMAS = ['src/cli/commands/fixtures/check.ts'];

const importsOf = new Map<string, readonly string[]>();

/** The modules that a file loads when it is loaded: not those it imports types from, nor those it loads later. */
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

/** The way from a file to a library, if there is one. */
function wayTo(library: string, start: string): string | undefined {
  const from = new Map<string, string | undefined>([[start, undefined]]);
  for (const file of from.keys()) {
    for (const specifier of importedBy(file)) {
      if (specifier.startsWith(library)) {
        const way: string[] = [];
        for (let at: string | undefined = file; at !== undefined; at = from.get(at)) way.unshift(at);
        return way.join(' > ');
      }
      const next = normalize(join(dirname(file), specifier));
      if (specifier.startsWith('.') && /\.tsx?$/.test(next) && !from.has(next)) from.set(next, file);
    }
  }
  return undefined;
}

const commands = readdirSync(join(ROOT, 'src/cli/commands'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));

test('imports: no command loads the schema library at its start, but the one that checks by schemas', () => {
  const entries = ['src/cli/main.ts', 'src/client/client.ts', 'src/tui/index.ts', ...commands];
  const ways = entries
    .filter((entry) => !NEEDS_SCHEMAS.includes(entry))
    .flatMap((entry) => wayTo(LIBRARY, entry) ?? []);
  expect(ways).toEqual([]);
});

test('imports: the way to the library is found where there is one', () => {
  expect(NEEDS_SCHEMAS.map((entry) => wayTo(LIBRARY, entry))).toEqual([
    expect.stringMatching(/^src\/cli\/commands\/fixtures\/check\.ts > .*src\/contract\//),
  ]);
});

test.each([
  // Certificates are made when the sink of `proxy echo` starts.
  '@peculiar/x509',
  'reflect-metadata',
  '@faker-js/faker',
  '@inquirer/',
  'conf',
])('imports: no command loads %s at its start', (library) => {
  expect(commands.flatMap((entry) => wayTo(library, entry) ?? [])).toEqual([]);
});
