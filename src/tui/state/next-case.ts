/** Moves from one case of the review queue to the next, in the order of the queue, which is kept up to date. */
import { screens } from '../screens/registry.ts';
import type { Happening, PaneState, ScreenPlace, State, Step, ViewState } from './model.ts';
import { loadAgain, rowsOf } from './panes.ts';
import { currentView, withNotice, withPane } from './reading.ts';

const QUEUE: ScreenPlace = { screen: 'reviews', params: {} };

/** Opens the next case, or the queue itself if it wasn't loaded yet. */
export function nextCase(state: State, goTo: (state: State, place: ScreenPlace) => Step): Step {
  const queue = queueBehind(state);
  if (queue === undefined) return goTo(state, QUEUE);
  const next = following(queue.pane, currentView(state).place.params['fp_id']);
  if (next === undefined) return withNotice(state, 'dim', 'No other case waits in the queue');
  return goTo(withPane(state, queue.view, 0, { ...queue.pane, selected: next.index }), next.opens);
}

/**
 * Reloads the queue that the current case was opened from. Decided cases have left it, and new ones may have come.
 */
export function withQueue({ state, effects }: Step, types: ReadonlySet<Happening>): Step {
  const queue = queueBehind(state);
  const isOther = !screens.reviews.panes[0]?.changesWith.some((type) => types.has(type));
  if (queue === undefined || isOther || queue.view.id === currentView(state).id) return { state, effects };
  const loading = loadAgain(queue.pane, 0, queue.view);
  return { state: withPane(state, queue.view, 0, loading.pane), effects: [...effects, ...loading.effects] };
}

function queueBehind({ views }: State): { readonly view: ViewState; readonly pane: PaneState } | undefined {
  const view = views.findLast(({ place }) => place.screen === 'reviews');
  const [pane] = view?.panes ?? [];
  return view === undefined || pane === undefined ? undefined : { view, pane };
}

/**
 * The row after that of `fpId`, or the first row; undefined if there is no other. If `fpId` has left the queue, the
 * row in its place is the next one.
 */
function following(
  pane: PaneState,
  fpId: string | undefined,
): { readonly index: number; readonly opens: ScreenPlace } | undefined {
  const [definition] = screens.reviews.panes;
  const shown = definition === undefined ? [] : rowsOf(pane, definition);
  const others = [...shown.entries()].filter(([, { key }]) => key !== fpId);
  const here = shown.findIndex(({ key }) => key === fpId);
  const from = here === -1 ? pane.selected : here;
  const [index, row] = others.find(([at]) => at >= from) ?? others[0] ?? [];
  return index === undefined || row?.opens === undefined ? undefined : { index, opens: row.opens };
}
