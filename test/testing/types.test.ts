/** The built types of `kyclone/testing` in strict TypeScript projects that have installed none of our other packages. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { tempDir } from '../support/temp-dir.ts';
import '../support/tier-all.ts';

const { ESNext, Node16 } = ts.ModuleKind;
const BROWSER = ['form', 'onboarding', 'bank-link', 'browser', 'browser/bank-link'];
const PROJECTS = [
  { type: 'module', module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  { type: 'commonjs', module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  { type: 'module', module: ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  // What ts-jest takes by default.
  { type: 'commonjs', module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
] as const;

test('types: a strict project compiles, as a module, as CommonJS, for a bundler, and as older compilers look for modules', () => {
  // TypeScript's own libraries are parsed once, and not checked.
  const libraries = new Map<string, ts.SourceFile | undefined>();
  for (const { type, ...resolution } of PROJECTS) {
    using folder = tempDir();
    const own = join(folder.path, 'node_modules/kyclone');
    mkdirSync(own, { recursive: true });
    for (const file of [
      'testing.d.ts',
      'testing.d.cts',
      ...BROWSER.map((name) => `${name.replace('/', '-')}.d.ts`),
    ]) {
      cpSync(join(ROOT, 'dist', file), join(own, 'dist', file));
    }
    cpSync(join(ROOT, 'package.json'), join(own, 'package.json'));
    const consumer = join(folder.path, 'consumer.ts');
    cpSync(join(ROOT, 'test/testing/a-consumer.txt'), consumer);
    const page = join(folder.path, 'page.ts');
    writeFileSync(page, BROWSER.map((name, at) => `export * as n${at} from 'kyclone/${name}';\n`).join(''));
    // Node's own rules refuse modules in CommonJS.
    const isCommonJs = type === 'commonjs' && resolution.module === Node16;
    const roots = isCommonJs ? [consumer] : [consumer, page];
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ type }));

    const options: ts.CompilerOptions = {
      ...resolution,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      types: [],
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getSourceFile = (path, ...rest) => {
      if (path.startsWith(folder.path)) return getSourceFile(path, ...rest);
      if (!libraries.has(path)) libraries.set(path, getSourceFile(path, ...rest));
      return libraries.get(path);
    };
    const program = ts.createProgram(roots, options, host);
    const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder.path));
    expect(files.map(({ fileName }) => fileName)).toHaveLength(isCommonJs ? 2 : 3 + BROWSER.length);
    const problems = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...files.flatMap((file) => [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ]),
    ];
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  }
});
