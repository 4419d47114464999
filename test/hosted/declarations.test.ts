/** The types of `kyclone/onboarding` and `kyclone/bank-link`. */
import { expect, test } from 'vitest';
import { declarationsOf } from '../../src/devtools/build-browser.ts';
import { ROOT } from '../support/root.ts';
import { complaintsOf } from '../support/page-types.ts';
import '../support/tier-all.ts';

const complaints = (source: string) => complaintsOf(declarationsOf(ROOT, 'onboarding'), source);

test('declarationsOf onboarding: they stand alone and type what a page does with the module', () => {
  const page = `
    import { openOnboarding, type Appearance } from './module';
    const appearance: Appearance = { theme: 'dark', radius: 4 };
    const flow = openOnboarding({
      token: 'obtok_x',
      baseUrl: 'http://127.0.0.1:4010',
      container: document.body,
      appearance,
      onComplete: ({ validation_token }) => console.log(validation_token.length),
      onError: ({ message }) => console.log(message.length),
    });
    flow.close();
  `;
  expect(complaints(page)).toEqual([]);
});

test('declarationsOf onboarding: without onComplete, and a theme that does not exist, are refused', () => {
  const page = (more: string) =>
    `import { openOnboarding } from './module'; openOnboarding({ token: '', baseUrl: '', ${more} });`;
  expect(complaints(page(''))).toEqual([expect.stringContaining('onComplete')]);
  expect(complaints(page(`onComplete() {}, appearance: { theme: 'auto' }`))).toEqual([
    expect.stringContaining('"auto"'),
  ]);
});

test('declarations: who leaves for the page names no callback there, and takes the end where the page comes back', () => {
  const at = `token: '', baseUrl: ''`;
  const onboarding = (code: string) =>
    complaints(`import { redirectToOnboarding, takeOnboardingResult } from './module'; ${code}`);
  const bank = (code: string) =>
    complaintsOf(
      declarationsOf(ROOT, 'bank-link'),
      `import { redirectToBankLink, takeBankLinkResult } from './module'; ${code}`,
    );
  expect(onboarding(`redirectToOnboarding({ ${at}, appearance: { radius: 4 } })`)).toEqual([]);
  expect(onboarding(`redirectToOnboarding({ ${at}, onComplete() {} })`)).toEqual([
    expect.stringContaining('onComplete'),
  ]);
  const taken = `const isTaken: boolean = takeOnboardingResult({
    onComplete: ({ validation_token, intent_token }) => [validation_token.length, intent_token?.length],
  });`;
  expect(onboarding(taken)).toEqual([]);
  expect(bank(`redirectToBankLink({ ${at} })`)).toEqual([]);
  expect(bank(`redirectToBankLink({ ${at}, container: document.body })`)).toEqual([
    expect.stringContaining('container'),
  ]);
  expect(bank('takeBankLinkResult({ onCancel() {} })')).toEqual([expect.stringContaining('onSuccess')]);
});

test('declarationsOf onboarding: only what the module exports is declared', () => {
  const names = [
    ...declarationsOf(ROOT, 'onboarding').matchAll(/^(?:export )?declare (?:function|class|const) (\w+)/gm),
  ];
  expect(names.map(([, name]) => name)).toEqual([
    'openOnboarding',
    'redirectToOnboarding',
    'takeOnboardingResult',
  ]);
});

test('declarationsOf bank-link: they type what a page does with the module, and declare nothing else', () => {
  const page = (more: string) => `
    import { openBankLink } from './module';
    openBankLink({ token: 'blit_x', baseUrl: 'http://127.0.0.1:4010', ${more} }).close();
  `;
  const judged = (more: string) => complaintsOf(declarationsOf(ROOT, 'bank-link'), page(more));
  expect(judged('onSuccess: ({ intent_token }) => console.log(intent_token.length)')).toEqual([]);
  expect(judged('')).toEqual([expect.stringContaining('onSuccess')]);
  const names = [
    ...declarationsOf(ROOT, 'bank-link').matchAll(/^(?:export )?declare (?:function|class|const) (\w+)/gm),
  ];
  expect(names.map(([, name]) => name)).toEqual(['openBankLink', 'redirectToBankLink', 'takeBankLinkResult']);
});
