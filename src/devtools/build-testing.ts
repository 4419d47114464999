/**
 * Builds `kyclone/testing`: the daemon and the client as one CommonJS file for `require`
 * (`dist/testing.cjs`), a thin module over it for `import`, so that both share one instance of everything,
 * and self-contained declarations.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';
import ts from 'typescript';
import { declaredIn } from './build-browser.ts';
import { keepToAscii } from './ascii.ts';
import { build, COMMON_JS } from './strict-build.ts';

export async function buildTesting(
  shared: BuildOptions & { outdir: string },
  root: string,
): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    ...COMMON_JS,
    entryPoints: [{ in: 'src/testing/index.ts', out: 'testing' }],
    outExtension: { '.js': '.cjs' },
    // Node prints the whole source line of an error that nobody catches.
    lineLimit: 120,
    // A test runner's sandbox may have no import() in CommonJS.
    supported: { 'dynamic-import': false },
  });
  const required = join(shared.outdir, 'testing.cjs');
  keepToAscii(required);
  writeFileSync(join(shared.outdir, 'testing.js'), moduleOver(required));
  const declarations = testingDeclarations(root);
  writeFileSync(join(shared.outdir, 'testing.d.ts'), declarations);
  // `require` needs declarations in a .d.cts file: the compiler would refuse the ESM ones.
  writeFileSync(join(shared.outdir, 'testing.d.cts'), declarations);
  return metafile;
}

/**
 * Lists the export names, because `import { startKyclone }` is resolved before any code runs. It avoids `import
 * testing from`, for which Node would search the text of the file for its exports; that takes longer than all the
 * rest.
 */
function moduleOver(file: string): string {
  const names = Object.keys(createRequire(import.meta.url)(file) as object).sort();
  return [
    `import { createRequire } from 'node:module';`,
    `export const { ${names.join(', ')} } = createRequire(import.meta.url)('./testing.cjs');\n`,
  ].join('\n');
}

// The types of `kyclone/testing` as one self-contained file. The schemas that type the client belong to a library
// that is not shipped, so the compiler resolves what each call sends and returns, and this file writes that down.

// Writes a type out in full, without names that would need an import.

/** Types of the standard library, which keep their names. */
const KNOWN: ReadonlySet<string> = new Set(['Uint8Array', 'AsyncIterable', 'Date']);
const NAME = /^[A-Za-z_$][\w$]*$/;

function typeText(checker: ts.TypeChecker, type: ts.Type): string {
  const text = (each: ts.Type): string => typeText(checker, each);
  const plain = () => checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  if (type.isUnion()) return unionText(checker, type);
  if (type.getCallSignatures().length > 0) throw new Error(`a function in an answer: ${plain()}`);
  const symbol = type.getSymbol()?.name;
  if (symbol !== undefined && KNOWN.has(symbol)) {
    const [of] = checker.getTypeArguments(type as ts.TypeReference);
    return symbol === 'AsyncIterable' && of ? `AsyncIterable<${text(of)}>` : symbol;
  }
  if (checker.isTupleType(type)) return plain();
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    const inner = element ? text(element) : 'unknown';
    return /^[\w$]+$/.test(inner) ? `${inner}[]` : `Array<${inner}>`;
  }
  if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectText(checker, type);
  return plain();
}

function unionText(checker: ts.TypeChecker, type: ts.UnionType): string {
  const parts = type.types.map((each) => typeText(checker, each));
  const isBoolean = parts.includes('true') && parts.includes('false');
  const shown = isBoolean
    ? [...parts.filter((part) => part !== 'true' && part !== 'false'), 'boolean']
    : parts;
  return [...new Set(shown)].join(' | ');
}

function objectText(checker: ts.TypeChecker, type: ts.Type): string {
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const name = NAME.test(property.name) ? property.name : JSON.stringify(property.name);
    return `${name}${isOptional ? '?' : ''}: ${typeText(checker, checker.getTypeOfSymbol(property))};`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map((info) => `[name: ${checker.typeToString(info.keyType)}]: ${typeText(checker, info.type)};`);
  const all = [...indexes, ...members];
  if (all.length === 0) return 'Record<string, never>';
  return `{\n${all.join('\n')}\n}`;
}

