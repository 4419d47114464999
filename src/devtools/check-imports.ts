/**
 * Fails the build on any import or global that docs/architecture.md#the-layers forbids. It reads syntax trees, so
 * comments and strings don't count. Type-only imports follow the same rules, because a type couples two folders as
 * much as a value does.
 */
import './gone-reader.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix, sep } from 'node:path';
import {
  BASE_NOUNS,
  CALLING_EXPORTS,
  CALLING_MODULES,
  CALLING_ROOMS,
  CIPHER_EXPORTS,
  CIPHER_ROOM,
  LAYER_EXCEPTIONS,
  LAYERS,
  LAYERS_OF_NOUNS,
  PACKAGE_ROOMS,
  SERVICES,
  NOUN_ORDER,
  USE_EXCEPTIONS,
  WITHOUT_PACKAGES,
} from './import-rules.ts';
import { sourceFacts, type ImportFact, type SourceFacts, type UseFact } from './source-facts.ts';

export interface ImportProblem {
  /** Relative to the source folder, with forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly rule: 'layer' | 'noun' | 'package' | 'cipher' | 'calling' | 'use' | 'outside' | 'exception';
  readonly message: string;
}

type SourceTree = ReadonlyMap<string, SourceFacts>;

/** Every violation of the rules below `sourceFolder`, in the order of the files. */
export function checkImports(sourceFolder: string): ImportProblem[] {
  const tree = readTree(sourceFolder);
  const problems = [...tree].flatMap(([file, facts]) => [
    ...facts.imports.flatMap((fact) => checkImport(file, fact)),
    ...facts.uses.flatMap((fact) => checkUse(file, fact)),
  ]);
  return [...problems, ...staleExceptions(tree)].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
  );
}

/** Names of the packages that the shipped code imports, which is all code except devtools. */
export function importedPackages(tree: SourceTree): string[] {
  const names = new Set<string>();
  for (const [file, { imports }] of tree) {
    if (layerOf(file) === 'devtools') continue;
    for (const { specifier } of imports) {
      if (!specifier.startsWith('.') && !isBuiltin(specifier)) names.add(packageName(specifier));
    }
  }
  return [...names].sort();
}

/** The layers of the tree, with their lines and the other layers that they import. */
export function layersOf(tree: SourceTree): Map<string, { lines: number; imports: Set<string> }> {
  const layers = new Map<string, { lines: number; imports: Set<string> }>();
  for (const [file, { imports, lines }] of tree) {
    const from = layerOf(file);
    const layer = layers.get(from) ?? { lines: 0, imports: new Set() };
    layer.lines += lines;
    for (const { specifier } of imports.filter((each) => each.specifier.startsWith('.'))) {
      const target = resolveRelative(file, specifier);
      if (!target.startsWith('..') && layerOf(target) !== from) layer.imports.add(layerOf(target));
    }
    layers.set(from, layer);
  }
  return layers;
}

/** The source files below the folder, as paths from it on, with forward slashes. */
export function sourceFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => /\.[cm]?tsx?$/.test(name))
    .sort((a, b) => a.localeCompare(b));
}

/** The imports and guarded names of every source file below the folder. */
export function readTree(sourceFolder: string): SourceTree {
  return new Map(
    sourceFilesIn(sourceFolder).map((file) => {
      const path = join(sourceFolder, file);
      return [file, sourceFacts(path, readFileSync(path, 'utf8'))];
    }),
  );
}

function checkImport(file: string, fact: ImportFact): ImportProblem[] {
  const { specifier, line } = fact;
  if (!specifier.startsWith('.')) return checkPackage(file, fact);
  const target = resolveRelative(file, specifier);
  if (target.startsWith('..')) {
    if (target === '../package.json') return [];
    return [
      { file, line, rule: 'outside', message: `${specifier} is outside src/: only package.json may be` },
    ];
  }
  return [...checkLayer(file, target, line), ...checkNoun(file, target, line)];
}

function checkLayer(file: string, target: string, line: number): ImportProblem[] {
  const [from, to] = [layerOf(file), layerOf(target)];
  const allowed = LAYERS[from];
  if (!allowed) {
    return [
      { file, line, rule: 'layer', message: `${from} is not a folder of the design: add it to LAYERS` },
    ];
  }
  if (from === to || isAllowedLayer(from, to)) return [];
  if (LAYER_EXCEPTIONS.some((each) => matches(file, each.from) && each.to === target)) return [];
  const choices = allowed.length === 0 ? 'nothing else' : allowed.join(', ');
  return [{ file, line, rule: 'layer', message: `${from} may import ${choices}; not ${target}` }];
}

/** Whether the rules allow this import between two layers, exceptions aside. */
export function isAllowedLayer(from: string, to: string): boolean {
  const allowed = LAYERS[from] ?? [];
  return allowed.includes(to) || (to === FACTS && allowed.includes('contract'));
}

