/** Apps that a bundler builds, with an alias for the service's SDK: only a browser runs them (contract §14). */
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { notesOf, waitUntilNoted } from './app.ts';
import { expectAccessible } from './axe.ts';
import { skipsBrowser, useBrowser } from './chromium.ts';
import { aVault } from './developer.ts';
import { useDaemon } from '../support/use-shared.ts';
import { aSession } from './hosted.ts';
import { aModuleApp, codeOf, consoleOf, expectFits } from './module-app.ts';

/** Builds the code as its developer would, who has the package installed. */
async function bundled(code: string, baseUrl: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT, loader: 'ts' },
    alias: { 'identity-sdk': 'kyclone/browser', 'identity-sdk-react': 'kyclone/browser/react' },
    define: { KYCLONE_BASE_URL: JSON.stringify(baseUrl), 'process.env.NODE_ENV': '"production"' },
    bundle: true,
    format: 'esm',
    outdir: ROOT,
    write: false,
  });
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
}

describe.skipIf(skipsBrowser)('a bundled app', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  async function open(code: string) {
    const baseUrl = daemon().url;
    const text = await bundled(code, baseUrl);
    const port = await aModuleApp({ baseUrl, options: '', files: { '/app.js': text } });
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const lines = consoleOf(page);
    await page.goto(`http://localhost:${port}/`);
    return { page, lines };
  }

  test('alias: an app that imports the SDK and its style opens the flow of this instance', async () => {
    const { token } = await aSession(daemon());
    const imports = "import kyclone from 'identity-sdk'; import 'identity-sdk/dist/identity-sdk.css';";
    const options = `{ kind: 'verify', authToken: '${token}', onClose: () => note('close') }`;
    const { page, lines } = await open(imports + codeOf({ baseUrl: '', setup: ';', options }));
    await page.locator('#render').click();
    await page.frameLocator('iframe').getByLabel('E-mail address').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await waitUntilNoted(page, 'close');
    expect(lines).toEqual([]);
  });

  test('react: the form stores by identifier and shows refusals beside the fields; the button opens the flow', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name', 'id.ssn9'] });
    const { token: session } = await aSession(daemon());
    const { page, lines } = await open(`
      import { createElement as h, StrictMode, useState } from 'react';
      import { createRoot } from 'react-dom/client';
      import { FieldErrors, Field, Form, Fp, Input, Label, Provider, useVault, VerifyButton } from 'identity-sdk-react';
      const note = (text) => (document.body.dataset.noted += text + ' ');
      const Own = () => {
        const { save, isBusy } = useVault();
        return h('button', { type: 'button', disabled: isBusy, onClick: () => save({ 'id.first_name': 'Joan' }).then(() => note('own')) }, 'Save mine');
      };
      createRoot(document.querySelector('#place')).render(h(StrictMode, null,
        h(Provider, { authToken: '${token}' },
          h(Form, { onSaved: () => note('saved'), defaultValues: { 'id.first_name': 'Jane' } },
            h(Field, { name: 'id.first_name' }, h(Label), h(Input), h(FieldErrors)),
            h(Fp.Field, { name: 'id.ssn9' }, h(Label, null, 'Tax number'), h(Input), h(FieldErrors)),
            h('button', null, 'Store')),
          h(Own)),
        h(VerifyButton, { label: 'Check me', authToken: '${session}', onClose: () => note('closed') })));
    `);
    const tax = page.getByLabel('Tax number');
    await tax.fill('12');
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => tax.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await expectFits(page);
    await tax.fill('121-12-1212');
    await page.getByRole('button', { name: 'Store' }).click();
    await waitUntilNoted(page, 'saved');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await vault.stored('id.first_name', 'id.ssn9')).toEqual({
      'id.first_name': 'Jane',
      'id.ssn9': '121121212',
    });
    await page.getByRole('button', { name: 'Save mine' }).click();
    await waitUntilNoted(page, 'own');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': 'Joan' });
    await page.getByRole('button', { name: 'Check me' }).click();
    await page.frameLocator('iframe').getByLabel('E-mail address').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await waitUntilNoted(page, 'closed');
    await expect.poll(() => notesOf(page)).toBe('saved own closed');
    // The browser reports the refused call by itself.
    expect(lines.filter((line) => !line.includes('400'))).toEqual([
      expect.stringMatching(/^kyclone: .*not valid/),
    ]);
  });

  test('react: a half-typed date is not left out, onError has what no field shows, and two presses send once', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name', 'id.dob'] });
    const { page } = await open(`
      import { createElement as h } from 'react';
      import { createRoot } from 'react-dom/client';
      import { FieldErrors, Field, Form, Input, Label, Provider, VerifyButton } from 'kyclone/browser/react';
      const note = (text) => (document.body.dataset.noted += text.replaceAll(' ', '_') + ' ');
      createRoot(document.querySelector('#place')).render(h(Provider, { authToken: '${token}' },
        h(Form, { onSaved: () => note('saved'), onError: note },
          h(Field, { name: 'id.first_name' }, h(Label), h(Input)),
          h(Field, { name: 'id.dob' }, h(Label), h(Input), h(FieldErrors)),
          h('button', null, 'Store')),
        h(VerifyButton, { publicKey: 'pb_test_none', l10n: { locale: 'es-MX' } })));
    `);
    await page.getByRole('button', { name: 'Verificar mi identidad' }).waitFor();
    await page.getByLabel('First name').fill('Jane');
    await page.getByLabel('Date of birth').pressSequentially('12');
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByRole('alert').filter({ hasText: 'is not complete' }).waitFor();
    await expect.poll(() => notesOf(page)).toBe('Nothing_was_sent:_id.dob_is_not_complete');
    await page.getByLabel('Date of birth').fill('1988-12-30');
    await page.getByRole('button', { name: 'Store' }).dblclick();
    await waitUntilNoted(page, 'saved');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Store' }).click();
    await waitUntilNoted(page, 'Nothing_answers_at');
    await expect.poll(() => notesOf(page)).toMatch(/complete saved Nothing/);
    expect(await vault.stored('id.first_name', 'id.dob')).toEqual({
      'id.first_name': 'Jane',
      'id.dob': '1988-12-30',
    });
  });
});
