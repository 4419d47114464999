import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { formDeclarations } from '../../src/devtools/build-form.ts';
import { ROOT } from '../support/daemon.ts';

const MODULE = '/app/form.d.ts';

/** What the compiler says about a page's code that uses `kyclone/form`, browser types and all. */
function complaints(source: string): string[] {
  const files = new Map([
    [MODULE, formDeclarations(ROOT)],
    ['/app/page.ts', source],
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

describe('formDeclarations', () => {
  test('formDeclarations: they stand alone and type what a page does with the module', () => {
    const page = `
      import { vaultClient, VaultError, vaultForm } from './form';
      const client = vaultClient({ baseUrl: 'http://127.0.0.1:4010', token: 't', fetch: window.fetch });
      client.decrypt({ fields: ['id.dob'], reason: 'support' }).then((values) => values['id.dob']);
      client.upload('document.visa.front.image', new File([], 'visa.png')).catch((error: unknown) => {
        if (error instanceof VaultError) console.log(error.code, error.status, error.context['id.dob']);
      });
      const form = vaultForm({
        container: document.body,
        baseUrl: '',
        token: 't',
        fields: ['id.dob', { identifier: 'custom.plan', label: 'Plan', type: 'json' }],
        mode: 'both',
        reason: 'support',
        onWritten: (identifiers) => console.log(identifiers.join()),
        onError: (error) => console.log(error.message),
      });
      form.destroy();
    `;

    expect(complaints(page)).toEqual([]);
  });

  test('formDeclarations: a mode that does not exist is refused', () => {
    const page = `
      import { vaultForm } from './form';
      vaultForm({ container: document.body, baseUrl: '', token: '', fields: [], mode: 'read' });
    `;

    expect(complaints(page)).toEqual([expect.stringContaining('"read"')]);
  });

  test('formDeclarations: only what the module exports is declared', () => {
    const names = [
      ...formDeclarations(ROOT).matchAll(/^(?:export )?declare (?:function|class|const) (\w+)/gm),
    ];

    expect(names.map(([, name]) => name).sort()).toEqual([
      'VaultError',
      'mountFormPage',
      'vaultClient',
      'vaultForm',
    ]);
  });
});
