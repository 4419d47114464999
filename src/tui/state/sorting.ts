/**
 * Sorts by a column. A list of moderate length is loaded whole first; otherwise only the loaded rows are sorted.
 * Pure.
 */
import { screens } from '../screens/registry.ts';
import { heightOf } from './heights.ts';
import type { PaneState, State, Step } from './model.ts';
import { DEEPEST_RELOAD, selectAt } from './panes.ts';
import { currentPane, currentView, hidden, withNotice, withoutEffects, withPane } from './reading.ts';

/** How a list is loaded. A parameter, because moves.ts imports this file. */
interface Loads {
  readonly reloaded: (state: State, only?: number) => Step;
  readonly settled: (state: State) => Step;
}

export function sortedNext(state: State, isReversed: boolean, { reloaded, settled }: Loads): Step {
  const view = currentView(state);
  const definition = screens[view.place.screen].panes[view.pane];
  const pane = currentPane(state);
  if (definition === undefined) return withoutEffects(state);
  const { columns } = definition;
  const { sort } = pane;
  const next = isReversed
    ? { column: sort?.column ?? 0, descending: !(sort?.descending ?? false) }
    : sort === undefined
      ? { column: 0, descending: false }
      : { column: sort.column + 1, descending: false };
  const isOver = next.column >= columns.length;
  const changed = selectAt(
    { ...pane, sort: isOver ? undefined : next, follows: false, top: 0 },
    0,
    heightOf(state, view, view.pane, pane),
    definition,
  );
  const sorted = withPane(hidden(state), view, view.pane, changed);
  if (isOver) {
    const { state: whole, effects } = settled(sorted);
    return { ...withNotice(whole, 'dim', 'Sorted as the daemon lists them'), effects };
  }
  const isWhole = pane.next === null;
  const loadsAll = !isWhole && canBeWhole(pane);
  const { state: after, effects } = loadsAll ? reloaded(sorted, view.pane) : settled(sorted);
  const name = columns[next.column]?.heading || 'name';
  const sortedBy = `Sorted by ${name}${next.descending ? ', descending' : ''}`;
  return { ...withNotice(after, 'dim', sortedBy + partText(pane, isWhole, loadsAll)), effects };
}

/** Whether a list is short enough to be loaded whole. */
function canBeWhole({ total }: PaneState): boolean {
  return total !== undefined && total <= DEEPEST_RELOAD;
}

function partText({ rows, total }: PaneState, isWhole: boolean, loadsAll: boolean): string {
  if (isWhole) return '';
  if (loadsAll) return `, all ${total ?? ''}`.trimEnd();
  return `, only the ${rows.length} loaded rows: the daemon lists in its own order`;
}