function checkNoun(file: string, target: string, line: number): ImportProblem[] {
  if (layerOf(file) !== SERVICES || layerOf(target) !== SERVICES) return [];
  const [from, to] = [nounOf(file), nounOf(target)];
  if (from === to || to === '') return [];
  const problem = (message: string): ImportProblem[] => [{ file, line, rule: 'noun', message }];
  if (from === '') {
    const isBase = BASE_NOUNS.includes(to);
    return isBase ? [] : problem(`files outside the nouns may use ${BASE_NOUNS.join(', ')}; not ${to}`);
  }
  const [fromIndex, toIndex] = [NOUN_ORDER.indexOf(from), NOUN_ORDER.indexOf(to)];
  for (const [noun, index] of [[from, fromIndex] as const, [to, toIndex] as const]) {
    if (index < 0) return problem(`${noun} has no place in NOUN_ORDER: give it one`);
  }
  if (toIndex > fromIndex) {
    return problem(`${to} stands right of ${from}: declare a port in ${from} and wire it in daemon/nouns.ts`);
  }
  if (!/^nouns\/[^/]+\/service(?:\/index)?\.ts$/.test(target))
    return problem(`${to} is used through its service.ts or service/index.ts only`);
  return [];
}

function checkBuiltin(
  file: string,
  { specifier, line, names }: Pick<ImportFact, 'specifier' | 'line' | 'names'>,
): ImportProblem[] {
  const folder = layerOf(file);
  const taken = (exports: RegExp): string | undefined => {
    const name = names.find((each) => exports.test(each));
    return name === '*' || name === 'default' ? `all of ${specifier}` : name;
  };
  const cipher = /^(node:)?crypto$/.test(specifier) ? taken(CIPHER_EXPORTS) : undefined;
  if (cipher !== undefined && folder !== CIPHER_ROOM) {
    return [{ file, line, rule: 'cipher', message: `${cipher} belongs in ${CIPHER_ROOM}: only it encrypts` }];
  }
  const calling = CALLING_MODULES.test(specifier) ? taken(CALLING_EXPORTS) : undefined;
  if (calling !== undefined && !CALLING_ROOMS.includes(folder)) {
    const rooms = CALLING_ROOMS.join(' and ');
    return [{ file, line, rule: 'calling', message: `${calling} of ${specifier} belongs in ${rooms}` }];
  }
  return [];
}

function checkPackage(file: string, { specifier, line, names }: ImportFact): ImportProblem[] {
  const folder = layerOf(file);
  if (isBuiltin(specifier)) return checkBuiltin(file, { specifier, line, names });
  const name = packageName(specifier);
  if (WITHOUT_PACKAGES.includes(folder)) {
    return [{ file, line, rule: 'package', message: `${folder} has no dependencies; not ${name}` }];
  }
  return PACKAGE_ROOMS.filter((each) => matches(name, each.package) && !each.rooms.includes(folder)).map(
    ({ rooms, why }) => ({
      file,
      line,
      rule: 'package',
      message: `${name} may be imported in ${rooms.join(' and ')} only: ${why}`,
    }),
  );
}

const INSTEAD: Readonly<Record<string, string>> = {
  'prepare()': 'call statement() of storage/statement.ts',
  'cast of a row': 'declare the row type beside the SQL: statement<Parameters, Row>(sql)',
};

function checkUse(file: string, { use, line }: UseFact): ImportProblem[] {
  const isAllowed = USE_EXCEPTIONS.some((each) => each.use === use && matches(file, each.file));
  if (isAllowed) return [];
  const message = `${use} may be used only where USE_EXCEPTIONS says: ${INSTEAD[use] ?? 'take it as a parameter'}`;
  return [{ file, line, rule: 'use', message }];
}

/** A stale exception would hide the next violation. */
function staleExceptions(tree: SourceTree): ImportProblem[] {
  return USE_EXCEPTIONS.filter(({ file }) => !file.endsWith('/') && tree.has(file))
    .filter(({ use, file }) => !tree.get(file)?.uses.some((fact) => fact.use === use))
    .map(({ use, file }) => ({
      file,
      line: 1,
      rule: 'exception',
      message: `no longer uses ${use}: remove it from USE_EXCEPTIONS`,
    }));
}

const FACTS = 'contract/facts';

/** The layer of a file: a folder of src/, the facts inside the contract, or what its name says inside a noun. */
export function layerOf(file: string): string {
  if (file.startsWith(`${FACTS}/`)) return FACTS;
  const [folder = '', noun, part] = file.split('/');
  if (folder !== 'nouns') return noun === undefined ? '' : folder;
  if (part === undefined) return SERVICES;
  return LAYERS_OF_NOUNS[part.replace(/\.ts$/, '')] ?? `nouns/${noun}/${part}`;
}

/** The folder below nouns/, or an empty string for a file directly in it. */
function nounOf(file: string): string {
  const [, noun = '', ...rest] = file.split('/');
  return rest.length === 0 ? '' : noun;
}

function resolveRelative(file: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(file), specifier));
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Whether `name` equals `pattern`, or is below it when the pattern ends in /. */
function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('/') ? name.startsWith(pattern) : name === pattern;
}

function main(): void {
  const root = join(import.meta.dirname, '..', '..');
  const problems = checkImports(join(root, 'src'));
  for (const { file, line, rule, message } of problems) {
    process.stderr.write(`src/${file}:${line}: ${rule}: ${message}\n`);
  }
  if (problems.length > 0) {
    process.stderr.write(
      `${problems.length} import rule violations; the rules are in src/devtools/import-rules.ts\n`,
    );
    process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) main();
