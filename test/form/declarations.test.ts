import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../../src/devtools/build-browser.ts';
import { ROOT } from '../support/root.ts';
import { complaintsOf, namesIn } from '../support/page-types.ts';

const complaints = (source: string) => complaintsOf(declarationsOf(ROOT, 'form'), source);

describe('declarationsOf form', () => {
  test('declarationsOf form: they stand alone and type what a page does with the module', () => {
    const page = `
      import { vaultClient, VaultError, vaultForm } from './module';
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

  test('declarationsOf form: a mode that does not exist is refused', () => {
    const page = `
      import { vaultForm } from './module';
      vaultForm({ container: document.body, baseUrl: '', token: '', fields: [], mode: 'read' });
    `;

    expect(complaints(page)).toEqual([expect.stringContaining('"read"')]);
  });

  test('declarationsOf form: only what the module exports is declared', () => {
    expect(namesIn(declarationsOf(ROOT, 'form')).sort()).toEqual([
      'VaultError',
      'mountFormPage',
      'vaultClient',
      'vaultForm',
    ]);
  });
});
