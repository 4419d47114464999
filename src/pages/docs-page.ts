/**
 * The documentation as one page that needs no network, and no script except for its search. It is generated from the
 * OpenAPI document and the lists in the code.
 */
import { anchorOf, SECTIONS } from './docs/anchors.ts';
import { assumptionSection } from './docs/assumption-section.ts';
import {
  callName,
  codesOf,
  endpointSection,
  type DocumentedCall,
  type SectionContext,
} from './docs/endpoint-section.ts';
import { compact, html, Markup } from './markup.ts';
import { answeredMembers } from './docs/members.ts';
import {
  errorSection,
  eventSection,
  identifierSection,
  reasonSection,
  transformSection,
  section,
} from './docs/reference-sections.ts';
import type { DocsReference } from './docs/reference.ts';
import { typeName, type Schemas } from './docs/schema-rows.ts';
import { listTable, table } from './docs/table.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { pageFile } from './page-file.ts';
import { BASE_STYLE, hashSource } from './style.ts';

/**
 * Search while typing, links that open their target, and links to the console. Without it everything is visible,
 * unfiltered.
 */
const SCRIPT = pageFile('docs/search.js').trimEnd();
const STYLE = `${BASE_STYLE}\n${pageFile('docs/docs.css')}`;

/** The `content-security-policy` header of the page: nothing loads, and only the page's own script runs. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashSource(SCRIPT)}`,
  `style-src ${hashSource(STYLE)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Resource {
  readonly name: string;
  readonly calls: readonly DocumentedCall[];
}

/** A self-contained HTML page of everything in `document` and `reference`. */
export function docsPage(document: OpenApiDocument, reference: DocsReference): string {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const resources = document.tags
    .map(({ name }) => ({ name, calls: calls.filter(({ operation }) => operation.tags[0] === name) }))
    .filter((resource) => resource.calls.length > 0);
  const sharedCodes = codesOfMany(calls, document);
  const { info } = document;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} ${info.version}: API</title>
        <link rel="icon" href="data:," />
        ${new Markup(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <div class="layout">
          <header class="side">
            <p class="name">
              <a href="#start">${info.title}</a> <span class="version">${info.version}</span>
            </p>
            ${searchField()} ${navigation(resources)}
          </header>
          <main id="content">
            ${startSection(document)}
            ${resources.map((resource) => resourceSection(resource, { document, sharedCodes }))}
            ${identifierSection(reference)} ${transformSection(reference)} ${eventSection(reference)}
            ${signatureSection(reference.webhookHeaderPrefix)} ${schemaSection(document)}
            ${reasonSection(reference)} ${errorSection(document, sharedCodes)} ${assumptionSection(document)}
          </main>
        </div>
        ${new Markup(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `;
  return compact(page.text);
}

/** The script reveals it, since it needs the script. */
function searchField(): Markup {
  return html`<div class="search" role="search" hidden>
    <input
      id="search"
      type="search"
      aria-label="Search"
      aria-describedby="found"
      autocomplete="off"
      spellcheck="false"
      placeholder="Search"
    />
    <kbd aria-hidden="true">/</kbd>
    <p id="found" role="status"></p>
  </div>`;
}

function navigation(resources: readonly Resource[]): Markup {
  return html`<nav aria-label="Contents">
    <p class="group">Guide and reference</p>
    <ul>
      ${Object.entries(SECTIONS).map(([anchor, label]) => html`<li><a href="#${anchor}">${label}</a></li>`)}
    </ul>
    ${resources.map(
      ({ name, calls }) =>
        html`<p class="group"><a href="#${anchorOf('resource', name)}">${name}</a></p>
          <ul class="calls">
            ${calls.map((call) => html`<li><a href="#${call.operation.operationId}">${callName(call)}</a></li>`)}
          </ul>`,
    )}
  </nav>`;
}

function resourceSection({ name, calls }: Resource, surroundings: SectionContext): Markup {
  const anchor = anchorOf('resource', name);
  return html`<section aria-labelledby="${anchor}">
    <h2 id="${anchor}">${name}</h2>
    ${calls.map((call) => endpointSection(call, surroundings))}
  </section> `;
}

/** Codes that more than a quarter of the endpoints share. `not_found` and permission errors stay with each endpoint. */
function codesOfMany(calls: readonly DocumentedCall[], document: OpenApiDocument): string[] {
  const answered = calls.map(({ operation }) => new Set(codesOf(operation, document)));
  return document['x-errors']
    .filter(({ code, category }) => code !== 'not_found' && category !== 'permission')
    .map(({ code }) => code)
    .filter((code) => answered.filter((codes) => codes.has(code)).length > calls.length / 4);
}

/** The named schemas, each once: endpoints and other schemas link here. */
function schemaSection({ components: { schemas } }: OpenApiDocument): Markup {
  const lead = 'The named shapes that bodies are made of, as generated clients name them.';
  const shapes = Object.entries(schemas).map(([name, schema]) => ({
    name,
    schema,
    members: answeredMembers(schema, schemas),
  }));
  const simple = shapes.filter(({ members }) => members === false);
  return section(
    'schemas',
    lead,
    html`${shapes.map(
        ({ name, members }) =>
          members !== false &&
          html`<details>
            <summary><h3>${name}</h3></summary>
            <div id="${anchorOf('schema', name)}">${members}</div>
          </details> `,
      )}
      <h3>Texts and other values</h3>
      ${listTable(
        'scs',
        ['Schema', 'What it may be'],
        simple.map(({ name, schema }) => ({
          id: anchorOf('schema', name),
          cells: [name, valueOf(name, schema, schemas)],
        })),
      )}`,
  );
}

/** Reason codes have their own section. */
function valueOf(name: string, schema: JsonSchema, schemas: Schemas): Markup {
  if (name === 'ReasonCode') return html`one of the <a href="#reason-codes">reason codes</a>`;
  return html`${typeName(schema, schemas)}`;
}

// Code for receivers to verify signatures with only the standard library. The tests run the code shown on the page.

/** How a receiver verifies that a delivery is from this instance, unchanged and recent (contract §9.1). */
function signatureSection(prefix: string): Markup {
  const lead = html`Each delivery is signed with the secret of its endpoint. Check the signature over the
  bytes as they came, before anything reads them.`;
  const header = (part: string) => html`<code>${prefix}-${part}</code>`;
  return section(
    'signatures',
    lead,
    html`<ol class="steps">
        <li>Join ${header('id')}, ${header('timestamp')} and the raw body with a dot between each.</li>
        <li>The key is the base64 after <code>whsec_</code> in the secret, decoded.</li>
        <li>The signature is <code>v1,</code> and the base64 of HMAC-SHA256 of the text under the key.</li>
        <li>
          ${header('signature')} holds it. For 24 hours after a rotation it holds two, with a blank between:
          one of them must match, compared in constant time.
        </li>
        <li>
          ${header('timestamp')} is in Unix seconds, by the clock of the instance: refuse what is more than
          five minutes off. A repeated ${header('id')} is the same event again.
        </li>
      </ol>
      <h3>JavaScript</h3>
      <pre id="verify-javascript"><code>${javaScriptVerifier(prefix)}</code></pre>
      <h3>Python</h3>
      <pre id="verify-python"><code>${pythonVerifier(prefix)}</code></pre>
      <p class="note">
        <code>kyclone webhooks verify</code> checks a delivery and says what is wrong with it.
      </p>`,
  );
}

/** `prefix`: the prefix of the three headers. */
function javaScriptVerifier(prefix: string): string {
  return `import { createHmac, timingSafeEqual } from 'node:crypto';

// headers: by lower-case name; body: the bytes as they came
export function verify(secret, headers, body, now = Date.now() / 1000) {
  const [id, time, all] = ['id', 'timestamp', 'signature'].map((part) => headers[\`${prefix}-\${part}\`] ?? '');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest('base64');
  const right = Buffer.from(\`v1,\${mac}\`);
  const given = all.split(' ').map((one) => Buffer.from(one));
  const isSigned = given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  return isSigned && Math.abs(now - Number(time)) < 300;
}`;
}

function pythonVerifier(prefix: string): string {
  return `import base64, hashlib, hmac, time

# headers: by lower-case name; body: the bytes as they came
def verify(secret, headers, body, now=None):
    id, sent, all = (headers.get("${prefix}-" + part, "") for part in ("id", "timestamp", "signature"))
    key = base64.b64decode(secret[len("whsec_"):])
    digest = hmac.new(key, f"{id}.{sent}.".encode() + body, hashlib.sha256).digest()
    right = b"v1," + base64.b64encode(digest)
    is_signed = any(hmac.compare_digest(one.encode(), right) for one in all.split(" "))
    return is_signed and abs((now or time.time()) - int(sent)) < 300`;
}

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
function startSection(document: OpenApiDocument): Markup {
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
