/**
 * Checks that every pattern of the source matches in linear time (`npm run check`). Covers regular expressions, `new
 * RegExp` with text that is fixed by the file and the constants it imports, and the patterns in the contract's
 * schemas.
 */
import './gone-reader.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check } from 'recheck';
import ts from 'typescript';
import { MINUTE_MS } from '../kernel/numbers/units.ts';
import { endpoints } from '../contract/registry.ts';
import { layerOf } from './check-imports.ts';

interface Pattern {
  /** File and line, or the endpoint whose schema contains it. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Layers of plain constants. Loading their modules has no side effects, so this file can read their exports. */
const CONSTANTS = ['contract/facts', 'kernel'];

/**
 * Regular expressions and `new RegExp` with fixed text; `built` lists the places of those built at run time. A text
 * is fixed if it consists of texts of its own file and exports of the modules in `CONSTANTS`.
 */
export async function patternsOf(
  path: string,
  text: string,
): Promise<{ patterns: Pattern[]; built: string[] }> {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const patterns: Pattern[] = [];
  const built: string[] = [];
  const placeOf = (node: ts.Node) =>
    `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;

  const values = await fixedValues(path, file);
  function visit(node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      patterns.push({ place: placeOf(node), source, flags });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'RegExp'
    ) {
      const [source, flags = ''] = (node.arguments ?? []).map((argument) => fixedValue(argument, values));
      const hasFlags = (node.arguments ?? []).length > 1;
      const isFixed = typeof source === 'string' && typeof flags === 'string';
      if (isFixed && (!hasFlags || flags !== '')) patterns.push({ place: placeOf(node), source, flags });
      else built.push(placeOf(node));
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return { patterns, built };
}

type Values = ReadonlyMap<string, unknown>;

/** The values of a file's names: imports from modules of constants first, then its own constants. */
async function fixedValues(path: string, file: ts.SourceFile): Promise<Values> {
  const values = new Map<string, unknown>();
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) await addImported(path, statement, values);
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const))
      continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const value = initializer && fixedValue(initializer, values);
      if (value === undefined) continue;
      if (ts.isIdentifier(name)) values.set(name.text, value);
      else if (ts.isObjectBindingPattern(name)) addMembers(name, value, values);
    }
  }
  return values;
}

async function addImported(path: string, statement: ts.ImportDeclaration, values: Map<string, unknown>) {
  const { importClause, moduleSpecifier } = statement;
  const names = importClause?.namedBindings;
  if (!names || !ts.isNamedImports(names) || importClause.phaseModifier) return;
  if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.')) return;
  const from = posix.join(posix.dirname(path), moduleSpecifier.text);
  if (!from.startsWith('src/') || !CONSTANTS.includes(layerOf(from.slice('src/'.length)))) return;
  const exported: unknown = await import(pathToFileURL(resolve(from)).href);
  for (const { name, propertyName, isTypeOnly } of names.elements) {
    if (!isTypeOnly) values.set(name.text, memberOf(exported, (propertyName ?? name).text));
  }
}

function addMembers(pattern: ts.ObjectBindingPattern, value: unknown, values: Map<string, unknown>): void {
  for (const { name, propertyName, initializer, dotDotDotToken } of pattern.elements) {
    if (!ts.isIdentifier(name) || initializer || dotDotDotToken) continue;
    if (propertyName && !ts.isIdentifier(propertyName)) continue;
    values.set(name.text, memberOf(value, (propertyName ?? name).text));
  }
}

/** The value of an expression, if the file and the constants it imports fix it. */
function fixedValue(node: ts.Expression, values: Values): unknown {
  if (ts.isIdentifier(node)) return values.get(node.text);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isPropertyAccessExpression(node))
    return memberOf(fixedValue(node.expression, values), node.name.text);
  if (ts.isArrayLiteralExpression(node)) return fixedList(node, values);
  if (ts.isCallExpression(node)) return fixedCall(node, values);
  return fixedText(node, values);
}

/** The text of a template, raw or not, if its parts are fixed. */
function fixedText(node: ts.Expression, values: Values): string | undefined {
  const isRaw = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw';
  const template = isRaw ? node.template : node;
  if (ts.isNoSubstitutionTemplateLiteral(template)) return isRaw ? template.rawText : template.text;
  if (!ts.isTemplateExpression(template)) return undefined;
  const partText = (part: ts.TemplateLiteralLikeNode) => (isRaw ? part.rawText : part.text) ?? '';
  let text = partText(template.head);
  for (const { expression, literal } of template.templateSpans) {
    const filled = fixedValue(expression, values);
    if (typeof filled !== 'string') return undefined;
    text += filled + partText(literal);
  }
  return text;
}

function fixedList(node: ts.ArrayLiteralExpression, values: Values): unknown[] | undefined {
  const list: unknown[] = [];
  for (const element of node.elements) {
    const value = fixedValue(ts.isSpreadElement(element) ? element.expression : element, values);
    if (value === undefined) return undefined;
    if (!ts.isSpreadElement(element)) list.push(value);
    else if (Array.isArray(value)) list.push(...(value as unknown[]));
    else return undefined;
  }
  return list;
}

/** Evaluates `Object.keys(x)`, `Object.values(x)` and `list.join(text)`, which build alternatives. */
function fixedCall({ expression, arguments: given }: ts.CallExpression, values: Values): unknown {
  if (!ts.isPropertyAccessExpression(expression) || given.length !== 1) return undefined;
  const argument = given[0] && fixedValue(given[0], values);
  const called = expression.getText();
  const isRecord = typeof argument === 'object' && argument !== null;
  if (called === 'Object.keys') return isRecord ? Object.keys(argument) : undefined;
  if (called === 'Object.values') return isRecord ? Object.values(argument) : undefined;
  if (expression.name.text !== 'join' || typeof argument !== 'string') return undefined;
  const list = fixedValue(expression.expression, values);
  const areTexts = Array.isArray(list) && list.every((each) => typeof each === 'string');
  return areTexts ? list.join(argument) : undefined;
}

/** A member of a constant that is a plain record; undefined for anything else. */
function memberOf(value: unknown, name: string): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** The patterns of a schema and of everything inside it. */
export function patternsOfSchema(place: string, schema: unknown): Pattern[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
    name === 'pattern' && typeof value === 'string'
      ? [{ place, source: value, flags: '' }]
      : patternsOfSchema(place, value),
  );
}

/**
 * Judges a pattern by the characters it reads, not by time: on a busy machine linear patterns would look slow. The limit
 * is far above any that is judged: it names a pattern without end to its judgement, as one with a large bound.
 */
const BY_READING = {
  timeout: 10 * MINUTE_MS,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 0,
} as const;

/** Why a pattern is not linear, or could not be judged; undefined if it is linear. */
export async function fault({
  source,
  flags,
}: Pick<Pattern, 'source' | 'flags'>): Promise<string | undefined> {
  const verdict = await check(source, flags.replace('v', 'u'), BY_READING);
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `could not be judged: ${verdict.error.kind}`;
  return `${verdict.complexity.summary}, as with ${verdict.attack.pattern.slice(0, 200)}`;
}

/**
 * Files with patterns that the tool can't judge, or judges inconsistently, with the reason why each is linear or
 * harmless.
 */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/nouns/bank-links/commands/statements/cells.ts':
    'built from the parts of a date format: each occurs once, with a fixed number of digits',
  'src/nouns/recording/commands/to-fixture.ts':
    'built as an alternation of escaped values, without repetition',
  'src/cli/fixtures/run.ts': "names of variables in the person's own fixtures",
  'src/kernel/ids/ids.ts': 'built from three fixed prefixes and one repeated class of characters',
};
const AT_A_TIME = 8;

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/devtools/'))
    .sort();
  const found = await Promise.all(
    files.map(async (path) => ({ path, ...(await patternsOf(path, readFileSync(path, 'utf8'))) })),
  );
  const judged: Pattern[] = [
    ...found.filter(({ path }) => EXCUSED[path] === undefined).flatMap(({ patterns }) => patterns),
    ...endpoints.flatMap((endpoint) => patternsOfSchema(endpoint.key, endpoint)),
  ];
  const distinct = [...new Map(judged.map((each) => [`${each.flags}/${each.source}`, each])).values()];
  const problems = found
    .filter(({ path }) => EXCUSED[path] === undefined)
    .flatMap(({ built }) => built.map((place) => `${place}: a pattern built at run time can't be judged`));
  problems.push(
    ...Object.keys(EXCUSED)
      .filter((path) => !files.includes(path))
      .map((path) => `${path}: is in EXCUSED but no longer exists`),
  );

  const judgeSome = async (): Promise<void> => {
    for (let next = distinct.pop(); next !== undefined; next = distinct.pop()) {
      const why = await fault(next);
      if (why !== undefined) problems.push(`${next.place}: /${next.source}/${next.flags}: ${why}`);
    }
  };

  const count = distinct.length;
  await Promise.all(Array.from({ length: AT_A_TIME }, judgeSome));
  process.stderr.write(
    problems.length === 0 ? `${count} patterns match in linear time\n` : `${problems.join('\n')}\n`,
  );
  process.exit(problems.length === 0 ? 0 : 1);
}
