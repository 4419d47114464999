/** The commands of keys and palette: moving, opening, filtering, sorting, and starting an action. */
import { mayBeTaxNumber } from '../../nouns/search/facts.ts';
import { screens } from '../screens/registry.ts';
import { heightOf } from './heights.ts';
import { copied } from './copying.ts';
import { type Command, isMove, STEPS } from './key-map.ts';
import type { Effect, ScreenPlace, State, Step, ViewState, PaneState } from './model.ts';
import { begin, removalOf } from './acting.ts';
import { marked, markedAll, unmarked } from './marking.ts';
import { scrolledRevealed } from './revealed-text.ts';
import { nextCase } from './next-case.ts';
import { EMPTY_PANE, loadAgain, loadFirst, loadMore, selectAt, DEEPEST_RELOAD } from './panes.ts';
import {
  currentList,
  currentPane,
  currentView,
  followedBy,
  hidden,
  isFilteredByDaemon,
  noted,
  selectedRow,
  withCurrentPane,
  withoutEffects,
  withNotice,
  withView,
} from './reading.ts';
import { EMPTY_LINE, selectedLineOf } from './text-line.ts';
import { shownVerified } from './verified.ts';

/** Commands that exist only for actions. */
const OF_ACTING: ReadonlySet<Command> = new Set(['create', 'menu', 'mark', 'mark_all']);

/** The number of places kept for going back; the oldest is dropped. */
const MOST_VIEWS = 50;

/**
 * Opens a place on top of the current one, with a filter on its first pane. `isStart`: the path in the header begins
 * there.
 */
export function goTo(state: State, place: ScreenPlace, isStart = false, filter = ''): Step {
  const { panes } = screens[place.screen];
  const view: ViewState = {
    id: state.nextView,
    place,
    isStart: isStart || state.views.length === 0,
    pane: 0,
    panes: panes.map(({ isFeed }, at) => ({
      ...EMPTY_PANE,
      follows: isFeed === true,
      ...(at === 0 && { filter }),
    })),
  };
  return reloaded({
    ...hidden(state),
    views: [...state.views, view].slice(-MOST_VIEWS),
    ahead: [],
    nextView: state.nextView + 1,
    notice: undefined,
  });
}

/** Goes to a screen of the palette; the one that is shown is only loaded again, or filtered. */
export function goHome(
  state: State,
  place: ScreenPlace,
  { filter = '', pane }: { readonly filter?: string; readonly pane?: string } = {},
): Step {
  const at = screens[place.screen].panes.findIndex(({ title }) => title === pane);
  const isHere = JSON.stringify(currentView(state).place) === JSON.stringify(place);
  if (!isHere) return followedBy(goTo(state, place, true, filter), (there) => showPane(there, at));
  if (at >= 0) return reloaded(showPane(state, at).state);
  return filter === ''
    ? reloaded(state)
    : followedBy(showPane(state, 0), (there) => filteredBy(there, filter));
}

/** Sets a filter. A local filter applies while the user types, the daemon's filter when it is entered. */
export function filteredBy(state: State, filter: string): Step {
  const { view, pane } = currentList(state);
  if (pane.filter === filter) return withoutEffects(state);
  // A new search: no results are known yet.
  const isDaemons = isFilteredByDaemon(state);
  const changed = { ...pane, filter, selected: 0, top: 0, isKnown: pane.isKnown && !isDaemons };
  const next = withCurrentPane(state, changed);
  return isDaemons ? reloaded(next, view.pane) : settled(next);
}

