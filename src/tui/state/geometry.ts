/** The division of window and tables. The last line stays empty: a terminal scrolls when the last line is filled. */
import { displayWidth, printable, shortened } from '../../kernel/text/terminal-text.ts';
import type { ScreenDefinition } from '../screens/definition.ts';
import { revealedHeight } from './revealed-text.ts';
import type { Revealed, Size, Column, Row } from './model.ts';
import { textOf } from './rows.ts';

/** The smallest window: a pane with everything around it has one row left. */
export const SMALLEST: Size = { columns: 40, rows: 14 };

/** In a window this small, only a line that says so is drawn. */
export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

const FREE_LINES = 1;
/** The current place, and the subject of the screen. */
export const HEADER_LINES = 2;
export const TABS_LINES = 1;
const FOOTER_LINES = 1;

export function hasHeadings({ columns }: ScreenDefinition['panes'][number]): boolean {
  return columns.some(({ heading }) => heading !== '');
}

/**
 * From the first width on, a pane may have another beside it. From the second on, every list has the selected row in
 * full beside it.
 */
const TWO_PANES_COLUMNS = 120;
const READ_BESIDE_COLUMNS = 200;

export type Beside = { readonly kind: 'pane'; readonly at: number } | { readonly kind: 'row' };

/** The content right of a pane. */
export function besideOf({ columns }: Size, screen: ScreenDefinition, at: number): Beside | undefined {
  const title = screen.panes[at]?.beside;
  const other = title === undefined ? -1 : screen.panes.findIndex((pane) => pane.title === title);
  if (other >= 0 && columns >= TWO_PANES_COLUMNS) return { kind: 'pane', at: other };
  return columns >= READ_BESIDE_COLUMNS ? { kind: 'row' } : undefined;
}

/** The columns of the current pane; the area beside it has the rest. */
export function paneColumns(size: Size, screen: ScreenDefinition, at: number): number {
  const beside = besideOf(size, screen, at);
  if (beside === undefined) return size.columns;
  return beside.kind === 'pane' ? Math.floor(size.columns / 2) : Math.floor((size.columns * 2) / 3);
}

/** What stands around a pane. */
export interface Around {
  readonly hasBanner: boolean;
  readonly revealed: Revealed | undefined;
  /** Lines of what is said at the foot. */
  readonly below: number;
}

/** In a lower window nothing that is said has more than one line. */
const SEVERAL_LINES_ROWS = 24;
const MOST_NOTICE_LINES = 3;

/** How many lines there are for what is said. */
export function noticeLines({ rows }: Size): number {
  return rows < SEVERAL_LINES_ROWS ? 1 : MOST_NOTICE_LINES;
}

/** Rows of a pane that fit. */
export function tableHeight(
  size: Size,
  screen: ScreenDefinition,
  at: number,
  { hasBanner, revealed, below }: Around,
): number {
  const definition = screen.panes[at];
  const taken =
    FREE_LINES +
    HEADER_LINES +
    (screen.panes.length > 1 ? TABS_LINES : 0) +
    (definition !== undefined && hasHeadings(definition) ? 1 : 0) +
    (hasBanner ? 1 : 0) +
    (revealed === undefined ? 0 : revealedHeight(revealed, size)) +
    below;
  return Math.max(1, size.rows - taken);
}

export function overlayHeight({ rows }: Size): number {
  return rows - FREE_LINES - HEADER_LINES - TABS_LINES - FOOTER_LINES;
}

// The widths of a table's columns in a window: leaves out the least important, then cuts the longest.

export const COLUMN_GAP = 2;
const NARROWEST_GROWING = 12;
const WIDEST = 44;
const NARROWEST = 6;
/** A longer text may be cut to this width before another column is left out for it. */
const LEAST_OF_LONG = 20;

export interface PlacedColumn {
  /** The index in the definition's columns. */
  readonly at: number;
  readonly width: number;
}

/** The columns that fit `width` cells, in their order, for the visible rows. */
export function placeColumns(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
): readonly PlacedColumn[] {
  const natural = columns.map(({ heading, grows }, at) => {
    const longest = Math.max(
      displayWidth(heading),
      ...rows.map(({ cells }) => displayWidth(printable(textOf(cells[at])))),
    );
    return grows === true ? longest : Math.min(longest, WIDEST);
  });
  const least = columns.map((column, at) => Math.min(natural[at] ?? 0, leastOf(column)));
  const kept = keptColumns(columns, rows, least, width);
  const widths = new Map(kept.map((at) => [at, least[at] ?? 0]));
  let spare = width - takenBy(kept, least);
  const isGrowing = (at: number) => columns[at]?.grows === true;
  // The growing column takes the space that the others leave.
  for (const at of [...kept.filter((each) => !isGrowing(each)), ...kept.filter(isGrowing)]) {
    const more = Math.max(0, Math.min(spare, (natural[at] ?? 0) - (widths.get(at) ?? 0)));
    widths.set(at, (widths.get(at) ?? 0) + more);
    spare -= more;
  }
  while (spare < 0) {
    const [widest] = kept
      .filter((at) => !isTime(columns[at]) && (widths.get(at) ?? 0) > NARROWEST)
      .toSorted((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    if (widest === undefined) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
    spare += 1;
  }
  return kept.map((at) => ({ at, width: widths.get(at) ?? 0 }));
}

/** A text that fits a column of this width. */
export function fitted(text: string, width: number, column: Column | undefined): string {
  if (column?.isId !== true || displayWidth(text) <= width) return shortened(text, width);
  return `…${Array.from(text)
    .slice(1 - width)
    .join('')}`;
}

/** A cut time is useless. */
const isTime = (column: Column | undefined) => column?.heading.endsWith('(UTC)') === true;

function leastOf(column: Column): number {
  if (column.atLeast !== undefined) return column.atLeast;
  if (column.grows === true) return NARROWEST_GROWING;
  return isTime(column) || column.isId === true ? WIDEST : LEAST_OF_LONG;
}

/** Leaves out empty columns first, then the least useful. */
function keptColumns(
  columns: readonly Column[],
  rows: readonly Row[],
  least: readonly number[],
  width: number,
): readonly number[] {
  const isEmpty = (at: number) => rows.every(({ cells }) => ['', '-'].includes(textOf(cells[at]).trim()));
  const use = columns.map(({ drop }, at) =>
    drop === undefined ? undefined : isEmpty(at) ? Number.MAX_SAFE_INTEGER : drop,
  );
  let kept: readonly number[] = columns.flatMap(({ hidesEmpty }, at) =>
    hidesEmpty === true && isEmpty(at) ? [] : [at],
  );
  while (takenBy(kept, least) > width) {
    const [next] = kept
      .filter((at) => use[at] !== undefined)
      .toSorted((a, b) => (use[b] ?? 0) - (use[a] ?? 0));
    if (next === undefined) break;
    kept = kept.filter((at) => at !== next);
  }
  return kept;
}

function takenBy(kept: readonly number[], widths: readonly number[]): number {
  return kept.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + COLUMN_GAP * (kept.length - 1);
}
