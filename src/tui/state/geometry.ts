/** How the window is divided. The last line stays free: a terminal scrolls when it is written to the end. */
import type { ScreenDefinition } from '../screens/definition.ts';
import { revealedHeight } from './revealed-text.ts';
import type { Revealed, Size } from './model.ts';

/** A pane with all there can be around it has a row left. */
export const SMALLEST: Size = { columns: 40, rows: 14 };

/** Nothing but a line that says so is drawn in such a window. */
export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

const FREE_LINES = 1;
/** Where we are, and what the screen is about. */
export const HEADER_LINES = 2;
export const TABS_LINES = 1;
const FOOTER_LINES = 1;

export function hasHeadings({ columns }: ScreenDefinition['panes'][number]): boolean {
  return columns.some(({ heading }) => heading !== '');
}

/** From so many columns on, a pane may have another beside it; from so many, every row is read beside its list. */
const TWO_PANES_COLUMNS = 120;
const READ_BESIDE_COLUMNS = 200;

export type Beside = { readonly kind: 'pane'; readonly at: number } | { readonly kind: 'row' };

/** What stands right of a pane. */
export function besideOf({ columns }: Size, screen: ScreenDefinition, at: number): Beside | undefined {
  const title = screen.panes[at]?.beside;
  const other = title === undefined ? -1 : screen.panes.findIndex((pane) => pane.title === title);
  if (other >= 0 && columns >= TWO_PANES_COLUMNS) return { kind: 'pane', at: other };
  return columns >= READ_BESIDE_COLUMNS ? { kind: 'row' } : undefined;
}

/** The columns of the pane that is shown; what stands beside it has the rest. */
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
const MOST_SAID_LINES = 3;

/** How many lines there are for what is said. */
export function saidLines({ rows }: Size): number {
  return rows < SEVERAL_LINES_ROWS ? 1 : MOST_SAID_LINES;
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

/** Lines of what is open over a screen. */
export function overlayHeight({ rows }: Size): number {
  return rows - FREE_LINES - HEADER_LINES - TABS_LINES - FOOTER_LINES;
}
