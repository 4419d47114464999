/**
 * `kyclone/form`: one module without dependencies that a page loads as it is (contract §0.1, §2.3–2.7). The emulator
 * serves it to its own page, too, where it mounts itself, since inline scripts are blocked there.
 */
import { element } from './elements.ts';
import { VaultError } from './errors.ts';
import { createField } from './field.ts';
import { vaultForm } from './form.ts';
import { labelOf } from './labels.ts';
import { summaryOf } from './messages.ts';
import { callFile, callJson, type FormConnection } from './request.ts';
import { fileLink, type RevealedField } from './revealed.ts';

export { VaultError } from './errors.ts';
export { vaultClient } from './client.ts';
export { vaultForm } from './form.ts';
// The emulator's own page `/_kyclone/form`. It asks for a client token, asks the service for the token's scope, and
// shows a form for exactly that. The token may come in the URL fragment, which browsers never send, and is removed from
// it at once.

/** The response of `GET /users/client_token`. */
interface TokenFacts {
  readonly fp_id: string;
  readonly scope: string;
  readonly fields: readonly string[];
  readonly expires_at: string;
}

const MODES: ReadonlyMap<string, 'write' | 'reveal' | 'both'> = new Map([
  ['vault', 'write'],
  ['vault_card', 'write'],
  ['decrypt', 'reveal'],
  ['vault_and_decrypt', 'both'],
]);

/** Mounts the page if the document has `<main data-kyclone-form>`; ignores any other document. */
export function mountFormPage(document: Document): void {
  const main = document.querySelector<HTMLElement>('main[data-kyclone-form]');
  const window = document.defaultView;
  if (!main || !window) return;
  const token = createField({
    id: 'kyclone-token',
    identifier: 'token',
    label: 'Client token',
    hint: 'It begins with cttok_. Your server mints it with its secret key.',
  });
  const open = element('form', { novalidate: '', autocomplete: 'off', class: 'kyclone-form' }, [
    token.root,
    element('div', { class: 'kyclone-actions' }, [
      element('button', { type: 'submit', class: 'kyclone-primary' }, ['Open']),
    ]),
  ]);
  const panel = element('section', { class: 'kyclone-panel', 'aria-label': 'What the token is for' });
  panel.hidden = true;
  let close = (): void => undefined;
  /** The most recent token; a response about an earlier one is ignored. */
  let asked = 0;

  open.addEventListener('submit', (event) => {
    event.preventDefault();
    const entry = token.entry();
    if (entry?.kind === 'value') void show(entry.raw.trim());
    else token.fail('is required');
  });
  window.addEventListener('hashchange', takeFragment);
  main.append(open, panel);
  takeFragment();

  function takeFragment(): void {
    const fragment = window?.location.hash.slice(1) ?? '';
    // The address of /hosted/vault ends with just the token.
    const given = fragment.startsWith('cttok_') ? fragment : new URLSearchParams(fragment).get('token');
    if (given === null || !window) return;
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
    void show(given);
  }

  async function show(text: string): Promise<void> {
    const turn = ++asked;
    close();
    panel.hidden = true;
    panel.replaceChildren();
    token.fail('');
    const connection = { baseUrl: window?.location.origin ?? '', token: text };
    try {
      const facts = (await callJson(connection, {
        method: 'GET',
        path: '/users/client_token',
      })) as TokenFacts;
      if (turn !== asked) return;
      token.clear();
      panel.append(...factsOf(facts));
      panel.hidden = false;
      panel.querySelector('h2')?.focus();
      close = mount(panel, connection, facts);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (turn !== asked) return;
      token.fail(summaryOf(error, []));
      token.focus();
    }
  }
}

function factsOf({ fp_id, scope, fields, expires_at }: TokenFacts): HTMLElement[] {
  const [only = ''] = fields;
  const isOne = fields.length === 1;
  const heading = element('h2', { tabindex: '-1' }, [isOne ? labelOf(only) : `${fields.length} fields`]);
  const rows = [
    ['Vault', fp_id],
    ['Scope', scope],
    ...(isOne ? [['Field', only]] : []),
    ['Expires', expires_at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
  ].flatMap(([term = '', text = '']) => [
    element('dt', {}, [term]),
    element('dd', {}, [element('code', {}, [text])]),
  ]);
  return [heading, element('dl', { class: 'facts' }, rows)];
}

function mount(
  container: HTMLElement,
  connection: FormConnection,
  { scope, fields }: TokenFacts,
): () => void {
  const mode = MODES.get(scope);
  if (mode === undefined) return mountDownload(container, connection, fields[0] ?? '');
  const form = vaultForm({ ...connection, container, fields, mode });
  return () => form.destroy();
}

/** Downloads by script: a plain link would leave its address, with the token, in the browser's list of downloads. */
function mountDownload(container: HTMLElement, connection: FormConnection, identifier: string): () => void {
  const reason = createField({
    id: 'kyclone-download-reason',
    identifier: 'reason',
    label: 'Reason for downloading',
    hint: 'Goes into the access log. The token may carry one already.',
  });
  const alert = element('div', { class: 'kyclone-alert', role: 'alert' });
  const result = element('p', { class: 'kyclone-status', role: 'status' });
  const form = element('form', { novalidate: '', autocomplete: 'off', class: 'kyclone-form' }, [
    alert,
    reason.root,
    element('div', { class: 'kyclone-actions' }, [
      element('button', { type: 'submit', class: 'kyclone-primary' }, ['Download']),
    ]),
    result,
  ]);
  let saved: RevealedField | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void download();
  });
  container.append(form);
  return () => {
    saved?.release();
    form.remove();
  };

  async function download(): Promise<void> {
    alert.textContent = '';
    result.replaceChildren();
    reason.fail('');
    const entry = reason.entry();
    const query = entry?.kind === 'value' ? `?reason=${encodeURIComponent(entry.raw)}` : '';
    const path = `/users/vault/decrypt/${encodeURIComponent(connection.token)}${query}`;
    try {
      const file = await callFile(connection, { method: 'GET', path });
      if (!form.isConnected) return;
      saved?.release();
      const link = fileLink(file, identifier);
      saved = link;
      result.append(link.element);
      link.element.click();
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (error.code === 'reason_required') {
        reason.fail('is required');
        reason.focus();
      }
      alert.textContent = summaryOf(error, []);
    }
  }
}

if (typeof document !== 'undefined') mountFormPage(document);
