/** The types of the modules for pages: they stand alone, type what a page does, and declare nothing else. */
import { expect, test } from 'vitest';
import { declarationsOf } from '../../src/devtools/build-browser.ts';
import { complaintsOf, namesIn } from '../support/page-types.ts';
import { ROOT } from '../support/root.ts';
import '../support/tier-all.ts';

type Module = Parameters<typeof declarationsOf>[1];

const AT = `token: '', baseUrl: ''`;
const ONBOARDING = `import * as onboarding from './module'; import type { Appearance } from './module';`;
const BANK = `import * as bank from './module';`;
const BROWSER = `import kyclone, { ComponentKind, configure, init } from './module';
  kyclone.init({ kind: ComponentKind.Verify });
  configure({ baseUrl: 'http://localhost:4630' });
  export default init;`;
const component = (options: string) =>
  `${BROWSER} const component = kyclone.init(${options}); component.render().then(() => component.destroy());`;
const launched = (options: string) =>
  `import bankLink, { launch } from './module'; bankLink.launch(${options}).destroy(); export default launch;`;
const REACT = `import { createElement } from 'react';
  import { FieldErrors, Field, Form, Fp, Input, Label, Provider, useVault, VerifyButton } from './module';
  createElement(Provider, { authToken: '' }, createElement(Form, { onSubmit: async (values) => {
    await useVault().save(values);
  } }, createElement(Field, { name: 'id.dob' }, createElement(Label), createElement(Input, { placeholder: 'x' }), createElement(FieldErrors))));
  createElement(Fp.Input);`;

/** What the compiler refuses in the code of a page; undefined for code that it takes. */
test.each<[Module, string, string | undefined]>([
  [
    'onboarding',
    `${ONBOARDING} const appearance: Appearance = { theme: 'dark', radius: 4 };
    onboarding.openOnboarding({ ${AT}, container: document.body, appearance,
      onComplete: ({ validation_token }) => console.log(validation_token.length),
      onError: ({ message }) => console.log(message.length),
    }).close();
    onboarding.redirectToOnboarding({ ${AT}, appearance });
    const isTaken: boolean = onboarding.takeOnboardingResult({
      onComplete: ({ validation_token, intent_token }) => [validation_token.length, intent_token?.length],
    });`,
    undefined,
  ],
  ['onboarding', `${ONBOARDING} onboarding.openOnboarding({ ${AT} });`, 'onComplete'],
  [
    'onboarding',
    `${ONBOARDING} onboarding.openOnboarding({ ${AT}, onComplete() {}, appearance: { theme: 'auto' } });`,
    '"auto"',
  ],
  ['onboarding', `${ONBOARDING} onboarding.redirectToOnboarding({ ${AT}, onComplete() {} });`, 'onComplete'],
  [
    'bank-link',
    `${BANK} bank.openBankLink({ ${AT}, onSuccess: ({ intent_token }) => console.log(intent_token.length) }).close();
    bank.redirectToBankLink({ ${AT} });`,
    undefined,
  ],
  ['bank-link', `${BANK} bank.openBankLink({ ${AT} });`, 'onSuccess'],
  ['bank-link', `${BANK} bank.redirectToBankLink({ ${AT}, container: document.body });`, 'container'],
  ['bank-link', `${BANK} bank.takeBankLinkResult({ onCancel() {} });`, 'onSuccess'],
  [
    'browser',
    component(`{
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
    undefined,
  ],
  [
    'browser',
    component(
      `{ kind: 'form', authToken: '', getRef: (form) => form.save(), options: { hideButtons: true } }`,
    ),
    undefined,
  ],
  ['browser', component(`{ kind: 'render', authToken: '', containerId: 'x' }`), "'id'"],
  ['browser', component(`{ kind: 'verify-button' }`), 'containerId'],
  ['browser', component(`{ kind: 'verify', variant: 'popup' }`), '"popup"'],
  [
    'browser-bank-link',
    launched(`{ authToken: '', onSuccess: (token) => token.length, onEvent: (name) => name === 'exit' }`),
    undefined,
  ],
  ['browser-bank-link', launched(`{ authToken: '' }`), 'onSuccess'],
  ['browser-react', `${REACT} createElement(VerifyButton, { publicKey: '', label: 'Go' });`, undefined],
  ['browser-react', `${REACT} createElement(Field, {});`, 'name'],
  [
    'form',
    `import { vaultClient, VaultError, vaultForm } from './module';
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
    form.destroy();`,
    undefined,
  ],
  [
    'form',
    `import { vaultForm } from './module';
    vaultForm({ container: document.body, baseUrl: '', token: '', fields: [], mode: 'read' });`,
    '"read"',
  ],
])('declarationsOf %s: the compiler judges page %#', (module, page, refused) => {
  const folder = module === 'browser-react' ? ROOT : undefined;
  const complaints = complaintsOf(declarationsOf(ROOT, module), page, folder);
  expect(complaints).toEqual(refused === undefined ? [] : [expect.stringContaining(refused)]);
});

const OF_BROWSER = ['VaultError', 'configure', 'ComponentKind', 'init', 'kyclone'];

test.each<[Module, string[]]>([
  ['form', ['VaultError', 'vaultClient', 'vaultForm', 'mountFormPage']],
  ['onboarding', ['openOnboarding', 'redirectToOnboarding', 'takeOnboardingResult']],
  ['bank-link', ['openBankLink', 'redirectToBankLink', 'takeBankLinkResult']],
  ['browser', OF_BROWSER],
  ['browser-bank-link', ['configure', 'launch', 'bankLink']],
  [
    'browser-react',
    [...OF_BROWSER, ...'Provider useVault Form Field Label Input FieldErrors VerifyButton Fp'.split(' ')],
  ],
])('declarationsOf %s: only what the module exports is declared', (module, names) => {
  expect(namesIn(declarationsOf(ROOT, module))).toEqual(names);
});
