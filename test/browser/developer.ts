/** What a developer runs: a server that holds the secret key and mints tokens, and a page with `kyclone/form` on it. */
import { expect } from 'vitest';
import { ask } from '../support/example-world.ts';
import { built, serveFiles } from './app.ts';

type Values = Readonly<Record<string, unknown>>;

/** Creates a user or business with these values, and returns calls about it with the secret key. */
export async function aVault(
  daemon: Parameters<typeof ask>[0],
  values: Values = {},
  kind: 'users' | 'businesses' = 'users',
) {
  const { url, apiKey } = daemon;
  const { id: fpId } = await ask(daemon, 'POST', `/${kind}`, values);
  const path = `/${kind}/${fpId}`;
  return {
    fpId,
    baseUrl: url,
    /** Mints a client token for the vault. */
    token: async (body: Values) => String((await ask(daemon, 'POST', `${path}/client_token`, body))['token']),
    /** Returns the stored values, read with the secret key; null for a value that isn't there. */
    stored: (...fields: string[]) =>
      ask(daemon, 'POST', `${path}/vault/decrypt`, { fields, reason: 'to see what a test stored' }),
    async upload(identifier: string, bytes: Buffer, contentType: string): Promise<void> {
      const headers = { 'x-service-secret-key': apiKey, 'content-type': contentType };
      const to = `${url}${path}/vault/${identifier}/upload`;
      const { ok } = await fetch(to, { method: 'POST', headers, body: new Uint8Array(bytes) });
      expect(ok, to).toBe(true);
    },
  };
}

/** The settings of `vaultForm` that can be written into a page. */
export interface FormSettings {
  readonly baseUrl: string;
  readonly token: string;
  readonly fields: readonly (string | { identifier: string; label?: string; type?: string })[];
  readonly mode?: 'write' | 'reveal' | 'both';
  readonly reason?: string;
}

/**
 * Serves a page with the form on a port of its own, and returns the port. The page's body lists what the form reported;
 * the page's button destroys the form.
 */
export async function developerPage(settings: FormSettings): Promise<number> {
  const files: Readonly<Record<string, string>> = { '/': pageWith(settings), '/form.js': built('form.js') };
  return (await serveFiles((path) => files[path])).port;
}

function pageWith(settings: FormSettings): string {
  return `<!doctype html>
    <html lang="en">
      <title>A page of a developer</title>
      <div id="form"></div>
      <button id="destroy">Destroy</button>
      <script type="module">
        import { vaultForm } from '/form.js';
        const form = vaultForm({
          ...${JSON.stringify(settings).replaceAll('<', '\\u003c')},
          container: document.querySelector('#form'),
          onWritten: (identifiers) => (document.body.dataset.written = identifiers.join(' ')),
          onError: ({ code, status }) => (document.body.dataset.refused = code + ' ' + status),
        });
        document.querySelector('#destroy').addEventListener('click', () => form.destroy());
      </script>
    </html>`;
}
