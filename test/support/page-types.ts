import ts from 'typescript';

/**
 * Returns the compiler's messages on the code of a page. The page uses browser types, and a module (`./module`) with
 * these declarations. `folder` is where the page looks for packages.
 */
export function complaintsOf(declarations: string, source: string, folder = '/app'): string[] {
  const files = new Map([
    [`${folder}/module.d.ts`, declarations],
    [`${folder}/page.ts`, source],
  ]);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2020.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    directoryExists: () => true,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    getSourceFile: (name, ...rest) => {
      const text = files.get(name);
      return text === undefined
        ? disk.getSourceFile(name, ...rest)
        : ts.createSourceFile(name, text, ts.ScriptTarget.ES2020);
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()]
    .flatMap((name) => {
      const file = program.getSourceFile(name);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    })
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** The names that the declarations of a module declare, in their order. */
export function namesIn(declarations: string): (string | undefined)[] {
  const declared = /^(?:export )?declare (?:function|class|const) (\w+)/gm;
  return [...declarations.matchAll(declared)].map(([, name]) => name);
}
