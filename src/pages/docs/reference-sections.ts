/** The lists of the docs page: identifiers, transforms, events and codes. Each row has an anchor. */
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { anchorOf, SECTIONS, type SectionAnchor } from './anchors.ts';
import { html, type Interpolated, type Markup } from '../markup.ts';
import type { DocsEvent, DocsIdentifier, DocsReasonCode, DocsReference, DocsTransform } from './reference.ts';
import { listTable } from './table.ts';

/** A section of the page that is not a resource. */
export function section(anchor: SectionAnchor, lead: Interpolated, content: Interpolated): Markup {
  return html`<section aria-labelledby="${anchor}">
    <h2 id="${anchor}">${SECTIONS[anchor]}</h2>
    <p class="lead">${lead}</p>
    ${content}
  </section> `;
}

export function identifierSection({ identifiers, documentKinds }: DocsReference): Markup {
  const families = [...new Set(identifiers.map(({ family }) => family))];
  const lead = html`What a vault holds, by family. <code>&lt;alias&gt;</code> and
    <code>&lt;name&gt;</code> are words of yours; <code>&lt;kind&gt;</code> is one of ${list(documentKinds)}.
    The mask is what the journal, screens and exports show. <code>kyclone vault identifiers</code> prints this
    list.`;
  return section(
    'identifiers',
    lead,
    families.map((family) => {
      const members = identifiers.filter((each) => each.family === family);
      const vaults = [...new Set(members.flatMap((each) => each.vaults))];
      return html`<h3>${family} <span class="note">vaults of a ${vaults.join(' or a ')}</span></h3>
        ${listTable('ids', ['Identifier', 'Rule', 'Example', 'Masked'], members.map(identifierRow))}`;
    }),
  );
}

function identifierRow(entry: DocsIdentifier) {
  const { identifier, rule, example, masked, mask, searchable, derived, derived_from: sources } = entry;
  const isAlias = rule.startsWith('another name');
  return {
    id: anchorOf('identifier', identifier),
    cells: [
      html`${identifier}${searchable && html` <i>searchable</i>`}${derived && html` <i>derived</i>`}`,
      html`${rule}${sources.length > 0 && !isAlias && html`; ${derived ? '' : 'also '}read from ${codes(sources)}`}`,
      example === null
        ? 'a file'
        : html`<code>${typeof example === 'string' ? shortened(example) : JSON.stringify(example)}</code>`,
      html`<code>${shortened(masked)}</code> <span class="note">${mask}</span>`,
    ],
  };
}

const LONGEST_EXAMPLE = 40;

function shortened(text: string): string {
  return text.length > LONGEST_EXAMPLE ? `${text.slice(0, 12)}…` : text;
}

export function transformSection({ transforms }: DocsReference): Markup {
  const lead = html`What a decryption or a proxy token makes of a value. Transforms are joined by
    <code>|</code> and run from left to right;
    <code>kyclone transform "${transforms.length > 3 ? 'to_ascii | prefix(3)' : ''}" VALUE</code> tries a
    chain.`;
  const rows = transforms.map((entry: DocsTransform) => ({
    id: anchorOf('transform', entry.name),
    cells: [
      entry.form,
      entry.description,
      html`<code>${entry.example}</code>`,
      entry.input === null
        ? 'differs each time'
        : html`<code>${entry.input}</code> becomes <code>${shortened(entry.output ?? '')}</code>`,
    ],
  }));
  return section(
    'transforms',
    lead,
    listTable('trs', ['Transform', 'What it does', 'Example', 'Result'], rows),
  );
}

export function eventSection({ events }: DocsReference): Markup {
  const lead = html`What registered endpoints are sent, as a flat JSON body. The setting
    <code>events.extended</code> turns on the kinds that are off by default;
    <code>kyclone webhooks trigger</code> sends a sample.`;
  return section('events', lead, events.map(eventEntry));
}

function eventEntry({ kind, full_kind: fullKind, summary, by_default: isDefault, body }: DocsEvent): Markup {
  return html`<div class="event" id="${anchorOf('event', kind)}">
    <h3><code>${fullKind}</code> <i class="tag">${isDefault ? 'on by default' : 'off by default'}</i></h3>
    <p>${summary}.</p>
    <pre>${JSON.stringify(body, null, 2)}</pre>
  </div> `;
}

export function reasonSection({ reasonCodes }: DocsReference): Markup {
  const lead = html`What runs report about an entity, as risk signals.
    <code>kyclone risk-signals catalogue</code> searches this list.`;
  const rows = reasonCodes.map(
    ({ reason_code: code, note, description, severity, scopes }: DocsReasonCode) => ({
      id: anchorOf('reason', code),
      cells: [code, severity, html`<b>${note}.</b> ${description}`, scopes.join(', ')],
    }),
  );
  return section('reason-codes', lead, listTable('rcs', ['Code', 'Severity', 'Meaning', 'Scopes'], rows));
}

export function errorSection(document: OpenApiDocument, shared: readonly string[]): Markup {
  const lead = html`A failure answers <code>{"message", "code", "context"?}</code>. Messages and contexts name
    identifiers, members and headers, never a value. Many endpoints may answer
    <span class="codes">${codes(shared, 'error')}</span>; their own lists leave these out.`;
  const rows = document['x-errors'].map(({ code, status, category, meaning, hint }) => ({
    id: anchorOf('error', code),
    cells: [code, `${status} ${category}`, meaning, hint],
  }));
  return section('errors', lead, listTable('ers', ['Code', 'Status', 'Meaning', 'What to do'], rows));
}

/** Names as code, linked to their entry in a list of the page. */
export function codes(names: readonly string[], entry?: 'error' | 'schema'): Interpolated {
  return names.map((name, index) => {
    const shown =
      entry === undefined
        ? html`<code>${name}</code>`
        : html`<a href="#${anchorOf(entry, name)}">${name}</a>`;
    return index === 0 ? shown : html`, ${shown}`;
  });
}

function list(words: readonly string[]): Interpolated {
  return codes(words);
}
