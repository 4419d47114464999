/** What the table computes: the width of its columns, and which of them fit. */

export interface TableColumn<Row> {
  /** Identifies the column in a sort and in a choice of columns. */
  readonly key: string;
  readonly heading: string;
  /** The text of the cell: it decides the width, is the tooltip of a cut cell, and is drawn without `cell`. */
  readonly text: (row: Row) => string;
  readonly align?: 'right' | undefined;
  /** Takes the width that remains. */
  readonly grows?: boolean | undefined;
  /** If the table is too narrow, columns with the highest number are left out first; without a number, never. */
  readonly drop?: number | undefined;
  /** The width in ch to which it is cut, such as an id, where what is never left out does not fit. */
  readonly shrinksTo?: number | undefined;
}

export interface TableSort {
  /** The key of a column. */
  readonly column: string;
  readonly isDescending: boolean;
}

const WIDEST_CH = 44;
const NARROWEST_CH = 4;
/** The heading leaves room for the arrow of the sort. */
const ARROW_CH = 2;
const GAP_CH = 2;

/** Returns the sort after a press on a heading: ascending, descending, then the order of the rows as they came. */
export function nextSort(sort: TableSort | undefined, column: string): TableSort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}

/** Returns the width of each column in ch, by its longest text. */
export function columnWidths<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ heading, text }) => {
    const longest = rows.reduce((most, row) => Math.max(most, text(row).length), 0);
    const widest = Math.min(longest, WIDEST_CH);
    return Math.max(widest, heading.length + ARROW_CH, NARROWEST_CH);
  });
}

/** Returns the keys of the columns that fit into `available` ch, in their order. */
export function fittingColumns<Row>(
  columns: readonly TableColumn<Row>[],
  widths: readonly number[],
  available: number,
): string[] {
  const kept = columns.map((column, index) => ({
    key: column.key,
    drop: column.drop,
    // A column that grows may also shrink.
    width: GAP_CH + (column.grows ? Math.min(widths[index] ?? 0, WIDEST_CH / 2) : (widths[index] ?? 0)),
  }));
  const byDrop = kept
    .filter(({ drop }) => drop !== undefined)
    .sort((a, b) => (b.drop ?? 0) - (a.drop ?? 0) || kept.indexOf(b) - kept.indexOf(a));
  const left = new Set(kept);
  for (const candidate of byDrop) {
    const needed = [...left].reduce((sum, { width }) => sum + width, 0);
    if (needed <= available) break;
    left.delete(candidate);
  }
  return [...left].map(({ key }) => key);
}

/** Returns the widths of the shown columns: those that may be cut give way until all fit. */
export function shrunkWidths<Row>(
  columns: readonly TableColumn<Row>[],
  widths: readonly number[],
  available: number,
): number[] {
  let excess = rowLayout(columns, widths).leastCh - available;
  return columns.map(({ shrinksTo }, index) => {
    const width = widths[index] ?? NARROWEST_CH;
    const cut = shrinksTo === undefined ? 0 : Math.max(0, Math.min(excess, width - shrinksTo));
    excess -= cut;
    return width - cut;
  });
}

/** Returns the tracks of a CSS grid, one for each column, and the least width of a row in ch. */
export function rowLayout<Row>(
  columns: readonly TableColumn<Row>[],
  widths: readonly number[],
): { tracks: string; leastCh: number } {
  const grows = columns.some((column) => column.grows);
  const tracks = columns.map((column, index) => {
    const width = widths[index] ?? NARROWEST_CH;
    // Without a column that grows the last one takes the rest, so that the lines reach the edge.
    const isFlexible = column.grows ?? (!grows && index === columns.length - 1);
    const least = column.grows ? Math.min(width, WIDEST_CH / 2) : width;
    return { least, track: isFlexible ? `minmax(${least}ch, 1fr)` : `${least}ch` };
  });
  return {
    tracks: tracks.map(({ track }) => track).join(' '),
    leastCh: tracks.reduce((sum, { least }) => sum + least + GAP_CH, 0),
  };
}

/** Returns the index that a key moves the selection to, or undefined for any other key. */
export function movedIndex(
  key: string,
  { index, count, page }: { index: number; count: number; page: number },
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined || count === 0) return undefined;
  // Nothing is selected at first: the first press down selects the first row.
  if (index < 0) return step > 1 && key === 'End' ? count - 1 : 0;
  return Math.min(Math.max(index + step, 0), count - 1);
}
