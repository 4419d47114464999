/** What the table computes: the width of its columns, which of them fit, and where a key leads. */
import { printable } from '../../kernel/text/terminal-text.ts';
import { commandOf, isMove, STEPS } from '../../tui/state/key-map.ts';
import type { PaneDefinition } from '../../tui/screens/definition.ts';
import type { Column, Row, Sort } from '../../tui/state/model.ts';
import { textOf } from '../../tui/state/rows.ts';

export interface TableColumn extends Pick<Column, 'heading' | 'align' | 'grows'> {
  /** Its index among the columns of the pane. It identifies the column in a choice of columns. */
  readonly key: string;
  /** If the table is too narrow, columns with the highest number are left out first; without a number, never. */
  readonly drop: number | undefined;
  /** The width in ch to which it is cut, such as an id, where what is never left out does not fit. */
  readonly shrinksTo: number | undefined;
}

/** Returns the text of a cell: it decides the width, and is the tooltip of a cut cell. */
export function cellText({ cells }: Row, { key }: Pick<TableColumn, 'key'>): string {
  return printable(textOf(cells[Number(key)]));
}

/** An id is recognised by its beginning. */
const SHORTEST_ID_CH = 13;
const WIDEST_CH = 44;
const NARROWEST_CH = 4;
/** The heading leaves room for the arrow of the sort. */
const ARROW_CH = 2;
const GAP_CH = 2;

/** Returns the columns of a pane. */
export function drawnColumns({ columns }: PaneDefinition): readonly TableColumn[] {
  const linked = Math.max(
    0,
    columns.findIndex(({ isId }) => isId === true),
  );
  return columns.map((column, at) => ({
    ...column,
    key: String(at),
    shrinksTo: column.isId === true || at === linked ? SHORTEST_ID_CH : undefined,
    drop: column.hidesEmpty === true ? Math.max(column.drop ?? 0, 9) : column.drop,
  }));
}

/** Returns the sort after a press on a heading: ascending, descending, then the order of the rows as they came. */
export function nextSort(sort: Sort | undefined, column: number): Sort | undefined {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? undefined : { column, descending: true };
}

/** Returns the width of each column in ch, by its longest text. */
export function columnWidths(columns: readonly TableColumn[], rows: readonly Row[]): number[] {
  return columns.map((column) => {
    const longest = rows.reduce((most, row) => Math.max(most, cellText(row, column).length), 0);
    const widest = Math.min(longest, WIDEST_CH);
    return Math.max(widest, column.heading.length + ARROW_CH, NARROWEST_CH);
  });
}

/** Returns the keys of the columns that fit into `available` ch, in their order. */
export function fittingColumns(
  columns: readonly TableColumn[],
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
export function shrunkWidths(
  columns: readonly TableColumn[],
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
export function rowLayout(
  columns: readonly TableColumn[],
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

/** Returns the index that a key, by its name in the key map, moves the selection to, or undefined for any other key. */
export function movedIndex(
  key: string,
  { index, count, page }: { index: number; count: number; page: number },
): number | undefined {
  const command = commandOf(key);
  if (!isMove(command) || count === 0) return undefined;
  const step = STEPS[command](page);
  // Nothing is selected at first: the first press selects the first row, or the last.
  if (index < 0 && step !== Infinity) return 0;
  return Math.min(Math.max(index + step, 0), count - 1);
}
