/** The types of `kyclone/browser` and its entries. */
import { expect, test } from 'vitest';
import { declarationsOf } from '../../src/devtools/build-browser.ts';
import { complaintsOf } from '../support/page-types.ts';
import { ROOT } from '../support/root.ts';
import '../support/tier-all.ts';

test('declarationsOf browser: each kind has its own options', () => {
  const judged = (options: string) =>
    complaintsOf(
      declarationsOf(ROOT, 'browser'),
      `import kyclone, { ComponentKind, configure, init } from './module';
       kyclone.init({ kind: ComponentKind.Verify });
       configure({ baseUrl: 'http://localhost:4630' });
       const component = kyclone.init(${options});
       component.render().then(() => component.destroy());
       export default init;`,
    );
  expect(
    judged(`{
      kind: 'verify',
      variant: 'drawer',
      publicKey: 'pb_test_x',
      bootstrapData: { 'id.email': 'jane@example.com' },
      sandboxOutcome: { overallOutcome: 'step_up', documentOutcome: 'real' },
      appearance: { theme: 'dark', variables: { colorAccent: 'red' }, rules: { button: { color: 'red' } } },
      l10n: { locale: 'es-MX' },
      onComplete: (token) => console.log(token.length),
      onError: (message) => console.log(message.length),
    }`),
  ).toEqual([]);
  expect(
    judged(`{ kind: 'form', authToken: '', getRef: (form) => form.save(), options: { hideButtons: true } }`),
  ).toEqual([]);
  expect(judged(`{ kind: 'render', authToken: '', containerId: 'x' }`)).toEqual([
    expect.stringContaining("'id'"),
  ]);
  expect(judged(`{ kind: 'verify-button' }`)).toEqual([expect.stringContaining('containerId')]);
  expect(judged(`{ kind: 'verify', variant: 'popup' }`)).toEqual([expect.stringContaining('"popup"')]);
});

test('declarationsOf browser-bank-link: launch needs a token and a callback for success', () => {
  const judged = (options: string) =>
    complaintsOf(
      declarationsOf(ROOT, 'browser-bank-link'),
      `import bankLink, { launch } from './module';
       bankLink.launch(${options}).destroy();
       export default launch;`,
    );
  expect(
    judged(`{ authToken: '', onSuccess: (token) => token.length, onEvent: (name) => name === 'exit' }`),
  ).toEqual([]);
  expect(judged(`{ authToken: '' }`)).toEqual([expect.stringContaining('onSuccess')]);
});

test('declarationsOf browser-react: they stand on the types of React, and type a page with a form', () => {
  const judged = (more: string) =>
    complaintsOf(
      declarationsOf(ROOT, 'browser-react'),
      `import { createElement } from 'react';
       import { FieldErrors, Field, Form, Fp, Input, Label, Provider, useVault, VerifyButton } from './module';
       createElement(Provider, { authToken: '' }, createElement(Form, { onSubmit: async (values) => {
         await useVault().save(values);
       } }, createElement(Field, { name: 'id.dob' }, createElement(Label), createElement(Input, { placeholder: 'x' }), createElement(FieldErrors))));
       createElement(Fp.Input);
       ${more}`,
      ROOT,
    );
  expect(judged(`createElement(VerifyButton, { publicKey: '', label: 'Go' });`)).toEqual([]);
  expect(judged('createElement(Field, {});')).toEqual([expect.stringContaining('name')]);
});

test('declarations: only what the modules export is declared', () => {
  const namesIn = (declarations: string) =>
    [...declarations.matchAll(/^(?:export )?declare (?:function|class|const) (\w+)/gm)].map(
      ([, name]) => name,
    );
  const browser = ['VaultError', 'configure', 'ComponentKind', 'init', 'kyclone'];
  expect(namesIn(declarationsOf(ROOT, 'browser'))).toEqual(browser);
  expect(namesIn(declarationsOf(ROOT, 'browser-bank-link'))).toEqual(['configure', 'launch', 'bankLink']);
  const react = [
    'Provider',
    'useVault',
    'Form',
    'Field',
    'Label',
    'Input',
    'FieldErrors',
    'VerifyButton',
    'Fp',
  ];
  expect(namesIn(declarationsOf(ROOT, 'browser-react'))).toEqual([...browser, ...react]);
});
