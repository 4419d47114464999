import type { OpenApiDocument } from '../../contract/openapi.ts';
import { html, type Markup } from '../markup.ts';
import { table } from './table.ts';

const FIRST_CALL = `eval "$(kyclone env)"
curl "$KYCLONE_BASE_URL/users" -X POST -u "$KYCLONE_API_KEY:"`;

const TOKEN_CALLS = `curl -X POST "$KYCLONE_BASE_URL/users/FP_ID/client_token" -u "$KYCLONE_API_KEY:" \\
  -H 'content-type: application/json' \\
  -d '{"scope":"vault_and_decrypt","fields":["id.first_name"],"decrypt_reason":"Shown to the customer"}'

curl -X PATCH "$KYCLONE_BASE_URL/users/vault" -H 'x-fp-authorization: TOKEN' \\
  -H 'content-type: application/json' -d '{"id.first_name":"Jane"}'`;

const DOWNLOAD_CALL = 'curl "$KYCLONE_BASE_URL/users/vault/decrypt/TOKEN" -o FILE';

const UPLOAD =
  '"$KYCLONE_BASE_URL/users/FP_ID/vault/document.id_card.front.image/upload" -u "$KYCLONE_API_KEY:"';
const UPLOAD_CALLS = `curl ${UPLOAD} \\
  -H 'content-type: image/png' --data-binary @front.png

curl ${UPLOAD} \\
  -F 'upload_file=@front.png;type=image/png'`;

/** Prerequisites for the first call: address, credentials, tokens, files, and the meaning of the badges. */
export function startSection(document: OpenApiDocument): Markup {
  const [{ url }] = document.servers;
  return html`<section aria-labelledby="start">
    <h1 id="start">${document.info.title} API</h1>
    <p class="lead">${document.info.summary}. This instance listens on <code>${url}</code>.</p>
    <p>
      Requests and answers are JSON unless stated. <code>kyclone env</code> prints the base URL and the
      credentials for your shell:
    </p>
    <pre>${FIRST_CALL}</pre>
    ${credentials(document)} ${clientTokens()} ${files()} ${stability()}
  </section>`;
}

function credentials(document: OpenApiDocument): Markup {
  const { secretKeyBasic, secretKeyHeader, clientToken, controlToken } = document.components.securitySchemes;
  return html`<h2 class="minor">Credentials</h2>
    ${table(
      ['Credential', 'How', 'Note'],
      [
        ['secret key', 'HTTP Basic', secretKeyBasic.description],
        ['secret key', html`header <code>${secretKeyHeader.name}</code>`, secretKeyHeader.description],
        ['client token', html`header <code>${clientToken.name}</code>`, clientToken.description],
        [
          'path token',
          html`the segment <code>{token}</code> of the path`,
          'A client token of scope decrypt_download: the link downloads its one datum.',
        ],
        ['control token', html`header <code>authorization: Bearer …</code>`, controlToken.description],
      ],
    )}`;
}

function clientTokens(): Markup {
  return html`<h2 class="minor">Client tokens</h2>
    <p>
      A browser or a phone never gets the secret key. Your backend mints a token for some identifiers of one
      user or business; who holds it may write or decrypt these, as its scope says, until it expires. Web
      pages of loopback origins, and of those in the setting <code>cors.origins</code>, may call the endpoints
      under <code>/users/vault</code>.
    </p>
    <pre>${TOKEN_CALLS}</pre>
    <p>
      A token of scope <code>decrypt_download</code> goes into the path instead, and such a link is a secret:
    </p>
    <pre>${DOWNLOAD_CALL}</pre>`;
}

function files(): Markup {
  return html`<h2 class="minor">Files</h2>
    <p>
      A file goes in as it is, or as the one part <code>upload_file</code> of a multipart form, and its
      content type is kept. It comes out as base64 when decrypted among other identifiers, as its bytes when
      downloaded.
    </p>
    <pre>${UPLOAD_CALLS}</pre>`;
}

function stability(): Markup {
  return html`<h2 class="minor">Stability</h2>
    <dl class="facts">
      <dt>stable</dt>
      <dd>the service's own endpoint, as specified</dd>
      <dt>preview</dt>
      <dd>the service's own, behind a scope and free to change</dd>
      <dt>deprecated</dt>
      <dd>the service's own, on its way out</dd>
      <dt>extension</dt>
      <dd>not in the specification: a sibling that the emulator adds</dd>
      <dt>emulator</dt>
      <dd>the control plane of this instance; the service has no such thing</dd>
    </dl>`;
}
