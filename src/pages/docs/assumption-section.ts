import { citedIn } from '../../contract/assumption-texts.ts';
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { anchorOf } from './anchors.ts';

import { html, type Interpolated, type Markup } from '../markup.ts';
import { section } from './reference-sections.ts';
import { listTable, table } from './table.ts';

/** Decisions about the whole service and its errors; those about an endpoint are shown with the endpoint. */
export function assumptionSection(document: OpenApiDocument): Markup {
  const errors = document['x-errors'].flatMap(({ code, assumed }) =>
    assumed === undefined
      ? []
      : [[html`the error <a href="#${anchorOf('error', code)}">${code}</a>`, cited(assumed)]],
  );
  const everywhere = document['x-assumed'].map(({ what, why }) => [what, cited(why)]);
  const byNumber = Object.entries(document['x-assumptions']).map(([id, text]) => ({
    id: anchorOf('assumption', id),
    cells: [id, text],
  }));
  const lead = `Where the specification is silent or open, this is what was decided. What was decided about one
    endpoint stands with it.`;
  return section(
    'assumptions',
    lead,
    html`${table(['What', 'Why'], [...everywhere, ...errors])}
      <h3>Decisions by number</h3>
      ${listTable('asm', ['Number', 'Decision'], byNumber)}`,
  );
}

/** A citation such as `A25–A27; ours: why`, with its numbers linked to the decisions. */
export function cited(why: string): Interpolated {
  const first = citedIn(why)[0];
  return first === undefined ? why : html`<a href="#${anchorOf('assumption', first)}">${why}</a>`;
}
