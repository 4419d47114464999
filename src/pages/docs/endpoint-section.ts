import { curlText } from '../../kernel/text/curl-text.ts';
import { shQuoted } from '../../kernel/text/shell-word.ts';
import { isFile } from '../../contract/json-schema.ts';
import type { OpenApiDocument, Operation } from '../../contract/openapi.ts';
import { cited } from './assumption-section.ts';
import { html, type Interpolated, type Markup } from '../markup.ts';
import { answeredMembers, parameterLists, sentMembers } from './members.ts';
import { codes } from './reference-sections.ts';
import { typeName, type Schemas } from './schema-rows.ts';

/** A call to paste into a shell after `eval "$(kyclone env)"`, once the parts in capitals are replaced. */
export function curlExample(call: {
  baseUrl: string;
  method: string;
  path: string;
  operation: Operation;
}): string {
  const { baseUrl, method, path, operation } = call;
  const token = credentialOf(operation) === 'clientToken' ? ["'x-fp-authorization: TOKEN'"] : [];
  return curlText({
    method: method.toUpperCase(),
    url: shQuoted(baseUrl + filledPath(path, operation)),
    credential: VARIABLES[credentialOf(operation) ?? ''],
    headers: [...token, ...headerWords(operation)],
    body: [...bodyWords(operation), ...(answersFile(operation) ? ['-o FILE'] : [])],
  });
}

const VARIABLES: Readonly<Record<string, 'key' | 'control'>> = {
  secretKeyBasic: 'key',
  controlToken: 'control',
};

/** A parameter without an example becomes a placeholder in capitals. */
function filledPath(path: string, { parameters = [] }: Operation): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter?.example ?? name.toUpperCase();
  });
}

function credentialOf({ security }: Operation): string | undefined {
  return Object.keys(security[0] ?? {})[0];
}

/** Required headers. */
function headerWords({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((each) => each.in === 'header' && each.required)
    .map(({ name, example }) => shQuoted(`${name}: ${example ?? name.toUpperCase()}`));
}

function bodyWords({ requestBody }: Operation): string[] {
  const json = requestBody?.content['application/json'];
  if (json?.example !== undefined) {
    return ["-H 'content-type: application/json'", `-d ${shQuoted(JSON.stringify(json.example))}`];
  }
  const takesFile = requestBody !== undefined && json === undefined;
  return takesFile ? ["-H 'content-type: image/png'", '--data-binary @front.png'] : [];
}

function answersFile({ responses }: Operation): boolean {
  const success = responses['200'];
  if (!success || '$ref' in success) return false;
  return Object.entries(success.content).some(([type, { schema }]) => type !== '*/*' && isFile(schema));
}

type Response = Operation['responses'][string];
type SuccessResponse = Exclude<Response, { readonly $ref: string }>;

export interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Context from all endpoints that the section of one needs. */
export interface SectionContext {
  readonly document: OpenApiDocument;
  /** Codes that many endpoints share. */
  readonly sharedCodes: readonly string[];
}

/** A collapsible endpoint. A link to it opens it, since its anchor is inside. */
export function endpointSection(call: DocumentedCall, { document, sharedCodes }: SectionContext): Markup {
  const { operation } = call;
  const stability = operation['x-stability'];
  const assumed = operation['x-assumed'] ?? [];
  const { schemas } = document.components;
  // Most endpoints are ours, which has no colour.
  const tag = stability === 'emulator' ? 'tag' : `tag ${stability}`;
  return html`<details>
    <summary>
      <h3>${callName(call)} <i class="${tag}">${stability}</i></h3>
      <p>${operation.summary}</p>
    </summary>
    <div id="${operation.operationId}">
      ${operation.description !== undefined && html`<p>${operation.description}</p>`} ${facts(operation)}
      ${parameterLists(operation.parameters ?? [], schemas)} ${bodySection(operation, schemas)}
      ${answerSection(operation, schemas)}
      <h4>Errors</h4>
      <p class="own">${errorLinks(operation, { document, sharedCodes })}</p>
      <h4>Try it</h4>
      <pre>${curlExample({ baseUrl: document.servers[0].url, ...call })}</pre>
      ${
        assumed.length > 0 &&
        html`<h4>Assumed</h4>
          ${assumed.map(({ what, why }) => html`<p>${what} <span class="note">(${cited(why)})</span></p>`)}`
      }
    </div>
  </details> `;
}

/** Method and path. */
export function callName({ method, path }: DocumentedCall): Markup {
  return html`<b class="${method}">${method.toUpperCase()}</b> <span>${path}</span>`;
}

function facts(operation: Operation): Markup {
  const refusedAs = operation['x-logs-refusal-as'];
  const limit = operation['x-body-limit-bytes'];
  return html`<dl class="facts">
    <dt>Credential</dt>
    <dd>
      ${credentialName(operation)}${fact('Scope', operation['x-required-scope'])}${fact('Permission', operation['x-required-permission'])}${fact('Token scope', operation['x-required-token-scopes']?.join(' | '))}${
        refusedAs !== undefined &&
        html`<dt>Access log</dt>
          <dd>a refusal is an entry, too: <code>${refusedAs}</code></dd>`
      }${
        limit !== undefined &&
        html`<dt>Body limit</dt>
          <dd>${limit.toLocaleString('en')} bytes</dd>`
      }
    </dd>
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
          ${sentMembers(schema, schemas)}`,
    )}`;
}

function answerSection({ responses }: Operation, schemas: Schemas): Interpolated {
  return Object.entries(responses).map(([status, response]) => {
    if ('$ref' in response) return false;
    const [[mediaType, content] = ['', undefined]] = Object.entries(response.content);
    const schema = content?.schema ?? {};
    const type = typeName(schema, schemas);
    const isPlain = response.description === 'Success' && mediaType === 'application/json';
    const note = [
      ...(isPlain ? [] : [`${response.description}. ${mediaType}: `]),
      type,
      ...headerNote(response),
    ];
    const members = answeredMembers(schema, schemas);
    const saysAll = note.length === 1 && type === 'object' && members !== false;
    return html`<h4>Answer ${status}</h4>
      ${!saysAll && html`<p class="note">${note}</p>`}${members}`;
  });
}

const NOTED_HEADERS = ['x-fp-vault-version', 'content-disposition'];

/** Headers that only some responses have. */
function headerNote({ headers }: SuccessResponse): Markup[] {
  return NOTED_HEADERS.filter((name) => name in headers).map((name) => html`; header <code>${name}</code>`);
}

/** Links by status; codes shared by many endpoints are only in the error section. */
function errorLinks(operation: Operation, { document, sharedCodes }: SectionContext): Interpolated {
  const own = codesOf(operation, document).filter((code) => !sharedCodes.includes(code));
  const entries = document['x-errors'].filter(({ code }) => own.includes(code));
  const statuses = [...new Set(entries.map(({ status }) => status))].sort((a, b) => a - b);
  const lines = statuses.map((status) => {
    const names = entries.filter((each) => each.status === status).map(({ code }) => code);
    return html`${status} ${codes(names, 'error')}<br />`;
  });
  return lines;
}

/** All error codes of an operation, its own and the shared ones. */
export function codesOf({ responses }: Operation, document: OpenApiDocument): string[] {
  return Object.values(responses).flatMap((response) => {
    if (!('$ref' in response)) return [];
    const name = response.$ref.slice('#/components/responses/'.length);
    return [...(document.components.responses[name]?.['x-error-codes'] ?? [])];
  });
}
