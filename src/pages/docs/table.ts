import { html, type Interpolated, type Markup } from '../markup.ts';

type Cell = Interpolated;

/** A small table, whose cells are stacked on a narrow screen. The first cell of a row is its heading. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  return listTable(
    undefined,
    headings,
    rows.map((cells) => ({ cells })),
  );
}

/** A list of the page: each row has an anchor and is searchable. `name` is the class of the table. */
export function listTable(
  name: string | undefined,
  headings: readonly string[],
  rows: readonly { readonly id?: string; readonly cells: readonly Cell[] }[],
): Markup {
  return html`<table${name !== undefined && html` class="${name}"`}>
    ${head(headings)}
    <tbody>
      ${rows.map(
        ({ id, cells }) =>
          html`<tr${id !== undefined && html` id="${id}"`}>
            ${rowCells(cells)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function head(headings: readonly string[]): Markup {
  return html`<thead>
    <tr>
      ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
    </tr>
  </thead>`;
}

function rowCells([first, ...rest]: readonly Cell[]): Markup {
  return html`<th>${first}</th>
    ${rest.map((cell) => html`<td>${cell}</td>`)}`;
}