/** Runs the command of a key. The palette uses the same by name. */
export function runCommand(state: State, command: Command, key = ''): Step {
  const { view, screen, definition, pane } = currentList(state);
  const height = heightOf(state);
  const further = state.revealed && scrolledRevealed(state.revealed, state.size, command);
  if (further !== undefined) return withoutEffects({ ...state, revealed: further });
  if (state.setup.isReadonly && OF_ACTING.has(command))
    return withNotice(state, 'warn', '--readonly is on: nothing can be changed');
  if (isMove(command)) return moved(state, pane.selected + STEPS[command](height), height);
  switch (command) {
    case 'read':
      return selectedRow(state) === undefined ? withoutEffects(state) : withRow(state);
    case 'open': {
      const row = selectedRow(state);
      if (row?.opens !== undefined) {
        const opened = screens[row.opens.screen].panes.findIndex(({ title }) => title === row.opensPane);
        return followedBy(goTo(state, row.opens), (there) => showPane(there, opened));
      }
      const at = screen.panes.findIndex(({ title }) => title === row?.opensPane);
      if (at >= 0) return showPane(state, at, view.pane);
      return row === undefined ? withoutEffects(state) : withRow(state);
    }
    case 'back':
      return back(state);
    case 'forward':
      return forward(state);
    case 'next_pane':
    case 'previous_pane': {
      if (screen.panes.length < 2) return withoutEffects(state);
      const step = command === 'next_pane' ? 1 : -1;
      const at = (view.pane + step + screen.panes.length) % screen.panes.length;
      return showPane(state, at);
    }
    case 'numbered_pane': {
      const at = Number(key) - 1;
      if (screen.panes[at] === undefined) {
        const panes =
          screen.panes.length === 1 ? 'there is only one' : `press 1 to ${Math.min(9, screen.panes.length)}`;
        return withNotice(state, 'warn', `There is no pane ${key} here: ${panes}`);
      }
      return showPane(state, at);
    }
    case 'palette':
      return {
        state: { ...state, overlay: { kind: 'palette', line: EMPTY_LINE, selected: 0 } },
        effects: [{ type: 'find_instances' }],
      };
    case 'filter': {
      // A tax number isn't shown again, so it can't be edited.
      const line = selectedLineOf(mayBeTaxNumber(pane.filter) ? '' : pane.filter);
      return withoutEffects({ ...state, overlay: { kind: 'filter', line, before: pane.filter } });
    }
    case 'help':
      return withoutEffects({ ...state, overlay: { kind: 'help', top: 0 } });
    case 'sort':
      return sortedNext(state, key === 'S');
    case 'follow': {
      if (definition.isFeed !== true) return withNotice(state, 'warn', 'This list can not be followed');
      const follows = !pane.follows;
      const next = withCurrentPane(state, { ...pane, follows, sort: undefined });
      return follows ? reloaded(moved(next, 0, height).state, view.pane) : withoutEffects(next);
    }
    case 'next_case':
      return nextCase(state, goTo);
    case 'reload': {
      if (state.connection.kind === 'lost') return { state, effects: [{ type: 'reconnect' }] };
      return reloaded(state);
    }
    case 'copy_id':
    case 'copy_command':
    case 'copy_curl':
      // In the review queue, where nobody copies requests, the key takes the case over.
      if (command === 'copy_curl' && view.place.screen === 'reviews') return begin(state, 'claim');
      return copied(state, command);
    case 'reveal':
      // The same key hides the value again.
      return state.revealed === undefined ? begin(state, 'reveal') : withoutEffects(hidden(state));
    case 'remove':
      return begin(state, removalOf(state));
    case 'switch':
      return begin(state, 'webhook_switch');
    case 'create':
      return definition.creates === undefined
        ? withNotice(state, 'warn', '+ creates nothing in this list: press a for what can be done here')
        : begin(state, definition.creates);
    case 'mark':
      return marked(state);
    case 'mark_all':
      return markedAll(state);
    case 'menu':
      return withoutEffects({
        ...state,
        overlay: { kind: 'palette', line: EMPTY_LINE, selected: 0, isHere: true },
      });
    case 'suspend':
      return { state: hidden(state), effects: [{ type: 'suspend' }] };
    case 'quit':
    case 'interrupt':
      return { state: { ...hidden(state), isLeaving: true }, effects: [{ type: 'leave' }] };
    // The others are the names of actions.
    default:
      return begin(state, command);
  }
}

/** `openedFrom`: the pane to go back to, if a row of it opened this one. */
export function showPane(state: State, at: number, openedFrom?: number): Step {
  const { view, screen } = currentList(state);
  if (at === view.pane || screen.panes[at] === undefined) return withoutEffects(state);
  return settled(withView(hidden(state), { ...view, pane: at, openedFrom }));
}

/** Selects another row of the current pane. */
export function moved(state: State, index: number, height: number): Step {
  const { view, definition, pane } = currentList(state);
  // A user who moves away from the newest row is reading.
  const follows = pane.follows && index <= 0;
  const next = selectAt({ ...pane, follows }, index, height, definition);
  const isBackAtTop = next.isStale && next.top === 0;
  const walked = withCurrentPane(next.selected === pane.selected ? state : hidden(state), next);
  return isBackAtTop ? reloaded(walked, view.pane) : settled(walked);
}

