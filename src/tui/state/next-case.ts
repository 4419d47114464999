/** From one case of the review queue to the next, in the order of the queue as it was read. */
import type { Row, ScreenPlace, State, Step } from './model.ts';
import { currentView, withNotice } from './reading.ts';

const QUEUE: ScreenPlace = { screen: 'reviews', params: {} };

/** Opens the case after the one that is looked at; the queue itself where it wasn't read yet. */
export function nextCase(state: State, goTo: (state: State, place: ScreenPlace) => Step): Step {
  const at = state.views.findLastIndex(({ place }) => place.screen === 'reviews');
  const queue = state.views[at];
  const [pane] = queue?.panes ?? [];
  if (queue === undefined || pane === undefined) return goTo(state, QUEUE);
  const next = reviewed(pane.rows, currentView(state).place.params['fp_id']);
  if (next === undefined) return withNotice(state, 'dim', 'No other case waits in the queue as it was read');
  const rest = { ...queue, panes: [{ ...pane, selected: next.index }, ...queue.panes.slice(1)] };
  return goTo({ ...state, views: [...state.views.slice(0, at), rest] }, next.opens);
}

/** The row after that of `fpId`, or the first; none when no other is there. */
function reviewed(
  rows: readonly Row[],
  fpId: string | undefined,
): { readonly index: number; readonly opens: ScreenPlace } | undefined {
  const others = [...rows.entries()].filter(([, { key }]) => key !== fpId);
  const here = rows.findIndex(({ key }) => key === fpId);
  const [index, row] = others.find(([at]) => at > here) ?? others[0] ?? [];
  return index === undefined || row?.opens === undefined ? undefined : { index, opens: row.opens };
}
