/** How the window is divided. The last line stays free: a terminal scrolls when it is written to the end. */
import type { ScreenDefinition } from '../screens/definition.ts';
import type { PaneState, Revealed, Size } from './model.ts';

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
/** A revealed value with its title. */
export const REVEALED_LINES = 5;

export function hasHeadings({ columns }: ScreenDefinition['panes'][number]): boolean {
  return columns.some(({ heading }) => heading !== '');
}

/** Rows of a pane that fit. */
export function tableHeight(
  { rows }: Size,
  screen: ScreenDefinition,
  at: number,
  pane: Pick<PaneState, 'banner'> | undefined,
  revealed: Revealed | undefined,
): number {
  const definition = screen.panes[at];
  const taken =
    FREE_LINES +
    HEADER_LINES +
    (screen.panes.length > 1 ? TABS_LINES : 0) +
    (definition !== undefined && hasHeadings(definition) ? 1 : 0) +
    (pane?.banner === undefined ? 0 : 1) +
    (revealed === undefined ? 0 : REVEALED_LINES) +
    FOOTER_LINES;
  return Math.max(1, rows - taken);
}

/** Lines of what is open over a screen. */
export function overlayHeight({ rows }: Size): number {
  return rows - FREE_LINES - HEADER_LINES - TABS_LINES - FOOTER_LINES;
}
