/**
 * The docs as one page that needs no network and no script: it is made from the OpenAPI document alone, so whatever
 * the document says the page shows. Endpoints fold with <details>; a link to one opens it, for its anchor is inside.
 */
import { citedIn } from './assumption-texts.ts';
import { curlExample } from './docs/curl.ts';
import { html, Markup, type Interpolated } from './docs/markup.ts';
import { rulesOf, schemaAnchor, schemaRows, typeName, type Schemas } from './docs/schema-rows.ts';
import { startSection } from './docs/start-section.ts';
import { STYLE } from './docs/style.ts';
import { table } from './docs/table.ts';
import type { JsonSchema } from './json-schema.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';
import type { Parameter } from './openapi-requests.ts';
import type { ErrorResponse, SuccessResponse } from './openapi-responses.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** What the handler sends as `content-security-policy`: nothing loads and nothing runs. */
export const DOCS_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A self-contained HTML page of everything in `document`. */
export function docsPage(document: OpenApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const resources = document.tags
    .map(({ name }) => ({ name, calls: calls.filter(({ operation }) => operation.tags[0] === name) }))
    .filter((resource) => resource.calls.length > 0);
  const { info } = document;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} ${info.version}: API</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <div class="layout">
          <header class="side">
            <p class="name">${info.title}</p>
            <p class="version">version ${info.version}</p>
            <nav aria-label="Contents">
              <ul>
                ${navigationItem('start', 'Start here')}${navigationItem('shapes', 'Shapes')}${navigationItem('errors', 'Errors')}${navigationItem('assumptions', 'Assumptions')}
              </ul>
              ${resources.map((resource) => navigation(resource.name, resource.calls))}
            </nav>
          </header>
          <main id="content">
            ${startSection(document)}
            ${resources.map(
              (resource) =>
                html`<section aria-labelledby="${anchor(resource.name)}">
                  <h2 id="${anchor(resource.name)}">${resource.name}</h2>
                  ${resource.calls.map((call) => endpointSection(call, document))}
                </section>`,
            )}
            ${shapeSection(document)} ${errorSection(document)} ${assumptionSection(document, calls)}
          </main>
        </div>
      </body>
    </html> `.text;
}

const anchor = (name: string): string => `resource-${name.replace(/[^a-z0-9]+/g, '-')}`;

function navigationItem(target: string, label: string): Markup {
  return html`<li><a href="#${target}">${label}</a></li>`;
}

function navigation(name: string, calls: readonly Call[]): Markup {
  return html`<p class="group"><a href="#${anchor(name)}">${name}</a></p>
    <ul>
      ${calls.map(
        ({ method, path, operation }) =>
          html`<li>
            <a href="#${operation.operationId}"
              ><span class="method ${method}">${method.toUpperCase()}</span
              ><span class="path">${breakable(path)}</span></a
            >
          </li> `,
      )}
    </ul>`;
}

/** A path that may break before its slashes. */
function breakable(path: string): Interpolated {
  return path.split('/').map((segment, index) => (index === 0 ? segment : html`<wbr />/${segment}`));
}

function endpointSection(call: Call, document: OpenApiDocument): Markup {
  const { method, path, operation } = call;
  const stability = operation['x-stability'];
  const assumed = operation['x-assumed'] ?? [];
  const { schemas } = document.components;
  return html`<details class="endpoint">
    <summary>
      <h3>
        <span class="method ${method}">${method.toUpperCase()}</span
        ><span class="path">${breakable(path)}</span><span class="badge ${stability}">${stability}</span>
      </h3>
      <p>${operation.summary}</p>
    </summary>
    <div class="body" id="${operation.operationId}">
      ${operation.description !== undefined && html`<p>${operation.description}</p>`} ${facts(operation)}
      ${parameterTable(operation.parameters ?? [], schemas)} ${bodySection(operation, schemas)}
      ${answerSection(operation, schemas)} ${failureSection(operation, document)}
      <h4>Try it</h4>
      <pre><code>${curlExample({ baseUrl: document.servers[0].url, ...call })}</code></pre>
      ${
        assumed.length > 0 &&
        html`<h4>Assumed</h4>
          <ul class="assumed">
            ${assumed.map(({ what, why }) => html`<li>${what} <span class="note">(${assumptionText(document, why)})</span></li>`)}
          </ul>`
      }
    </div>
  </details> `;
}

function facts(operation: Operation): Markup {
  const refusedAs = operation['x-logs-refusal-as'];
  const limit = operation['x-body-limit-bytes'];
  return html`<dl class="facts">
    <dt>Credential</dt>
    <dd>${credentialName(operation)}</dd>
    ${fact('Scope', operation['x-required-scope'])}${fact('Permission', operation['x-required-permission'])}${fact('Token scope', operation['x-required-token-scopes']?.join(' | '))}
    ${
      refusedAs !== undefined &&
      html`<dt>Access log</dt>
        <dd>a refusal is an entry, too: <code>${refusedAs}</code></dd>`
    }
    ${
      limit !== undefined &&
      html`<dt>Body limit</dt>
        <dd>${limit.toLocaleString('en')} bytes</dd>`
    }
  </dl>`;
}

function fact(term: string, code: string | undefined): Interpolated {
  return (
    code !== undefined &&
    html`<dt>${term}</dt>
      <dd><code>${code}</code></dd>`
  );
}

function credentialName(operation: Operation): string {
  const [first] = operation.security;
  if (!first) return operation['x-required-token-scopes'] ? 'path token' : 'none';
  if ('clientToken' in first) return 'client token, in its header';
  return 'controlToken' in first ? 'control token' : 'secret key, by Basic or header';
}

function parameterTable(parameters: readonly Parameter[], schemas: Schemas): Interpolated {
  if (parameters.length === 0) return false;
  return html`<h4>Parameters</h4>
    ${table(
      ['Name', 'In', 'Type', 'Needed', 'Rules'],
      parameters.map((parameter) => [
        html`<code>${parameter.name}</code>`,
        parameter.in,
        html`${typeName(parameter.schema, schemas)}`,
        requiredMark(parameter.required),
        rulesOf({ ...parameter.schema, description: parameter.description }, schemas),
      ]),
    )}`;
}

function bodySection({ requestBody }: Operation, schemas: Schemas): Interpolated {
  if (!requestBody) return false;
  const { content, description, required } = requestBody;
  return html`<h4>Body</h4>
    ${description !== undefined && html`<p>${description}.</p>`}
    ${Object.entries(content).map(
      ([mediaType, { schema }]) =>
        html`<p class="note">
            ${mediaType}, ${required ? 'required' : 'optional'}: ${typeName(schema, schemas)}
          </p>
          ${schemaTable(schema, schemas, requiredMark)}`,
    )}`;
}

function answerSection({ responses }: Operation, schemas: Schemas): Interpolated {
  return Object.entries(responses).map(([status, response]) => {
    if ('$ref' in response) return false;
    const [[mediaType, content] = ['', undefined]] = Object.entries(response.content);
    const schema = content?.schema ?? {};
    return html`<h4>Answer ${status}</h4>
      <p class="note">
        ${response.description}. ${mediaType}: ${typeName(schema, schemas)}${headerNote(response)}
      </p>
      ${schemaTable(schema, schemas, presenceMark)}`;
  });
}

const NOTED_HEADERS = ['x-fp-vault-version', 'content-disposition'];

/** The headers that not every answer has. */
function headerNote({ headers }: SuccessResponse): Interpolated {
  return NOTED_HEADERS.filter((name) => name in headers).map((name) => html`; header <code>${name}</code>`);
}

function failureSection({ responses }: Operation, document: OpenApiDocument): Markup {
  const codes = Object.values(responses).flatMap((response) =>
    '$ref' in response ? (resolve(document, response.$ref)?.['x-error-codes'] ?? []) : [],
  );
  const entries = document['x-errors'].filter(({ code }) => codes.some((other) => other === code));
  return html`<h4>Errors</h4>
    ${table(
      ['Status', 'Code', 'Meaning', 'Hint'],
      entries.map(({ status, code, meaning, hint }) => [status, html`<code>${code}</code>`, meaning, hint]),
    )}`;
}

function resolve(document: OpenApiDocument, reference: string): ErrorResponse | undefined {
  return document.components.responses[reference.slice('#/components/responses/'.length)];
}

function schemaTable(
  schema: JsonSchema,
  schemas: Schemas,
  mark: (required: boolean) => Markup,
): Interpolated {
  const rows = schemaRows(schema, schemas);
  if (rows.length === 0) return false;
  return table(
    ['Member', 'Type', mark === requiredMark ? 'Needed' : 'Present', 'Rules'],
    rows.map(({ member, type, required, rules }) => [
      html`<code>${member}</code>`,
      html`${type}`,
      mark(required),
      rules,
    ]),
  );
}

/** The named shapes, each with its members or its words. */
function shapeSection({ components: { schemas } }: OpenApiDocument): Markup {
  return html`<section aria-labelledby="shapes">
    <h2 id="shapes">Shapes</h2>
    <p>The named shapes that bodies are made of.</p>
    ${Object.entries(schemas).map(
      ([name, schema]) =>
        html`<details class="shape">
          <summary><h3>${name}</h3></summary>
          <div class="body" id="${schemaAnchor(name)}">
            <p class="note">${typeName(schema, schemas)}</p>
            ${schemaTable(schema, schemas, presenceMark)}
          </div>
        </details> `,
    )}
  </section>`;
}

function presenceMark(required: boolean): Markup {
  return html`<span class="note">${required ? 'always' : 'sometimes'}</span>`;
}

function requiredMark(required: boolean): Markup {
  return required ? html`<span class="must">required</span>` : html`<span class="note">optional</span>`;
}

function errorSection(document: OpenApiDocument): Markup {
  return html`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      A failure answers <code>{"message", "code", "context"?}</code>. Messages and contexts name identifiers,
      members and headers, never a value.
    </p>
    ${table(
      ['Code', 'Status', 'Category', 'Meaning', 'Hint'],
      document['x-errors'].map((entry) => [
        html`<code>${entry.code}</code>`,
        entry.status,
        entry.category,
        entry.meaning,
        entry.hint,
      ]),
    )}
  </section>`;
}

/** A citation such as `A25–A27` with what its numbers stand for. */
function assumptionText(document: OpenApiDocument, citation: string): string {
  const texts = citedIn(citation).map((id) => `${id}: ${document['x-assumptions'][id] ?? 'unknown'}`);
  return texts.length === 0 ? citation : texts.join('; ');
}

function assumptionSection(document: OpenApiDocument, calls: readonly Call[]): Markup {
  const places = new Map<string, { what: string; why: string; where: Markup[] }>();
  for (const { what, why } of document['x-assumed']) {
    places.set(`${what}\n${why}`, { what, why, where: [html`everywhere`] });
  }
  for (const { operation, method, path } of calls) {
    for (const { what, why } of operation['x-assumed'] ?? []) {
      const place = places.get(`${what}\n${why}`) ?? { what, why, where: [] };
      place.where.push(html`<a href="#${operation.operationId}">${method.toUpperCase()} ${path}</a><br /> `);
      places.set(`${what}\n${why}`, place);
    }
  }
  for (const { code, assumed } of document['x-errors']) {
    if (assumed !== undefined) {
      places.set(code, { what: `error ${code}`, why: assumed, where: [html`<a href="#errors">errors</a>`] });
    }
  }
  return html`<section aria-labelledby="assumptions">
    <h2 id="assumptions">Assumptions</h2>
    <p>Where the specification is silent or open, this is what was decided.</p>
    ${table(
      ['What', 'Why', 'Where'],
      [...places.values()].map(({ what, why, where }) => [
        what,
        assumptionText(document, why),
        html`${where}`,
      ]),
    )}
  </section>`;
}
