/** The visible rows of a pane: filtered, then sorted. Computed once for each set of rows, filter and order. */
import type { Cell, PaneState, Row } from './model.ts';

interface Shown {
  readonly filter: string;
  readonly sort: PaneState['sort'];
  readonly rows: readonly Row[];
}

/** Keyed by the loaded rows, which stay the same while the user moves. */
const shown = new WeakMap<readonly Row[], Shown>();

/** `isFilteredElsewhere`: the daemon has filtered the rows. */
export function shownRows(pane: PaneState, isFilteredElsewhere: boolean): readonly Row[] {
  const filter = isFilteredElsewhere ? '' : pane.filter;
  const { sort } = pane;
  const known = shown.get(pane.rows);
  if (known?.filter === filter && known.sort === sort) return known.rows;
  const rows = sorted(filtered(pane.rows, filter), sort);
  shown.set(pane.rows, { filter, sort, rows });
  return rows;
}

export function textOf(cell: string | Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

export function toneOf(cell: string | Cell | undefined): Cell['tone'] {
  return typeof cell === 'object' ? cell.tone : 'plain';
}

function filtered(rows: readonly Row[], filter: string): readonly Row[] {
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

function sorted(rows: readonly Row[], sort: PaneState['sort']): readonly Row[] {
  if (sort === undefined) return rows;
  const { column, descending } = sort;
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compared(textOf(a.cells[column]), textOf(b.cells[column])));
}

/** Compares amounts of one currency by value, and anything else as text with numeric parts. */
function compared(a: string, b: string): number {
  const [one, other] = [AMOUNT.exec(a), AMOUNT.exec(b)];
  if (one === null || other === null || one[2] !== other[2]) return byText.compare(a, b);
  return worth(one) - worth(other);
}

/** As kernel/text/money-text.ts writes amounts. */
const AMOUNT = /^([-+]?\d{1,3}(?:,\d{3})*(?:\.\d+)?)( [A-Z]{3})?$/;

const worth = ([, digits = '']: RegExpExecArray) => Number(digits.replaceAll(',', ''));
