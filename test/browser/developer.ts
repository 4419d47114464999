/** What a developer runs: a server that holds the secret key and mints tokens, and a page with `kyclone/form` on it. */
import type { TestDaemon } from '../support/daemon.ts';
import { built, serveFiles } from './app.ts';

type Values = Readonly<Record<string, unknown>>;

export interface DeveloperServer {
  readonly fpId: string;
  readonly baseUrl: string;
  /** Mints a client token for the vault. */
  token(body: Values): Promise<string>;
  /** Returns the stored values, read with the secret key; null for a value that isn't there. */
  stored(...fields: string[]): Promise<Values>;
  upload(identifier: string, bytes: Buffer, contentType: string): Promise<void>;
}

/** Creates a user or business with these values, and returns calls about it with the secret key. */
export async function aVault(
  { url, apiKey }: Pick<TestDaemon, 'url' | 'apiKey'>,
  values: Values = {},
  kind: 'users' | 'businesses' = 'users',
): Promise<DeveloperServer> {
  const call = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    contentType = 'application/json',
  ): Promise<Values> => {
    const headers = { 'x-service-secret-key': apiKey, 'content-type': contentType };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Values;
  };
  const fpId = String((await call(`/${kind}`, JSON.stringify(values)))['id']);
  const path = `/${kind}/${fpId}`;
  return {
    fpId,
    baseUrl: url,
    async token(body) {
      return String((await call(`${path}/client_token`, JSON.stringify(body)))['token']);
    },
    stored: (...fields) =>
      call(`${path}/vault/decrypt`, JSON.stringify({ fields, reason: 'to see what a test stored' })),
    async upload(identifier, bytes, contentType) {
      await call(`${path}/vault/${identifier}/upload`, new Uint8Array(bytes), contentType);
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
