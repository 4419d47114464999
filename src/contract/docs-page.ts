/**
 * The documentation as one page that needs no network, and no script except for its search. It is generated from the
 * OpenAPI document and the lists in the code.
 */
import { createHash } from 'node:crypto';
import { anchorOf, SECTIONS } from './docs/anchors.ts';
import { assumptionSection } from './docs/assumption-section.ts';
import {
  callName,
  codesOf,
  endpointSection,
  type DocumentedCall,
  type SectionContext,
} from './docs/endpoint-section.ts';
import { compact, html, Markup } from './docs/markup.ts';
import {
  errorSection,
  eventSection,
  identifierSection,
  reasonSection,
  transformSection,
} from './docs/reference-sections.ts';
import type { DocsReference } from './docs/reference.ts';
import { SCRIPT } from './docs/script.ts';
import { schemaSection } from './docs/schema-section.ts';
import { signatureSection } from './docs/signature-section.ts';
import { startSection } from './docs/start-section.ts';
import { DOCS_STYLE } from './docs/style.ts';
import type { OpenApiDocument } from './openapi.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The `content-security-policy` header of the page: nothing loads, and only the page's own script runs. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(DOCS_STYLE)}`,
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
        ${new Markup(`<style>${DOCS_STYLE}</style>`)}
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
