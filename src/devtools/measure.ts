/**
 * `npm run measure`: in how many places the house keeps things, beside its goals. Options: `--json`, or `--list`
 * to name the files behind each count of files.
 *
 * Lines are counted as they are formatted. A file is data if it has no function and one literal fills most of it, or if
 * it is below src/fixtures. The files of a warm request are those of src/ with a function that runs while an instance
 * answers the third request of its kind (V8's precise coverage).
 */
import './gone-reader.ts';
import { Session } from 'node:inspector/promises';
import { createServer } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { startKyclone } from '../testing/index.ts';
import { layerOf } from './check-imports.ts';
import { commandFiles } from './command-files.ts';
import { endForOption, scriptOptions } from './script-options.ts';
import { sourceFacts } from './source-facts.ts';

interface Figure {
  readonly what: string;
  readonly is: number;
  readonly goal?: number;
  /** The files behind the figure, for `--list`. */
  readonly files?: readonly string[];
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly tree: ts.SourceFile;
}

const ROOT = join(import.meta.dirname, '..', '..');
const MOST_OF_A_FILE = 0.6;

function filesOf(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|js)$/.test(name))
    .map((name) => {
      const path = posix.join(folder, name.replaceAll('\\', '/'));
      const text = readFileSync(join(ROOT, path), 'utf8');
      const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      return { path, text, lines: text.split('\n').length - 1, tree };
    });
}

export function countNodes(tree: ts.Node, matches: (node: ts.Node) => boolean): number {
  let count = matches(tree) ? 1 : 0;
  ts.forEachChild(tree, (child) => {
    count += countNodes(child, matches);
  });
  return count;
}

function isData({ path, text, tree }: SourceFile): boolean {
  if (path.startsWith('src/fixtures/')) return true;
  const isLiteral = (node: ts.Node) =>
    ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node) || ts.isStringLiteralLike(node);
  const isLong = (node: ts.Node) => isLiteral(node) && node.getWidth(tree) > text.length * MOST_OF_A_FILE;
  return countNodes(tree, isLong) > 0 && countNodes(tree, ts.isFunctionLike) === 0;
}

const spread = (node: ts.Node) =>
  ts.isSpreadElement(node) || ts.isSpreadAssignment(node)
    ? ts.skipPartiallyEmittedExpressions(
        ts.isParenthesizedExpression(node.expression) ? node.expression.expression : node.expression,
      )
    : undefined;

/** `...(x !== undefined && { x })` */
export function isConditionalSpread(node: ts.Node): boolean {
  const inner = spread(node);
  return (
    inner !== undefined &&
    ts.isBinaryExpression(inner) &&
    inner.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken &&
    inner.left.getText().endsWith('!== undefined') &&
    ts.isObjectLiteralExpression(inner.right)
  );
}

/** `...['a', 'b']` */
export function isSpreadLiteral(node: ts.Node): boolean {
  const inner = spread(node);
  return inner !== undefined && (ts.isArrayLiteralExpression(inner) || ts.isObjectLiteralExpression(inner));
}

/** How many files of src/ import each file of src/. */
function importers(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map(files.map(({ path }) => [path, 0]));
  for (const { path, text } of files) {
    const targets = sourceFacts(path, text)
      .imports.filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => posix.join(posix.dirname(path), specifier));
    for (const target of new Set(targets)) {
      const count = counts.get(target);
      if (count !== undefined) counts.set(target, count + 1);
    }
  }
  return counts;
}

