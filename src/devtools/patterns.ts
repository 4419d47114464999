/** Where the source has patterns, and which of them take a time that grows faster than the text they are matched with. */
import { check } from 'recheck';
import ts from 'typescript';

export interface Pattern {
  /** File and line, or the endpoint whose schema holds it. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Regular expressions and `new RegExp` of a fixed text; `built` are places of those put together at run time. */
export function patternsOf(path: string, text: string): { patterns: Pattern[]; built: string[] } {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const patterns: Pattern[] = [];
  const built: string[] = [];
  const placeOf = (node: ts.Node) =>
    `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;

  const texts = fixedTexts(file);
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
      const [source, flags] = (node.arguments ?? []).map((argument) => fixedText(argument, texts));
      const isFixed = source !== undefined && (flags !== undefined || (node.arguments ?? []).length < 2);
      if (isFixed) patterns.push({ place: placeOf(node), source, flags: flags ?? '' });
      else built.push(placeOf(node));
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return { patterns, built };
}

/** The texts that constants of a file hold. */
function fixedTexts(file: ts.SourceFile): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const text = initializer && fixedText(initializer, texts);
      if (text !== undefined && ts.isIdentifier(name)) texts.set(name.text, text);
    }
  }
  return texts;
}

/** What an expression says when it can be told from the file alone. */
function fixedText(node: ts.Expression, texts: ReadonlyMap<string, string>): string | undefined {
  if (ts.isIdentifier(node)) return texts.get(node.text);
  if (ts.isStringLiteralLike(node)) return node.text;
  const isRaw = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw';
  const template = isRaw ? node.template : node;
  if (ts.isNoSubstitutionTemplateLiteral(template)) return isRaw ? template.rawText : template.text;
  if (!ts.isTemplateExpression(template)) return undefined;
  const said = (part: ts.TemplateLiteralLikeNode) => (isRaw ? part.rawText : part.text) ?? '';
  let text = said(template.head);
  for (const { expression, literal } of template.templateSpans) {
    const filled = fixedText(expression, texts);
    if (filled === undefined) return undefined;
    text += filled + said(literal);
  }
  return text;
}

/** The patterns of a schema and of all that it holds. */
export function patternsOfSchema(place: string, schema: unknown): Pattern[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]: [string, unknown]) =>
    name === 'pattern' && typeof value === 'string'
      ? [{ place, source: value, flags: '' }]
      : patternsOfSchema(place, value),
  );
}

/**
 * A pattern is judged by how much it reads, never by how long that takes: a busy machine would call linear ones slow.
 */
const BY_READING = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 0,
} as const;

/** Why a pattern is not linear, or that nothing could be found out; undefined when it is. */
export async function fault({
  source,
  flags,
}: Pick<Pattern, 'source' | 'flags'>): Promise<string | undefined> {
  const verdict = await check(source, flags.replace('v', 'u'), BY_READING);
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `could not be judged: ${verdict.error.kind}`;
  return `${verdict.complexity.summary}, as with ${verdict.attack.pattern.slice(0, 200)}`;
}
