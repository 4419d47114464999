/** The rows of a pane as they are shown: filtered, then sorted. Made once for each state of a pane. */
import type { Cell, PaneState, Row } from './model.ts';

const shown = new WeakMap<PaneState, readonly Row[]>();

/** `isFilteredElsewhere`: the daemon has done it. */
export function shownRows(pane: PaneState, isFilteredElsewhere: boolean): readonly Row[] {
  let rows = shown.get(pane);
  if (rows === undefined)
    shown.set(pane, (rows = sorted(isFilteredElsewhere ? pane.rows : filtered(pane), pane)));
  return rows;
}

export function textOf(cell: string | Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

function filtered({ rows, filter }: PaneState): readonly Row[] {
  if (filter === '') return rows;
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows.filter(({ cells }) => {
    const text = cells.map(textOf).join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const byText = new Intl.Collator('en', { numeric: true });

function sorted(rows: readonly Row[], { sort }: PaneState): readonly Row[] {
  if (sort === undefined) return rows;
  const { column, descending } = sort;
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => sign * byText.compare(textOf(a.cells[column]), textOf(b.cells[column])));
}