/** The files and functions of src/ that run while the third of these requests is answered. */
async function warmWay(inspector: Session, ask: () => Promise<Response>) {
  const once = async () => {
    const answer = await ask();
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  };
  await once();
  await once();
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await inspector.post('Profiler.takePreciseCoverage');
  await once();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  await inspector.post('Profiler.stopPreciseCoverage');
  const source = pathToFileURL(join(ROOT, 'src/')).href;
  const ran = result
    .filter(({ url }) => url.startsWith(source) && !/\/src\/(?:testing|devtools)\//.test(url))
    .map(({ url, functions }) => ({
      url: url.split('?')[0] ?? url,
      count: functions.filter(
        ({ functionName, ranges: [whole] }) => functionName !== '' && (whole?.count ?? 0) > 0,
      ).length,
    }))
    .filter(({ count }) => count > 0);
  return {
    files: [...new Set(ran.map(({ url }) => `src/${url.slice(source.length)}`))].toSorted(),
    functions: ran.reduce((sum, { count }) => sum + count, 0),
  };
}

async function warmWays(): Promise<Figure[]> {
  const target = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => {
    target.listen(0, '127.0.0.1', resolve);
  });
  const { port } = target.address() as AddressInfo;
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  const kyclone = await startKyclone();
  try {
    const call = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      fetch(kyclone.url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          authorization: `Basic ${Buffer.from(`${kyclone.apiKey}:`).toString('base64')}`,
          'content-type': 'application/json',
          ...headers,
        },
      });
    const person = { 'id.first_name': 'Jane', 'id.ssn9': '123-45-6789' };
    const { id } = (await (await call('/users', person)).json()) as { id: string };
    const ways = {
      'POST /users': () => call('/users', person),
      'a decryption of two fields': () =>
        call(`/users/${id}/vault/decrypt`, { fields: ['id.first_name', 'id.ssn9'], reason: 'measure' }),
      'a proxy call with one token': () =>
        call(
          '/vault_proxy/jit',
          { name: `{{ id.first_name }}` },
          {
            'x-fp-proxy-target-url': `http://127.0.0.1:${port}/`,
            'x-fp-id': id,
            'x-fp-access-reason': 'measure',
          },
        ),
    };
    const goals = [50, 50, 65];
    const figures: Figure[] = [];
    for (const [index, [name, ask]] of Object.entries(ways).entries()) {
      const { files, functions } = await warmWay(inspector, ask);
      figures.push({ what: `files that run in ${name}`, is: files.length, goal: goals[index] ?? 0, files });
      figures.push({ what: `functions that run in ${name}`, is: functions });
    }
    return figures;
  } finally {
    await kyclone.close();
    inspector.disconnect();
    target.close();
  }
}

function treeFigures(): Figure[] {
  const source = filesOf('src');
  const linesOf = (files: readonly SourceFile[]) => files.reduce((sum, { lines }) => sum + lines, 0);
  const inCli = ({ path }: SourceFile) => layerOf(path.slice('src/'.length)) === 'cli';
  const own = source.filter((file) => !isData(file));
  const counts = importers(source);
  const isClass = (node: ts.Node) => ts.isClassDeclaration(node) && node.heritageClauses !== undefined;
  const inCommands = new Set(commandFiles());
  const commands = source.filter(({ path }) => inCommands.has(path));
  const tests = filesOf('test');
  const nodes = (files: readonly SourceFile[], matches: (node: ts.Node) => boolean) =>
    files.reduce((sum, { tree }) => sum + countNodes(tree, matches), 0);
  const single = [...counts].filter(([, count]) => count === 1).map(([path]) => path);
  const short = source.filter(({ lines }) => lines < 20).map(({ path }) => path);
  return [
    { what: 'files with exactly one importer', is: single.length, goal: 150, files: single },
    { what: 'files under 20 lines', is: short.length, goal: 30, files: short },
    { what: 'files', is: source.length },
    {
      what: 'commands written by hand',
      is: commands.reduce((sum, { tree }) => sum + countNodes(tree, isClass), 0),
      goal: 85,
    },
    { what: 'lines of src/ without data', is: linesOf(own), goal: 100_000 },
    { what: 'lines of src/', is: linesOf(source) },
    { what: 'lines of the layer cli without data', is: linesOf(own.filter(inCli)), goal: 21_000 },
    { what: 'lines of test/', is: linesOf(tests), goal: 90_000 },
    { what: 'conditional spreads', is: nodes(source, isConditionalSpread), goal: 30 },
    { what: 'spreads of literals', is: nodes([...source, ...tests], isSpreadLiteral), goal: 0 },
  ];
}

async function main(): Promise<void> {
  const { json, list } = scriptOptions('measure', { json: { type: 'boolean' }, list: { type: 'boolean' } });
  const figures = [...treeFigures(), ...(await warmWays())];
  if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const { what, is, goal, files = [] } of figures) {
      const beside = goal === undefined ? '' : `at most ${goal}`;
      process.stdout.write(`${what.padEnd(52)}${String(is).padStart(8)}  ${beside}\n`);
      if (list) for (const file of files) process.stdout.write(`  ${file}\n`);
    }
}

if (process.argv[1] === import.meta.filename)
  await main().catch((error: unknown) => endForOption('measure', error));
