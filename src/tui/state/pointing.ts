/**
 * What a page with a pointer does that keys can't: it points at rows, fills a form at once, visits an address, scrolls.
 * The results are those of the keys. Pure.
 */
import { actions } from '../actions/registry.ts';
import { screens } from '../screens/registry.ts';
import { agreedTo, begin } from './acting.ts';
import { marked } from './marking.ts';
import type { Form, Pointed, ScreenPlace, State, Step } from './model.ts';
import { goTo, moved, reloaded, runCommand, showPane, sortedBy, wentBack } from './moves.ts';
import { isIdle, problemWith, withLine } from './overlays.ts';
import { heightOf } from './heights.ts';
import { loadMore } from './panes.ts';
import { currentView, followedBy, withNotice, withoutEffects, withPane } from './reading.ts';
import { isSearching } from './searching.ts';
import { lineOf } from './text-line.ts';

export function pointed(state: State, act: Pointed, press: (state: State, key: string) => Step): Step {
  switch (act.kind) {
    case 'row':
    case 'open':
    case 'mark': {
      if (state.overlay !== undefined) return withoutEffects(state);
      if (isSearching(state))
        return withNotice(state, 'warn', 'The search is not done yet: click again then');
      const there = onRow(state, act);
      if (act.kind === 'row') return there;
      return followedBy(there, (then) => (act.kind === 'open' ? runCommand(then, 'open') : marked(then)));
    }
    case 'pane':
      return state.overlay === undefined ? showPane(state, act.pane) : withoutEffects(state);
    case 'begin':
      return begin({ ...state, overlay: undefined }, act.action);
    case 'visit':
      return visited(state, act.place, act.pane);
    case 'sort':
      return followedBy(showPane(state, act.pane), (there) => sortedBy(there, act.sort));
    case 'more':
      return seenTo(state, act.pane);
    case 'scroll':
      return seenTo(state, act.pane, act);
    case 'type':
      return withLine(state, lineOf(act.text));
    case 'choose':
      return state.overlay?.kind === 'palette'
        ? press({ ...state, overlay: { ...state.overlay, selected: act.index } }, 'enter')
        : withoutEffects(state);
    case 'fill':
      return state.overlay?.kind === 'form'
        ? filled(state, state.overlay, act.values)
        : withoutEffects(state);
    case 'say':
      return withNotice(state, act.notice.tone, act.notice.text);
  }
}

function onRow(state: State, { pane, index }: { readonly pane: number; readonly index: number }): Step {
  return followedBy(showPane(state, pane), (there) =>
    moved({ ...there, notice: undefined }, index, heightOf(there)),
  );
}

/** Goes back or forward to a view that is still there, or opens the place. */
function visited(state: State, place: ScreenPlace, pane: number | undefined): Step {
  const isThere = (view: { readonly place: ScreenPlace }) => isSamePlace(view.place, place);
  const closed = { ...state, overlay: undefined };
  const onPane = (step: Step): Step =>
    pane === undefined ? step : followedBy(step, (there) => showPane(there, pane));
  if (isThere(currentView(state))) return onPane(withoutEffects(state));
  const before = state.views.slice(0, -1).findLastIndex(isThere);
  if (before >= 0) {
    let step = withoutEffects(closed);
    while (step.state.views.length > before + 1) step = wentBack(step.state);
    return onPane(step);
  }
  const [next] = state.ahead;
  if (next !== undefined && isThere(next)) return onPane(runCommand(closed, 'forward'));
  // A list that is gone to by its address begins a new path.
  return onPane(goTo(closed, place, Object.keys(place.params).length === 0));
}

export function isSamePlace(one: ScreenPlace, other: ScreenPlace): boolean {
  const names = Object.keys(one.params);
  return (
    one.screen === other.screen &&
    names.length === Object.keys(other.params).length &&
    names.every((name) => one.params[name] === other.params[name])
  );
}

/**
 * Loads more rows near the end of those that are seen; by default all of them are. The selected row stays selected where
 * it is no longer seen: what is done next is about the row that was pressed.
 */
function seenTo(state: State, at: number, seen?: { readonly top: number; readonly height: number }): Step {
  const view = currentView(state);
  const pane = view.panes[at];
  const definition = screens[view.place.screen].panes[at];
  if (pane === undefined || definition === undefined) return withoutEffects(state);
  const isAtTop = seen?.top === 0;
  const next = seen ? { ...pane, top: seen.top, follows: pane.follows && isAtTop } : pane;
  const loading = loadMore(next, at, view, seen?.height ?? pane.rows.length, definition);
  const scrolled = withPane(state, view, at, loading.pane);
  return isAtTop && pane.isStale ? reloaded(scrolled, at) : { state: scrolled, effects: loading.effects };
}

/** All fields at once. The first that lacks something is asked for again. */
function filled(state: State, form: Form, given: Form['values']): Step {
  const asked = form.fields.filter((field) => !isIdle(field));
  const values = Object.fromEntries(asked.map(({ name }) => [name, (given[name] ?? '').trim()]));
  for (const [at, field] of form.fields.entries()) {
    const problem = isIdle(field)
      ? undefined
      : problemWith(form.action, field, values[field.name] ?? '', values);
    if (problem !== undefined) return withoutEffects({ ...state, overlay: { ...form, at, values, problem } });
  }
  return agreedTo(state, { ...form, values, form: { ...form, values, problem: undefined } });
}

/** Whether a form needs a field, by what is typed so far. */
export function isNeeded(form: Form, name: string, values: Form['values']): boolean {
  const field = form.fields.find((each) => each.name === name);
  return field?.isRequired === true || actions[form.action].requires?.(name, values) === true;
}
