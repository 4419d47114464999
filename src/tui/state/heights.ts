/** How many rows of a pane there is room for, with all that stands around it. Pure. */
import { screens } from '../screens/registry.ts';
import { footOf } from './foot.ts';
import { tableHeight } from './geometry.ts';
import type { PaneState, State, ViewState } from './model.ts';
import { shownVerified } from './verified.ts';

export function heightOf(state: State, view: ViewState, at: number, pane: PaneState): number {
  return tableHeight(state.size, screens[view.place.screen], at, {
    hasBanner: pane.banner !== undefined,
    revealed: state.revealed,
    below: shownVerified(state).length + footOf(state).lines.length,
  });
}
