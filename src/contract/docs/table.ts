import { html, type Markup } from './markup.ts';

/** A table that scrolls by itself when it is wider than the page; the first cell of a row is its heading. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (Markup | string | number | undefined)[])[],
): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${headings.join(', ')}">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell) => html`<td>${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