function back(state: State): Step {
  if (state.revealed !== undefined) return withoutEffects(hidden(state));
  if (shownVerified(state).length > 0) return withoutEffects({ ...state, verified: undefined });
  if (currentPane(state).marked.size > 0) return unmarked(state);
  if (currentPane(state).filter !== '') return filteredBy(state, '');
  const { openedFrom } = currentView(state);
  if (openedFrom !== undefined) return showPane(state, openedFrom);
  if (state.views.length === 1)
    return state.setup.isPage === true ? withoutEffects(state) : withNotice(state, 'dim', 'q leaves');
  return wentBack(state);
}

/** The view before this one, which stays ahead. */
export function wentBack(state: State): Step {
  const views = state.views.slice(0, -1);
  return reloaded(
    { ...hidden(state), views, ahead: [currentView(state), ...state.ahead] },
    undefined,
    loadAgain,
  );
}

function forward(state: State): Step {
  const [next, ...ahead] = state.ahead;
  if (next === undefined) return withNotice(state, 'dim', 'There is nothing to go forward to');
  // What was on its way when it was left never arrived.
  const panes = next.panes.map((pane) => ({ ...pane, loading: undefined, generation: pane.generation + 1 }));
  const views = [...state.views, { ...next, panes }];
  return reloaded({ ...hidden(state), views, ahead }, undefined, loadAgain);
}

/** Shows the selected row in full. */
function withRow(state: State): Step {
  return withoutEffects({ ...hidden(state), overlay: { kind: 'row', top: 0 } });
}

/** Reloads the current view, or one pane of it. */
export function reloaded(state: State, only?: number, load = loadFirst): Step {
  let view = currentView(state);
  const effects: Effect[] = [];
  for (const [at, pane] of view.panes.entries()) {
    if (only !== undefined && only !== at) continue;
    if (load !== loadFirst && pane.isKnown && screens[view.place.screen].panes[at]?.isLoadLogged) continue;
    const loading = load(pane, at, view);
    view = { ...view, panes: view.panes.with(at, loading.pane) };
    effects.push(...loading.effects);
  }
  return { state: withView(state, view), effects };
}

/** After a change of rows or size: keeps the selection in range, and requests missing rows. */
export function settled(state: State): Step {
  const { view, definition, pane } = currentList(state);
  const height = heightOf(state);
  const within = selectAt(pane, pane.selected, height, definition);
  const loading = loadMore(within, view.pane, view, height, definition);
  return { state: withCurrentPane(state, loading.pane), effects: loading.effects };
}

// Sorts by a column. A list of moderate length is loaded whole first; otherwise only the loaded rows are sorted.
// Pure.

function sortedNext(state: State, isReversed: boolean): Step {
  const { definition, pane } = currentList(state);
  const { sort } = pane;
  if (isReversed)
    return sortedBy(state, { column: sort?.column ?? 0, descending: !(sort?.descending ?? false) });
  const column = sort === undefined ? 0 : sort.column + 1;
  return sortedBy(state, column < definition.columns.length ? { column, descending: false } : undefined);
}

/** Sorts the current pane. Undefined: as the daemon lists. */
export function sortedBy(state: State, sort: PaneState['sort']): Step {
  const { view, definition, pane } = currentList(state);
  const changed = selectAt({ ...pane, sort, follows: false, top: 0 }, 0, heightOf(state), definition);
  const sorted = withCurrentPane(hidden(state), changed);
  if (sort === undefined) return noted(settled(sorted), 'dim', 'Sorted as the daemon lists them');
  const isWhole = pane.next === null;
  const loadsAll = !isWhole && pane.total !== undefined && pane.total <= DEEPEST_RELOAD;
  const step = loadsAll ? reloaded(sorted, view.pane) : settled(sorted);
  const name = definition.columns[sort.column]?.heading || 'name';
  const words = `Sorted by ${name}${sort.descending ? ', descending' : ''}`;
  return noted(step, 'dim', words + partText(pane, isWhole, loadsAll));
}

function partText({ rows, total }: PaneState, isWhole: boolean, loadsAll: boolean): string {
  if (isWhole) return '';
  if (loadsAll) return `, all ${total ?? ''}`.trimEnd();
  return `, only the ${rows.length} loaded rows: the daemon lists in its own order`;
}
