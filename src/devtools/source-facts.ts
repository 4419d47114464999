/** The imports of a source file and the guarded names it uses, from its syntax tree rather than its text. */
import ts from 'typescript';

export interface ImportFact {
  readonly specifier: string;
  readonly line: number;
  /** Names imported from the module; `*` for the whole module. Type-only imports count like any other. */
  readonly names: readonly string[];
}

export interface UseFact {
  /** Such as `process.env`, `new Date()`, `console`, `prepare()` of a database or a `cast of a row`. */
  readonly use: string;
  readonly line: number;
}

const WHOLE_MODULE = ['*'];

/** Members of globals that only the files of the exceptions table may use. */
const GUARDED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  process: ['env', 'exit', 'hrtime'],
  Date: ['now'],
  performance: ['now', 'timeOrigin'],
  Math: ['random'],
  crypto: ['subtle', 'getRandomValues', 'randomUUID'],
};

/** Global objects by the Node module that exports their members. */
const GUARDED_EXPORTS: Readonly<Record<string, string>> = {
  'node:process': 'process',
  process: 'process',
  'node:console': 'console',
  console: 'console',
};

export type SourceFacts = ReturnType<typeof sourceFacts>;

export function sourceFacts(fileName: string, text: string) {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const imports: ImportFact[] = [];
  const uses: UseFact[] = [];
  const lineOf = (node: ts.Node): number =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

  const addImport = (node: ts.Node, specifier: ts.Node | undefined, names: readonly string[]): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    imports.push({ specifier: specifier.text, line: lineOf(node), names });
    const owner = GUARDED_EXPORTS[specifier.text];
    for (const name of owner === undefined ? [] : names) {
      if (owner === 'console' || GUARDED_MEMBERS[owner ?? '']?.includes(name)) {
        uses.push({ use: owner === 'console' ? 'console' : `${owner}.${name}`, line: lineOf(node) });
      }
    }
  };

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) addImport(node, node.moduleSpecifier, importedNames(node));
    else if (ts.isExportDeclaration(node)) addImport(node, node.moduleSpecifier, exportedNames(node));
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      addImport(node, node.moduleReference.expression, WHOLE_MODULE);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      addImport(node, node.argument.literal, WHOLE_MODULE);
    } else if (ts.isCallExpression(node) && isModuleLoad(node.expression)) {
      addImport(node, node.arguments[0], dynamicNames(node));
    }
    const use = guardedUse(node);
    if (use !== undefined) uses.push({ use, line: lineOf(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { imports, uses, lines: text.split('\n').length - 1 };
}

function isModuleLoad(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
  );
}

function importedNames({ importClause }: ts.ImportDeclaration): readonly string[] {
  if (!importClause) return [];
  const { name, namedBindings } = importClause;
  const names = name ? ['default'] : [];
  if (!namedBindings) return names;
  if (ts.isNamespaceImport(namedBindings)) return WHOLE_MODULE;
  return [...names, ...namedBindings.elements.map((element) => (element.propertyName ?? element.name).text)];
}

function exportedNames({ exportClause }: ts.ExportDeclaration): readonly string[] {
  if (!exportClause || ts.isNamespaceExport(exportClause)) return WHOLE_MODULE;
  return exportClause.elements.map((element) => (element.propertyName ?? element.name).text);
}

/** `const { a, b } = await import('x')` imports a and b. Any other dynamic import counts as the whole module. */
function dynamicNames(call: ts.CallExpression): readonly string[] {
  const value = ts.isAwaitExpression(call.parent) ? call.parent : call;
  return destructuredNames(value) ?? WHOLE_MODULE;
}

function destructuredNames(value: ts.Expression): readonly string[] | undefined {
  const { parent } = value;
  if (!ts.isVariableDeclaration(parent) || parent.initializer !== value) return undefined;
  if (!ts.isObjectBindingPattern(parent.name)) return undefined;
  return parent.name.elements.map((element) =>
    element.dotDotDotToken ? '*' : (element.propertyName ?? element.name).getText(),
  );
}

function guardedUse(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return guardedIdentifier(node);
  if (isDateOfNow(node)) return 'new Date()';
  if (isPreparation(node)) return 'prepare()';
  if (ts.isAsExpression(node) && isQuery(node.expression)) return 'cast of a row';
  if (ts.isPropertyAccessExpression(node)) return guardedMember(node.expression, [node.name.text]);
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: key } = node;
    return guardedMember(node.expression, [ts.isStringLiteralLike(key) ? key.text : '*']);
  }
  if (ts.isVariableDeclaration(node) && node.initializer) {
    return guardedMember(node.initializer, destructuredNames(node.initializer) ?? []);
  }
  return undefined;
}

/** `new Date()` and `Date()`. With an argument they don't read the machine's clock. */
function isDateOfNow(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) {
    return globalName(node.expression) === 'Date' && (node.arguments ?? []).length === 0;
  }
  return ts.isCallExpression(node) && globalName(node.expression) === 'Date';
}

/** `database.prepare(sql)`. A `prepare` call with an object is not SQL. */
function isPreparation(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [sql] = node.arguments;
  return node.expression.name.text === 'prepare' && sql !== undefined && !ts.isObjectLiteralExpression(sql);
}

const READS: ReadonlySet<string> = new Set(['get', 'one', 'all']);

/** `STATEMENT.get(database, id)`, `statement<…>(sql).all(database)`, and the same on a result of `prepare()`. */
function isQuery(value: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(value)) return isQuery(value.expression);
  if (!ts.isCallExpression(value) || !ts.isPropertyAccessExpression(value.expression)) return false;
  const { expression: owner, name } = value.expression;
  const [first] = value.arguments;
  const isGivenDatabase =
    first !== undefined && globalName(first) === 'database' && globalName(owner) !== 'Reflect';
  return READS.has(name.text) && (isGivenDatabase || isPrepared(owner));
}

function isPrepared(owner: ts.Expression): boolean {
  if (!ts.isCallExpression(owner)) return false;
  if (ts.isIdentifier(owner.expression)) return /statement$/i.test(owner.expression.text);
  return (
    isPreparation(owner) ||
    (ts.isPropertyAccessExpression(owner.expression) && isPrepared(owner.expression.expression))
  );
}

function guardedMember(owner: ts.Expression, members: readonly string[]): string | undefined {
  const name = globalName(owner);
  const guarded = name === undefined ? undefined : GUARDED_MEMBERS[name];
  const found = guarded?.find((member) => members.includes(member) || members.includes('*'));
  return found === undefined ? undefined : `${name}.${found}`;
}

/** The global an expression names: `process`, `globalThis.process`, `(process)`. */
function globalName(expression: ts.Expression): string | undefined {
  if (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression)) {
    return globalName(expression.expression);
  }
  if (ts.isIdentifier(expression)) return expression.text;
  const isOfGlobal =
    ts.isPropertyAccessExpression(expression) &&
    ts.isIdentifier(expression.expression) &&
    ['globalThis', 'global'].includes(expression.expression.text);
  return isOfGlobal ? expression.name.text : undefined;
}

/** `console` counts wherever it is used as a value. */
function guardedIdentifier(node: ts.Identifier): string | undefined {
  if (node.text !== 'console') return undefined;
  const { parent } = node;
  const isOfGlobal =
    ts.isPropertyAccessExpression(parent) && parent.name === node && globalName(parent) === 'console';
  const isName =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ((ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) && parent.name === node) ||
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent);
  return isName && !isOfGlobal ? undefined : 'console';
}
