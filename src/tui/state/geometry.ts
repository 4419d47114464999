/** The division of the window. The last line stays empty: a terminal scrolls when the last line is filled. */
import type { ScreenDefinition } from '../screens/definition.ts';
import { revealedHeight } from './revealed-text.ts';
import type { Revealed, Size } from './model.ts';

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

/** The number of lines of an overlay. */
export function overlayHeight({ rows }: Size): number {
  return rows - FREE_LINES - HEADER_LINES - TABS_LINES - FOOTER_LINES;
}
