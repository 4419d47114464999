/** How many rows of a pane there is room for, with all that stands around it. Pure. */
import { screens } from '../screens/registry.ts';
import { footOf } from './foot.ts';
import { tableHeight } from './geometry.ts';
import type { State } from './model.ts';
import { currentView } from './reading.ts';
import { shownVerified } from './verified.ts';

/** The height of the current pane, unless another is given. */
export function heightOf(state: State, view = currentView(state), at = view.pane): number {
  return tableHeight(state.size, screens[view.place.screen], at, {
    hasBanner: view.panes[at]?.banner !== undefined,
    revealed: state.revealed?.image === undefined ? state.revealed : undefined,
    below: shownVerified(state).length + footOf(state).lines.length,
  });
}