/** A virtual file with the types to resolve. */
const PROBE = `
import type { CallKey, CallOptions, UploadKey, UploadOptions } from '../client/calls.ts';
import type { CallerKind } from '../contract/facts/credentials.ts';
import type { Environment } from '../nouns/entities/facts.ts';
import type { AnswerOf, RequestOf } from '../contract/registry.ts';
export interface Probe {
  Calls: { [K in CallKey]: { options: CallOptions<K>; body: RequestOf<K>['body']; answer: AnswerOf<K> } };
  Uploads: { [K in UploadKey]: { options: Omit<UploadOptions<K>, 'file' | 'onProgress'>; answer: AnswerOf<K> } };
}
export interface Words { CallerKind: CallerKind; Environment: Environment }
`;

const HEADER = `/// <reference lib="esnext.disposable" />

type Buffer = Uint8Array;
type IncomingHttpHeaders = Record<string, string | string[] | undefined>;
`;

/** The types that client/calls.ts derives from the contract, derived here from the resolved calls. */
const DERIVED = `
export type CallKey = keyof Calls;
export type UploadKey = keyof Uploads;
type AnswerOf<K extends CallKey | UploadKey> = (Calls & Uploads)[K]['answer'];
type RequestOf<K extends CallKey> = { readonly body: Calls[K]['body'] };
export type CallOptions<K extends CallKey> = Calls[K]['options'];
export type CallArguments<K extends CallKey> =
  Partial<CallOptions<K>> extends CallOptions<K> ? [options?: CallOptions<K>] : [options: CallOptions<K>];
export type UploadOptions<K extends UploadKey> = Uploads[K]['options'] & {
  readonly file: OutgoingFile;
  readonly onProgress?: ((sent: number) => void) | undefined;
};
`;

/** Declarations to copy unchanged; all of a file if no names are given. */
const SOURCES: readonly { readonly file: string; readonly names?: readonly string[] }[] = [
  { file: 'src/client/transport.ts', names: ['WireRequest'] },
  { file: 'src/client/calls.ts', names: ['OutgoingFile', 'DownloadOptions'] },
  { file: 'src/client/client.ts', names: ['Exchange', 'Download', 'RawRequest', 'Client'] },
  { file: 'src/client/credentials.ts', names: ['CredentialChoice'] },
  { file: 'src/client/errors.ts', names: ['ApiError', 'UnreachableError', 'MissingCredentialError'] },
  {
    file: 'src/client/fixtures/errors.ts',
    names: ['FixtureErrorCode', 'FixtureErrorDetails', 'FixtureError'],
  },
  { file: 'src/testing/errors.ts' },
  { file: 'src/testing/api.ts' },
  { file: 'src/testing/index.ts', names: ['startKyclone'] },
];

function testingDeclarations(root: string): string {
  const copied = SOURCES.flatMap(({ file, names }) => declaredIn(join(root, file), names));
  return [HEADER, ...workedOut(root), DERIVED, ...copied].join('\n');
}

/** The resolved calls as interfaces, and the named types that other declarations use. */
function workedOut(root: string): string[] {
  const { program, probe } = probed(root);
  const checker = program.getTypeChecker();
  const membersOf = (name: string) => {
    const declared = probe.statements.find(
      (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === name,
    );
    if (!declared) throw new Error(`the probe declares no ${name}`);
    const members = checker.getTypeAtLocation(declared).getProperties();
    return members.map((member) => ({
      name: member.name,
      text: typeText(checker, checker.getTypeOfSymbol(member)),
    }));
  };
  return [
    ...membersOf('Words').map(({ name, text }) => `export type ${name} = ${text};\n`),
    ...membersOf('Probe').map(({ name, text }) => `export interface ${name} ${text}\n`),
  ];
}

function probed(root: string): { program: ts.Program; probe: ts.SourceFile } {
  const name = join(root, 'src/testing/probe-of-calls.ts');
  const read = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  if (read.error) throw new Error(ts.flattenDiagnosticMessageText(read.error.messageText, '\n'));
  const config: unknown = read.config;
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);
  const host = ts.createCompilerHost(options);
  const onDisk = { ...host };
  host.fileExists = (path) => path === name || onDisk.fileExists(path);
  host.readFile = (path) => (path === name ? PROBE : onDisk.readFile(path));
  host.getSourceFile = (path, ...rest) =>
    path === name
      ? ts.createSourceFile(path, PROBE, ts.ScriptTarget.ES2023)
      : onDisk.getSourceFile(path, ...rest);
  const program = ts.createProgram([name], options, host);
  const probe = program.getSourceFile(name);
  if (!probe) throw new Error('the probe was not compiled');
  const [problem] = program.getSemanticDiagnostics(probe);
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  return { program, probe };
}
