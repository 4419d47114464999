/** The mouse: a click selects a row or a pane, a click on the selected row opens it, the wheel moves. Pure. */
import { screens } from '../screens/registry.ts';
import { heightOf } from './heights.ts';
import { hasHeadings, HEADER_LINES, paneColumns, TABS_LINES } from './geometry.ts';
import type { State, Step } from './model.ts';
import { moved, runCommand, showPane } from './moves.ts';
import { currentPane, currentView, withoutEffects } from './reading.ts';
import { rowsOf } from './panes.ts';
import { tabsOf } from './tabs.ts';

/** Counts from 0 at the top left of the window. */
export interface CellPosition {
  readonly line: number;
  readonly column: number;
}

/** A click of the first button, without an overlay. */
export function clicked(state: State, { line, column }: CellPosition): Step {
  const view = currentView(state);
  const { panes } = screens[view.place.screen];
  const definition = panes[view.pane];
  if (definition === undefined) return withoutEffects(state);
  const hasTabs = panes.length > 1;
  if (hasTabs && line === HEADER_LINES) {
    const tab = tabsOf(state).shown.find(({ from, to }) => from <= column && column < to);
    return tab === undefined ? withoutEffects(state) : showPane(state, tab.at);
  }
  // The area beside the pane is for reading only.
  if (column >= paneColumns(state.size, screens[view.place.screen], view.pane)) return withoutEffects(state);
  const pane = currentPane(state);
  const height = heightOf(state, view, view.pane, pane);
  const above =
    HEADER_LINES +
    (hasTabs ? TABS_LINES : 0) +
    (pane.banner === undefined ? 0 : 1) +
    (hasHeadings(definition) ? 1 : 0);
  const row = line - above;
  const index = pane.top + row;
  if (row < 0 || row >= height || index >= rowsOf(pane, definition).length) return withoutEffects(state);
  return index === pane.selected ? runCommand(state, 'open') : moved(state, index, height);
}
